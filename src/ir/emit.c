/* Emitting C: the whole file. See emit_int.h for how the code looks and what the names mean.
 *
 * Invariant: the text is a function of the program's structure alone, so equal models share a
 * compiled object in the cache, whatever they call their variables. */
#include <inttypes.h>

#include "ir/emit_int.h"
#include "model/model.h"

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

static void put_entry(struct clew_emitter *e, const char *functions) {
  assert(e->program->words > 0);
  clew_emit_open(e, "__attribute__((visibility(\"default\"))) const struct clew_native_api "
                    "clew_native_entry =");
  clew_emit_line(e, "CLEW_NATIVE_ABI, %" PRIu32 ", %" PRIu32 ", %d, %s,", e->program->words,
                 e->program->edge_count, e->pieces, functions);
  e->indent--;
  clew_emit_line(e, "};");
}

/* Everything but what is known only at the end. */
static void put_code(struct clew_emitter *e) {
  clew_emit_sorters(e);
  clew_emit_functions(e);
  clew_emit_labels(e);
  if (e->part == CLEW_NATIVE_FIRE) {
    clew_emit_fire(e);
    put_entry(e, "0, fire, 0, 0, 0");
    return;
  }
  assert(e->part == CLEW_NATIVE_ALL);
  clew_emit_next(e);
  clew_emit_queries(e);
  put_entry(e, clew_emit_canon(e) ? "next, fire, check, label, canonicalise"
                                  : "next, fire, check, label, 0");
}

bool clew_emit_makes_pieces(const struct clew_program *program) {
  return clew_piece_forced() > 0 || clew_piece_is_exceeded(program->words, program->edge_count);
}

bool clew_emit_c(const struct clew_emit_request *request, struct clew_text *out) {
  const struct clew_program *program = request->program;
  struct clew_text code = {0};
  struct clew_emitter e = {.program = program,
                           .canon = request->canon,
                           .part = request->part,
                           .cancelled = request->cancelled,
                           .out = &code,
                           .pieces = clew_emit_makes_pieces(program),
                           .arena = clew_arena_open()};
  assert(program->slots != NULL || program->slot_count == 0);
  bool worth = (e.part != CLEW_NATIVE_FIRE || program->edge_count <= CLEW_EMIT_FIRED_EDGES) &&
               clew_emit_facts_open(&e);
  if (worth) {
    put_code(&e);
    worth = !clew_emit_is_full(&e);
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
