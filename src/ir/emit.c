/* Emitting C: the whole file. See emit_int.h for how the code looks and what the names mean.
 *
 * Invariant: the text is a function of the program's structure alone, so equal models share a
 * compiled object in the cache, whatever they call their variables. */
#include <inttypes.h>

#include "ir/emit_int.h"
#include "ir/native.h"

static void put_locations(struct clew_emitter *e) {
  if (!e->uses_locations)
    return;
  assert(e->program->slot_count > 0);
  clew_text_put(e->out, "static const uint32_t loc[] = {");
  for (uint32_t i = 0; i < e->program->slot_count; i++)
    clew_text_printf(e->out, "%s%" PRIu32 ",", i % 16 == 0 ? "\n  " : " ",
                     e->program->slots[i].bit);
  clew_text_put(e->out, "\n};\n");
}

static void put_entry(struct clew_emitter *e, bool canonicalises) {
  assert(e->program->words > 0);
  clew_emit_open(e, "__attribute__((visibility(\"default\"))) const struct clew_native_api "
                    "clew_native_entry =");
  clew_emit_line(e, "CLEW_NATIVE_ABI, %" PRIu32 ", %" PRIu32 ", next, fire, check, label, %s,",
                 e->program->words, e->program->edge_count, canonicalises ? "canonicalise" : "0");
  e->indent--;
  clew_emit_line(e, "};");
}

bool clew_emit_c(const struct clew_program *program, const struct clew_canon *canon,
                 struct clew_text *out) {
  struct clew_text code = {0};
  struct clew_emitter e = {
      .program = program, .canon = canon, .out = &code, .arena = clew_arena_open()};
  assert(program->slots != NULL || program->slot_count == 0);
  bool worth = clew_emit_facts_open(&e);
  if (worth) {
    clew_emit_sorters(&e);
    clew_emit_functions(&e);
    clew_emit_labels(&e);
    clew_emit_next(&e);
    clew_emit_queries(&e);
    put_entry(&e, clew_emit_canon(&e));
    worth = !e.full;
  }
  if (worth) {
    e.out = out;
    clew_text_put(out, "#include \"ir/native_rt.h\"\n");
    put_locations(&e);
    clew_text_put_n(out, clew_text_str(&code), code.len);
  }
  clew_emit_facts_close(&e);
  clew_arena_close(e.arena);
  clew_text_free(&code);
  return worth;
}
