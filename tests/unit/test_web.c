/* Pages: what lifelines are found, which arrows are drawn, and that nothing of a model becomes
 * markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "lang/lang.h"
#include "report/history.h"
#include "web/lifelines.h"
#include "web/page.h"
#include "web/story.h"

/* ---- Names of edges ---- */

static void test_edge_words(void **unused) {
  (void)unused;
  struct clew_edge_words words;
  clew_edge_words_read("Train(1): far -> near, Gate: open -> busy (comes[id]!), id: 1", &words);
  assert_int_equal(words.actors.len, 2);
  assert_string_equal(words.actors.data[0], "Train(1)");
  assert_string_equal(words.actors.data[1], "Gate");
  assert_string_equal(words.channel, "comes[id]!");
  assert_int_equal(words.values.len, 1);
  assert_string_equal(words.values.data[0], "1");
  clew_edge_words_free(&words);

  clew_edge_words_read("receives the line, p: proc_2, i: 0", &words);
  assert_int_equal(words.actors.len, 0);
  assert_null(words.channel);
  assert_int_equal(words.values.len, 2);
  assert_string_equal(words.values.data[0], "proc_2");
  clew_edge_words_free(&words);

  /* A comma in brackets ends nothing. */
  clew_edge_words_read("P: a -> b (c[f(1, 2)]?)", &words);
  assert_int_equal(words.actors.len, 1);
  assert_string_equal(words.channel, "c[f(1, 2)]?");
  clew_edge_words_free(&words);

  static const char *const odd[] = {"",    ", ",  ": ",     ": -> ", "a: -> ",
                                    ")))", "x (", " -> : ", "(,, "};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    clew_edge_words_read(odd[i], &words);
    clew_edge_words_free(&words);
  }
}

/* ---- Casts ---- */

static struct clew_model *load(const struct clew_language *language, const char *text) {
  struct clew_source source = {"sample", text, strlen(text)};
  struct clew_load_request request = {.source = &source, .exec = CLEW_MODE_INTERP};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  enum clew_status status = language->load(&request, &diags, &model);
  for (uint32_t i = 0; i < diags.len; i++) {
    print_message("%u:%u: %s\n", diags.data[i].position.line, diags.data[i].position.column,
                  diags.data[i].message);
  }
  assert_int_equal(status, CLEW_OK);
  clew_diag_sink_free(&diags);
  return model;
}

static uint32_t slot_named(const struct clew_model *model, const char *name) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (strcmp(model->slots[i].name, name) == 0) {
      return i;
    }
  }
  fail_msg("no slot %s", name);
  return CLEW_NONE;
}

static void test_processes(void **unused) {
  (void)unused;
  struct clew_model *model = load(
      &clew_language_dve,
      "byte g;\n"
      "channel c;\n"
      "process S { byte x; state s, t; init s; trans s -> t { sync c!; effect x = 1, g = 1; }; }\n"
      "process R { byte y; state u, v; init u; trans u -> v { sync c?; effect y = 2; }; }\n"
      "system async;\n");
  struct clew_casts casts;
  clew_casts_find(model, &casts);
  assert_true(casts.list.len >= 1);
  const struct clew_cast *cast = &casts.list.data[0];
  assert_true(cast->is_processes);
  assert_int_equal(cast->lines.len, 2);
  assert_string_equal(cast->lines.data[0], "S");
  assert_string_equal(cast->lines.data[1], "R");
  assert_int_equal(cast->line_of[slot_named(model, "g")], CLEW_NONE);
  assert_int_equal(cast->line_of[slot_named(model, "S.x")], 0);
  assert_int_equal(cast->line_of[slot_named(model, "R.y")], 1);
  assert_int_equal(cast->face[0], slot_named(model, "S"));
  clew_casts_free(&casts);
  model->close(model);
}

static const char mail[] =
    "type id: scalarset(2); kind: enum { ask, answer };\n"
    "  letter: record what: kind; who: id; end;\n"
    "var at: array [id] of 0..2; number: array [0..2] of boolean;\n"
    "  net: multiset [3] of letter;\n"
    "ruleset p: id do rule \"ask\" at[p] = 0 ==> var m: letter;\n"
    "  begin m.what := ask; m.who := p; multisetadd(m, net); at[p] := 1; end; end;\n"
    "choose i: net do rule \"serve\" net[i].what = ask ==>\n"
    "  var m: letter;\n"
    "  begin m.what := answer; m.who := net[i].who; multisetremove(i, net); multisetadd(m, net); "
    "end; end;\n"
    "ruleset p: id do choose i: net do rule \"receive\" net[i].what = answer & net[i].who = p ==>\n"
    "  begin multisetremove(i, net); at[p] := 2; end; end; end;\n"
    "startstate begin for p: id do at[p] := 0; end; for k: 0..2 do number[k] := false; end; "
    "undefine net; end;\n";

