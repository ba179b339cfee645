/* Names for editors: what front ends say of declarations and uses, and that a damaged text,
 * whatever is wrong with it, leads to places that are in the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "lang/lang.h"

struct found {
  struct clew_symbols symbols;
  struct clew_diag_sink diags;
};

static void load(const struct clew_language *language, const char *text, size_t length,
                 struct found *found) {
  *found = (struct found){.diags = {0}};
  struct clew_source source = {"sample", text, length};
  struct clew_load_request request = {.source = &source,
                                      .exec = CLEW_MODE_INTERP,
                                      .symmetry = CLEW_SYMMETRY_OFF,
                                      .symbols = &found->symbols};
  struct clew_model *model = NULL;
  clew_symbols_open(&found->symbols);
  if (language->load(&request, &found->diags, &model) == CLEW_OK) {
    model->close(model);
  }
  clew_symbols_finish(&found->symbols);
}

static void drop(struct found *found) {
  clew_symbols_close(&found->symbols);
  clew_diag_sink_free(&found->diags);
}

/* "variable x: 0..3" for the symbol that is used or declared at the n-th place of the word. */
static void expect(const struct found *found, const char *text, const char *word, unsigned nth,
                   const char *expected) {
  const char *at = text;
  for (unsigned i = 0; (at = strstr(at, word)) != NULL && i < nth; i++) {
    at++;
  }
  assert_non_null(at);
  struct clew_symbol_use use;
  const struct clew_symbol *symbol =
      clew_symbols_find(&found->symbols, (uint32_t)(at - text), &use);
  assert_non_null(symbol);
  assert_int_equal(use.offset, at - text);
  assert_memory_equal(text + symbol->offset, text + use.offset, use.length);
  struct clew_text line = {0};
  clew_text_printf(&line, "%s %s: %s%s%s", clew_symbol_kind_name(symbol->kind), symbol->name,
                   symbol->detail, symbol->remark != NULL ? ", " : "",
                   symbol->remark != NULL ? symbol->remark : "");
  assert_string_equal(clew_text_str(&line), expected);
  clew_text_free(&line);
}

static const char murphi[] =
    "const N: 3;\n"
    "type T: 0..N; E: enum {A, B}; R: record f: T; end;\n"
    "var x: T; e: E; r: R; a: array [T] of boolean;\n"
    "function inc(k: T): T; begin return (k + 1) % N; end;\n"
    "startstate \"go\" x := 0; e := A; r.f := 1; end;\n"
    "ruleset i: T do rule \"step\" a[i] ==> x := inc(i); e := B; end; end;\n"
    "invariant \"fine\" x <= N;\n";
static const char dve[] = "const byte N = 2;\nbyte x;\nchannel {byte} c[1];\n"
                          "process P { byte y; state s, t; init s;\n"
                          "  trans s -> t { guard x < N; effect x = x + 1, y = 1; },\n"
                          "        t -> s { sync c!y; effect y = 0; }; }\nsystem async;\n";
static const char uppaal[] = "const int N = 2;\ntypedef int[0,N] id;\nclock c;\nid n;\nchan go;\n"
                             "process P(id k) { clock d; state s { d <= N }, t; init s;\n"
                             "  trans s -> t { guard n < k; sync go!; assign n = k, c = 0; },\n"
                             "        t -> s { sync go?; }; }\nsystem P;\n";

static void test_murphi(void **state) {
  (void)state;
  struct found found;
  load(&clew_language_murphi, murphi, sizeof murphi - 1, &found);
  assert_int_equal(found.diags.error_count, 0);
  expect(&found, murphi, "N;", 0, "constant N: 3");
  expect(&found, murphi, "T;", 0, "type T: T = 0..3");
  expect(&found, murphi, "A;", 0, "value A: E = enum {A, B}");
  expect(&found, murphi, "f :=", 0, "field f: T");
  expect(&found, murphi, "a[i]", 0, "variable a: array [T] of boolean");
  expect(&found, murphi, "i]", 0, "parameter i: T = 0..3");
  expect(&found, murphi, "inc(i)", 0, "function inc: (k: T): T");
  expect(&found, murphi, "k + 1", 0, "parameter k: T = 0..3");
  drop(&found);
}

static void test_dve(void **state) {
  (void)state;
  struct found found;
  load(&clew_language_dve, dve, sizeof dve - 1, &found);
  assert_int_equal(found.diags.error_count, 0);
  expect(&found, dve, "N;", 0, "constant N: byte, = 2");
  expect(&found, dve, "c!", 0, "channel c: byte; buffer of 1");
  expect(&found, dve, "y;", 1, "variable y: byte, never outside of 0..1");
  expect(&found, dve, "t ->", 0, "state t: ");
  expect(&found, dve, "s;", 0, "state s: initial");
  drop(&found);
}

static void test_uppaal(void **state) {
  (void)state;
  struct found found;
  load(&clew_language_uppaal, uppaal, sizeof uppaal - 1, &found);
  assert_int_equal(found.diags.error_count, 0);
  expect(&found, uppaal, "N]", 0, "constant N: const int, = 2");
  expect(&found, uppaal, "id n", 0, "type id: int[0,N], 0..2");
  expect(&found, uppaal, "n < k", 0, "variable n: id, 0..2");
  expect(&found, uppaal, "k;", 0, "parameter k: id, 0..2");
  expect(&found, uppaal, "d <=", 0, "clock d: clock");
  expect(&found, uppaal, "go?", 0, "channel go: chan");
  expect(&found, uppaal, "t ->", 0, "state t: ");
  drop(&found);
}

static void check_places(const struct found *found, size_t length) {
  for (uint32_t i = 0; i < found->symbols.list.len; i++) {
    const struct clew_symbol *each = &found->symbols.list.data[i];
    assert_true(each->length > 0 && (size_t)each->offset + each->length <= length);
    assert_true(i == 0 || found->symbols.list.data[i - 1].offset < each->offset);
  }
  for (uint32_t i = 0; i < found->symbols.uses.len; i++) {
    const struct clew_symbol_use *each = &found->symbols.uses.data[i];
    assert_true((size_t)each->offset + each->length <= length && each->target < length);
    assert_true(i == 0 || found->symbols.uses.data[i - 1].offset < each->offset);
  }
}

/* Every prefix, and every text with one byte replaced. */
static void damage(const struct clew_language *language, const char *model) {
  static const char bytes[] = {';', '{', 'x', '\0', '"'};
  size_t length = strlen(model);
  char *text = clew_strdup(model);
  for (size_t cut = 0; cut < length; cut += 3) {
    struct found found;
    char *head = clew_strndup(model, cut);
    load(language, head, cut, &found);
    check_places(&found, cut);
    drop(&found);
    clew_free(head);
  }
  for (size_t i = 0; i < length; i++) {
    struct found found;
    text[i] = bytes[i % sizeof bytes];
    load(language, text, length, &found);
    check_places(&found, length);
    drop(&found);
    text[i] = model[i];
  }
  clew_free(text);
}

static void test_damage(void **state) {
  (void)state;
  damage(&clew_language_murphi, murphi);
  damage(&clew_language_dve, dve);
  damage(&clew_language_uppaal, uppaal);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_murphi), cmocka_unit_test(test_dve),
                                     cmocka_unit_test(test_uppaal), cmocka_unit_test(test_damage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
