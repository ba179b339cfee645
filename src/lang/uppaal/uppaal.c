/* The UPPAAL front end: networks of timed automata, from source to IR. The phases are the other
 * files of this folder; here they are strung together.
 *
 * Where the language is given as XML, its text form is what is parsed, and messages point back into
 * the file. The queries are those of the command line (--query, --queries), else those of the XML
 * and of the .q file beside the model; each is a text of its own. */
#include "lang/uppaal/uppaal.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_zones.h"

/* ---- Queries -------------------------------------------------------------------------------- */

/* A query that is not decided. */
struct skipped {
  const char *formula, *why;
  bool is_asked; /* by the command line */
};

struct texts {
  struct clew_arena *arena;
  CLEW_VEC(struct clew_query) queries;
  CLEW_VEC(struct skipped) skipped;
};

/* Whether the text begins with these characters, blanks between them aside. */
static bool begins(const char *text, const char *head) {
  for (; *head != '\0'; head++, text++) {
    while (isspace((unsigned char)*text)) {
      text++;
    }
    if (*text != *head) {
      return false;
    }
  }
  return true;
}

/* Whether the word occurs in the text. */
static bool has_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
    bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (starts && !isalnum((unsigned char)at[length]) && at[length] != '_') {
      return true;
    }
  }
  return false;
}

/* sup: and sup{p}:, and so on */
static bool begins_bounds(const char *formula) {
  static const char *const heads[] = {"sup:", "sup{", "inf:", "inf{", "bounds:", "bounds{"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    if (begins(formula, heads[i])) {
      return true;
    }
  }
  return false;
}

/* Whether the formula is one of symbolic model checking. Others are about chances and strategies:
 * they begin with other words, or say under which strategy they are asked. */
static bool is_symbolic(const char *formula) {
  static const char *const others[] = {"Pr",           "simulate", "control",     "strategy",
                                       "saveStrategy", "minE",     "maxE",        "E[<",
                                       "E[#",          "{",        "loadStrategy"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    if (begins(formula, others[i])) {
      return false;
    }
  }
  return (strstr(formula, "-->") != NULL || begins(formula, "E<>") || begins(formula, "A[]") ||
          begins(formula, "A<>") || begins(formula, "E[]") || begins_bounds(formula)) &&
         !has_word(formula, "under");
}

/* Adds one formula; an empty one is none. */
static void add_formula(struct texts *texts, const char *formula, size_t length, const char *name,
                        const char *option) {
  while (length > 0 && isspace((unsigned char)formula[length - 1])) {
    length--;
  }
  while (length > 0 && isspace((unsigned char)*formula)) {
    formula++;
    length--;
  }
  if (length == 0) {
    return;
  }
  formula = clew_arena_strndup(texts->arena, formula, length);
  bool is_goal = strstr(formula, "-->") == NULL && begins(formula, "E<>");
  if (is_symbolic(formula)) {
    struct clew_query query = {.kind = is_goal ? CLEW_QUERY_REACH : CLEW_QUERY_INVARIANT,
                               .source = {name, formula, length},
                               .option = option,
                               .is_formula = true};
    clew_vec_push(&texts->queries, query);
  } else {
    struct skipped skipped = {formula, "this is no query of symbolic model checking",
                              option != NULL};
    clew_vec_push(&texts->skipped, skipped);
  }
}

/* The text without comments, a blank for each, and without the ends of lines that go on. */
static void strip(const struct clew_source *source, struct clew_text *out) {
  const char *at = source->text, *end = at + source->length;
  while (at < end) {
    if (at[0] == '/' && at + 1 < end && at[1] == '/') {
      while (at < end && *at != '\n') {
        at++;
      }
    } else if (at[0] == '/' && at + 1 < end && at[1] == '*') {
      const char *close = strstr(at + 2, "*/");
      at = close != NULL ? close + 2 : end;
      clew_text_char(out, ' ');
    } else if (at[0] == '\\' && at + 1 < end && (at[1] == '\n' || at[1] == '\r')) {
      at += at[1] == '\r' && at + 2 < end && at[2] == '\n' ? 3 : 2;
      clew_text_char(out, ' ');
    } else {
      clew_text_char(out, *at == '\0' ? ' ' : *at);
      at++;
    }
  }
}

/* A text with one query on each line. */
static void add_lines(struct texts *texts, const struct clew_formulas *formulas) {
  struct clew_text plain = {0};
  strip(&formulas->source, &plain);
  const char *at = clew_text_str(&plain);
  while (*at != '\0') {
    size_t length = strcspn(at, "\n");
    add_formula(texts, at, length, formulas->source.name, formulas->option);
    at += length + (at[length] == '\n');
  }
  clew_text_free(&plain);
}