static void test_arrays(void **unused) {
  (void)unused;
  struct clew_model *model = load(&clew_language_murphi, mail);
  struct clew_casts casts;
  clew_casts_find(model, &casts);
  assert_int_equal(casts.list.len, 2);
  const struct clew_cast *cast = &casts.list.data[0];
  assert_false(cast->is_processes);
  assert_string_equal(cast->name,
                      "at"); /* rules have parameters of this type, and none of the other */
  assert_int_equal(cast->lines.len, 2);
  assert_string_equal(cast->lines.data[0], "id_1");
  assert_string_equal(casts.list.data[1].name, "number");
  assert_int_equal(cast->line_of[slot_named(model, "at[id_2]")], 1);
  assert_int_equal(cast->line_of[slot_named(model, "number[1]")], CLEW_NONE);
  clew_casts_free(&casts);
  model->close(model);
}

/* ---- Charts ---- */

/* The edge of this name that is possible now; the walk goes on with it. */
static void take(const struct clew_model *model, const char *name, uint64_t *states,
                 uint32_t *edges, uint32_t *steps) {
  struct clew_succs succs;
  struct clew_text text = {0};
  clew_succs_open(&succs, model->words, model->cover_count);
  model->next(model, states + (size_t)*steps * model->words, &succs);
  for (uint32_t i = 0; i < succs.count; i++) {
    clew_text_clear(&text);
    model->print_edge(model, succs.edges[i], &text);
    if (strncmp(clew_text_str(&text), name, strlen(name)) == 0) {
      edges[(*steps)++] = succs.edges[i];
      memcpy(states + (size_t)*steps * model->words, succs.states + (size_t)i * model->words,
             model->words * sizeof(uint64_t));
      clew_succs_close(&succs);
      clew_text_free(&text);
      return;
    }
  }
  fail_msg("no edge %s", name);
}

static int64_t number_at(const struct clew_json *object, const char *key) {
  return clew_json_get(object, key)->integer;
}

static void test_messages(void **unused) {
  (void)unused;
  enum { STEPS = 4 };
  struct clew_model *model = load(&clew_language_murphi, mail);
  uint64_t *states = clew_alloc_zero((size_t)(STEPS + 1) * model->words, sizeof *states);
  uint32_t edges[STEPS], steps = 0;
  assert_true(clew_model_start(model, 0, states));
  take(model, "ask, p: id_1", states, edges, &steps);
  take(model, "ask, p: id_2", states, edges, &steps);
  take(model, "serve", states, edges, &steps);
  take(model, "receive", states, edges, &steps);
  struct clew_walk walk = {.model = model, .edges = edges, .states = states, .count = STEPS + 1};
  struct clew_casts casts;
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_casts_find(model, &casts);
  clew_json_begin(&w, &out);
  clew_casts_write(&casts, &walk, 100, &w);
  clew_json_end(&w);
  struct clew_arena *arena = clew_arena_open();
  size_t offset;
  const char *error;
  const struct clew_json *charts = clew_json_parse(arena, out.data, out.len, &offset, &error);
  assert_non_null(charts);
  const struct clew_json *chart = &charts->items[0];
  const struct clew_json *members = clew_json_get(chart, "steps");
  assert_int_equal(members->count, STEPS);
  assert_int_equal(members->items[0].items[0].integer, 0); /* id_1 asks */
  assert_int_equal(members->items[1].items[0].integer, 1); /* id_2 asks */
  assert_int_equal(members->items[2].items[0].integer, 2); /* the rest of the model serves */
  /* One question and its answer arrive; the other question is still on its way. */
  const struct clew_json *arrows = clew_json_get(chart, "arrows");
  assert_int_equal(arrows->count, 3);
  int64_t who = number_at(&arrows->items[0], "from");
  assert_int_equal(number_at(&arrows->items[0], "from_step"), who + 1);
  assert_int_equal(number_at(&arrows->items[0], "to_step"), 3);
  assert_int_equal(number_at(&arrows->items[0], "to"), 2);
  assert_int_equal(number_at(&arrows->items[1], "from_step"), 3);
  assert_int_equal(number_at(&arrows->items[1], "to_step"), 4);
  assert_int_equal(number_at(&arrows->items[1], "to"), who);
  assert_int_equal(clew_json_get(&arrows->items[2], "to_step")->kind, CLEW_JSON_NULL);
  assert_int_equal(number_at(&arrows->items[2], "from"), 1 - who);
  char expected[64];
  snprintf(expected, sizeof expected, "net: what: answer, who: id_%d", (int)who + 1);
  assert_string_equal(clew_json_get(&arrows->items[1], "text")->string, expected);
  clew_arena_close(arena);
  clew_text_free(&out);
  clew_casts_free(&casts);
  clew_free(states);
  model->close(model);
}

/* ---- Pages ---- */

static size_t occurrences(const char *text, const char *what) {
  size_t count = 0;
  for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
    count++;
  }
  return count;
}

static void test_page_injection(void **unused) {
  (void)unused;
  static const char evil[] = "</script><script>alert(1)</script><!--<img src=x onerror='a()'>\"&";
  struct clew_text data = {0}, harmless = {0}, page = {0}, plain = {0};
  struct clew_json_writer w;
  clew_json_begin(&w, &data);
  clew_json_object_open(&w);
  clew_json_key(&w, evil);
  clew_json_string(&w, evil);
  clew_json_object_close(&w);
  clew_json_end(&w);
  clew_text_put(&harmless, "{}");
  clew_page_write(
      &(struct clew_page){.title = evil, .application = "report", .data = &data, .plain = evil},
      &page);
  clew_page_write(
      &(struct clew_page){.title = "t", .application = "report", .data = &harmless, .plain = "t"},
      &plain);
  /* As many tags as in a page of nothing. */
  const char *const tags[] = {"<script", "</script", "<img", "<!--", "</title", "</noscript"};
  for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
    assert_int_equal(occurrences(clew_text_str(&page), tags[i]),
                     occurrences(clew_text_str(&plain), tags[i]));
  }
  /* The data are the same as before. */
  const char *from = strstr(clew_text_str(&page), "id=\"data\">");
  assert_non_null(from);
  from += strlen("id=\"data\">");
  struct clew_arena *arena = clew_arena_open();
  size_t offset, length = (size_t)(strstr(from, "</script>") - from);
  const char *error;
  const struct clew_json *root = clew_json_parse(arena, from, length, &offset, &error);
  assert_non_null(root);
  assert_string_equal(clew_json_get(root, evil)->string, evil);
  clew_arena_close(arena);
  clew_text_free(&data);
  clew_text_free(&harmless);
  clew_text_free(&page);
  clew_text_free(&plain);
}

static void test_escape(void **unused) {
  (void)unused;
  struct clew_text out = {0};
  clew_page_escape(&out, "a<b>&\"'\n\x01\x7f\xff\xc3\xa9");
  assert_string_equal(clew_text_str(&out), "a&lt;b&gt;&amp;&quot;&#39;\n\xef\xbf\xbd\xc3\xa9");
  clew_text_free(&out);
}

static void test_assets_are_closed(void **unused) {
  (void)unused;
  for (const struct clew_asset *asset = clew_assets; asset->name != NULL; asset++) {
    assert_int_equal(strlen(asset->text), asset->length);
    assert_int_equal(strlen(asset->sum), 44);
    assert_null(strstr(asset->text, "</script")); /* would end the element that it stands in */
    assert_null(strstr(asset->text, "</style"));
    assert_null(strstr(asset->text, "innerHTML"));
    assert_null(strstr(asset->text, "https://"));
  }
}

/* ---- The course of a search ---- */

static void test_history(void **unused) {
  (void)unused;
  struct clew_history history = {0};
  for (uint32_t i = 0; i < 100000; i++) {
    clew_history_add(&history, &(struct clew_progress){.elapsed_s = i, .states = i});
    assert_true(history.moments.len <= CLEW_HISTORY_MOST);
  }
  assert_true(history.moments.len >= CLEW_HISTORY_MOST / 2 - 1);
  assert_true(history.moments.data[0].states == 0);
  assert_true(clew_vec_last(&history.moments).states > 99000);
  for (uint32_t i = 1; i < history.moments.len; i++) {
    assert_true(history.moments.data[i].elapsed_s > history.moments.data[i - 1].elapsed_s);
  }
  clew_history_free(&history);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edge_words),
      cmocka_unit_test(test_processes),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_page_injection),
      cmocka_unit_test(test_escape),
      cmocka_unit_test(test_assets_are_closed),
      cmocka_unit_test(test_history),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