static void collect_queries(struct texts *texts, const struct clew_load_request *request,
                            const struct uppaal_xml *xml) {
  bool asked = false;
  for (uint32_t i = 0; i < request->query_count; i++) {
    clew_vec_push(&texts->queries, request->queries[i]);
  }
  for (uint32_t i = 0; i < request->formulas_count; i++) {
    add_lines(texts, &request->formulas[i]);
    asked = asked || request->formulas[i].option != NULL;
  }
  bool ignored = asked || request->ignores_queries;
  for (uint32_t i = 0; !ignored && i < xml->query_count; i++) {
    const char *name =
        clew_arena_printf(texts->arena, "%s, query %u", request->source->name, i + 1);
    const char *formula = xml->queries[i].formula;
    struct clew_source source = {name, formula, strlen(formula)};
    struct clew_text plain = {0};
    strip(&source, &plain);
    add_formula(texts, clew_text_str(&plain), plain.len, name, NULL);
    clew_text_free(&plain);
  }
}

static void parse_queries(struct clew_front *front, struct uppaal_system *system) {
  uint32_t count = front->request->query_count;
  system->queries = CLEW_NEW_ARRAY(front->arena, struct uppaal_query, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    clew_uppaal_parse_query(front, i, &system->queries[i]);
  }
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* The first of two passes for integer time: it finds out how large the clocks get. */
static void learn(struct clew_front *front, const struct uppaal_system *system,
                  const struct clew_program *program, struct uppaal_lowering *l) {
  struct uppaal_lowering first = {
      .front = front, .system = system, .time = UPPAAL_TIME_DIGITAL, .learns = true};
  first.program = clew_program_open(program->name, program->language);
  clew_uppaal_lower(&first);
  if (clew_front_ok(front)) {
    l->bounds = clew_uppaal_find_bounds(&first);
  }
  clew_uppaal_lower_free(&first);
  clew_program_close(first.program);
}

/* The same rules, with bodies that only say what the constraints on clocks are. */
static struct clew_program *lower_guards(struct clew_front *front,
                                         const struct uppaal_system *system,
                                         const struct clew_program *program) {
  struct uppaal_lowering l = {
      .front = front, .system = system, .time = UPPAAL_TIME_ZONES, .only_guards = true};
  l.program = clew_program_open(program->name, program->language);
  l.program->deadlock = program->deadlock;
  clew_uppaal_lower(&l);
  if (clew_front_ok(front)) {
    (void)clew_uppaal_make_spec(&l); /* which says how large its signals are */
  }
  clew_uppaal_lower_free(&l);
  return l.program;
}

/* Lowers with the time that is asked for. *spec stays NULL unless there are zones. */
static void lower(struct clew_front *front, const struct uppaal_system *system,
                  struct clew_program *program, struct clew_timed_spec **spec) {
  static const enum uppaal_time times[] = {[CLEW_TIME_AUTO] = UPPAAL_TIME_ZONES,
                                           [CLEW_TIME_ZONES] = UPPAAL_TIME_ZONES,
                                           [CLEW_TIME_DIGITAL] = UPPAAL_TIME_DIGITAL,
                                           [CLEW_TIME_NONE] = UPPAAL_TIME_NONE};
  struct uppaal_lowering l = {
      .front = front, .program = program, .system = system, .time = times[front->request->time]};
  if (l.time == UPPAAL_TIME_DIGITAL) {
    learn(front, system, program, &l);
  }
  if (clew_front_ok(front)) {
    clew_uppaal_lower(&l);
  }
  if (clew_front_ok(front) && l.is_timed) {
    *spec = clew_uppaal_make_spec(&l);
    clew_uppaal_warn_of_arrivals(&l);
    if (clew_uppaal_needs_guards(&l)) {
      (*spec)->guards = lower_guards(front, system, program);
    }
  }
  clew_uppaal_lower_free(&l);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static bool is_xml(const struct clew_source *source) {
  const char *at = source->text;
  while (isspace((unsigned char)*at) || strncmp(at, "\xEF\xBB\xBF", 3) == 0) {
    at += isspace((unsigned char)*at) ? 1 : 3;
  }
  return *at == '<';
}

static uint32_t origin(const void *context, uint32_t offset) {
  return clew_uppaal_xml_origin(context, offset);
}

/* After the program: that of the guards is finished, and the clocks get the names of their slots.
 */
static enum clew_status finish_spec(struct clew_program *program, struct clew_timed_spec *spec,
                                    struct clew_diag_sink *diags) {
  struct clew_timed_clock *clocks =
      CLEW_NEW_ARRAY(program->arena, struct clew_timed_clock, spec->clock_count);
  for (uint32_t i = 1; i < spec->clock_count; i++) {
    clocks[i].slot = spec->clocks[i].slot;
    clocks[i].name = program->slots[clocks[i].slot].name;
  }
  spec->clocks = clocks;
  return spec->guards != NULL ? clew_program_finish(spec->guards, diags) : CLEW_OK;
}

/* From the text form on. */
static enum clew_status translate(const struct clew_load_request *request, struct texts *texts,
                                  const struct uppaal_xml *xml, struct clew_diag_sink *diags,
                                  struct clew_program **out, struct clew_timed_spec **spec) {
  struct clew_load_request inner = *request;
  struct clew_front front;
  struct uppaal_system system;
  inner.source = xml->pieces != NULL ? &xml->text : request->source;
  inner.queries = texts->queries.data;
  inner.query_count = texts->queries.len;
  bool old = clew_uppaal_is_old(&inner);
  clew_front_open(&front, &inner, &clew_uppaal_syntax, diags);
  if (xml->pieces != NULL) {
    clew_front_show(&front, request->source, origin, xml);
  }
  struct clew_program *program =
      clew_program_open(request->source->name, clew_language_uppaal.name);
  program->has_locations = true;
  program->deadlock = CLEW_DEADLOCK_NO_SUCCESSOR;
  clew_uppaal_parse(&front, old, &system);
  if (clew_front_notes(&front) && clew_front_ok(&front)) {
    clew_uppaal_note(&front, &system);
  }
  if (clew_front_ok(&front)) {
    parse_queries(&front, &system);
  }
  if (clew_front_ok(&front)) {
    lower(&front, &system, program, spec);
  }
  struct clew_position nowhere = {0};
  for (uint32_t i = 0; i < texts->skipped.len; i++) {
    clew_program_add_unchecked(program, texts->skipped.data[i].formula, texts->skipped.data[i].why,
                               nowhere);
    clew_vec_last(&program->unchecked).is_asked = texts->skipped.data[i].is_asked;
  }
  if (xml->has_lsc) {
    clew_diag_plain(diags, CLEW_WARNING, request->source->name,
                    "the message sequence charts of this file are ignored");
  }
  struct clew_program *guards = *spec != NULL ? (*spec)->guards : NULL;
  enum clew_status status = clew_front_close(&front, program, out);
  if (status == CLEW_OK && *spec != NULL) {
    status = finish_spec(program, *spec, diags);
    if (status != CLEW_OK) {
      clew_program_close(program);
      *out = NULL;
    }
  }
  if (status != CLEW_OK) {
    clew_program_close(guards);
    *spec = NULL;
  }
  return status;
}

enum clew_status clew_uppaal_timed(const struct clew_load_request *request,
                                   struct clew_diag_sink *diags, struct clew_program **out,
                                   struct clew_timed_spec **spec) {
  struct texts texts = {.arena = clew_arena_open()};
  struct uppaal_xml xml = {0};
  enum clew_status status = CLEW_BAD_INPUT;
  *out = NULL;
  *spec = NULL;
  if (!is_xml(request->source) || clew_uppaal_read_xml(request->source, texts.arena, diags, &xml)) {
    collect_queries(&texts, request, &xml);
    status = translate(request, &texts, &xml, diags, out, spec);
  }
  clew_vec_free(&texts.queries);
  clew_vec_free(&texts.skipped);
  clew_arena_close(texts.arena);
  return status;
}

enum clew_status clew_uppaal_program(const struct clew_load_request *request,
                                     struct clew_diag_sink *diags, struct clew_program **out) {
  struct clew_timed_spec *spec;
  enum clew_status status = clew_uppaal_timed(request, diags, out, &spec);
  if (spec != NULL) {
    clew_program_close(spec->guards);
  }
  return status;
}

static enum clew_status load(const struct clew_load_request *request, struct clew_diag_sink *diags,
                             struct clew_model **model) {
  struct clew_program *program;
  struct clew_timed_spec *spec;
  *model = NULL;
  enum clew_status status = clew_uppaal_timed(request, diags, &program, &spec);
  if (status != CLEW_OK) {
    return status;
  }
  if (request->stop != NULL) {
    program->stop = request->stop;
  }
  if (spec == NULL) {
    *model = clew_model_open(program, request->exec, request->symmetry);
    return CLEW_OK;
  }
  if (request->stop != NULL && spec->guards != NULL) {
    spec->guards->stop = request->stop;
  }
  *model = clew_timed_open(program, spec, request->exec, request->symmetry, &request->zones, diags);
  return *model != NULL ? CLEW_OK : CLEW_OVER_LIMIT;
}

static const char *const words[] = {
#define X(name, text, since) text,
    UPPAAL_KEYWORDS(X)
#undef X
        NULL};

static const char *const suffixes[] = {".xml", ".xta", ".ta", NULL};

const struct clew_language clew_language_uppaal = {
    .name = "uppaal",
    .help = "UPPAAL, networks of timed automata (XML and text form)",
    .suffixes = suffixes,
    .words = words,
    .query_suffix = ".q",
    .load = load,
};
