/* The services of a front end: texts and positions, messages, and what goes with queries. */
#include "lang/front.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

/* ---- Opening and closing -------------------------------------------------------------------- */

/* Positions are asked for by the thousand, so lines are found by bisection instead of by
 * clew_source_position. */
static void find_lines(struct clew_front *front, struct clew_front_text *text) {
  uint32_t count = 1;
  const char *first = text->shown->text, *end = first + text->shown->length;
  for (const char *at = first; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    count++;
  }
  text->line_starts = CLEW_NEW_ARRAY(front->arena, uint32_t, count);
  text->line_count = 1;
  for (const char *at = first; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    text->line_starts[text->line_count++] = (uint32_t)(at + 1 - first);
  }
  assert(text->line_count == count);
}

static void add_text(struct clew_front *front, const struct clew_source *source,
                     const char *end_name) {
  struct clew_front_text *text = &front->texts[front->text_count];
  *text = (struct clew_front_text){.source = source, .shown = source, .end_name = end_name};
  if (front->text_count > 0) {
    /* The end of a text is an offset of its own: something may be missing there. */
    text->base = text[-1].base + (uint32_t)text[-1].source->length + 1;
  }
  front->text_count++;
  find_lines(front, text);
}

void clew_front_open(struct clew_front *front, const struct clew_load_request *request,
                     const struct clew_syntax *syntax, struct clew_diag_sink *diags) {
  *front = (struct clew_front){.request = request,
                               .syntax = syntax,
                               .diags = diags,
                               .errors_before = diags->error_count,
                               .arena = clew_arena_open()};
  front->names = (struct clew_name_table){.arena = front->arena, .name_bytes = syntax->name_bytes};
  front->texts = CLEW_NEW_ARRAY(front->arena, struct clew_front_text, request->query_count + 1);
  add_text(front, request->source, "the end of the file");
  for (uint32_t i = 0; i < request->query_count; i++) {
    add_text(front, &request->queries[i].source, "the end of the expression");
  }
}

void clew_front_show(struct clew_front *front, const struct clew_source *file,
                     clew_front_origin *origin, const void *context) {
  struct clew_front_text *text = &front->texts[0];
  text->shown = file;
  text->origin = origin;
  text->context = context;
  find_lines(front, text);
}

enum clew_status clew_front_close(struct clew_front *front, struct clew_program *program,
                                  struct clew_program **out) {
  enum clew_status status = CLEW_BAD_INPUT;
  if (clew_front_ok(front)) {
    status = clew_program_finish(program, front->diags);
  }
  clew_arena_close(front->arena);
  front->arena = NULL;
  if (status != CLEW_OK) {
    clew_program_close(program);
    program = NULL;
  }
  *out = program;
  return status;
}

enum clew_status clew_front_load(clew_front_translate *translate,
                                 const struct clew_load_request *request,
                                 struct clew_diag_sink *diags, struct clew_model **model) {
  struct clew_program *program = NULL;
  enum clew_status status = translate(request, diags, &program);
  assert((status == CLEW_OK) == (program != NULL));
  if (program != NULL && request->stop != NULL) {
    program->stop = request->stop;
  }
  *model = program == NULL ? NULL : clew_model_open(program, request->exec, request->symmetry);
  return status;
}

bool clew_front_ok(const struct clew_front *front) {
  return front->diags->error_count == front->errors_before;
}

/* ---- Texts ---------------------------------------------------------------------------------- */

const struct clew_front_text *clew_front_text_of(const struct clew_front *front,
                                                 struct clew_span span) {
  uint32_t i = front->text_count - 1;
  while (front->texts[i].base > span.offset) {
    i--;
  }
  return &front->texts[i];
}

/* The offset in what is shown. */
static uint32_t shown_offset(const struct clew_front_text *text, struct clew_span span) {
  uint32_t offset = span.offset - text->base;
  return text->origin != NULL ? text->origin(text->context, offset) : offset;
}

struct clew_position clew_front_position(const struct clew_front *front, struct clew_span span) {
  const struct clew_front_text *text = clew_front_text_of(front, span);
  assert(text->line_count > 0 && text->line_starts[0] == 0);
  uint32_t offset = shown_offset(text, span);
  uint32_t low = 0, high = text->line_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (text->line_starts[middle] <= offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (struct clew_position){low + 1, offset - text->line_starts[low] + 1};
}

struct clew_position clew_front_model_position(const struct clew_front *front,
                                               struct clew_span span) {
  bool in_model = clew_front_text_of(front, span) == front->texts;
  return in_model ? clew_front_position(front, span) : (struct clew_position){0};
}

const char *clew_front_where(struct clew_front *front, struct clew_span span) {
  uint32_t line = clew_front_model_position(front, span).line;
  return line > 0 ? clew_arena_printf(front->arena, "line %u", line)
                  : clew_front_text_of(front, span)->source->name;
}

static const char *one_line(struct clew_front *front, struct clew_span span, size_t limit) {
  const struct clew_front_text *text = clew_front_text_of(front, span);
  assert(span.offset - text->base + span.length <= text->source->length);
  struct clew_text out = {0};
  const char *at = text->source->text + (span.offset - text->base), *end = at + span.length;
  while (at < end && out.len < limit) {
    size_t blank = clew_lex_blank(front->syntax->style, at, end);
    if (blank > 0) {
      clew_text_char(&out, ' ');
      at += blank;
      continue;
    }
    uint32_t code;
    size_t length = clew_text_utf8(at, (size_t)(end - at), &code);
    length = length > 0 ? length : 1;
    clew_text_put_n(&out, at, length);
    at += length;
  }
  if (at < end) {
    clew_text_put(&out, "...");
  }
  const char *copy = clew_arena_strndup(front->arena, clew_text_str(&out), out.len);
  clew_text_free(&out);
  return copy;
}

const char *clew_front_excerpt(struct clew_front *front, struct clew_span span) {
  enum { LIMIT = 60 };
  return one_line(front, span, LIMIT);
}

const char *clew_front_one_line(struct clew_front *front, struct clew_span span) {
  return one_line(front, span, SIZE_MAX);
}

/* ---- Messages ------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 0))) static void put_message(struct clew_front *front,
                                                              enum clew_severity severity,
                                                              struct clew_span span,
                                                              const char *format, va_list args) {
  const struct clew_front_text *text = clew_front_text_of(front, span);
  clew_diag_vat(front->diags, severity, text->shown, shown_offset(text, span), span.length, format,
                args);
}

void clew_front_verror(struct clew_front *front, struct clew_span span, const char *format,
                       va_list args) {
  put_message(front, CLEW_ERROR, span, format, args);
}

void clew_front_error(struct clew_front *front, struct clew_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put_message(front, CLEW_ERROR, span, format, args);
  va_end(args);
}

void clew_front_warn(struct clew_front *front, struct clew_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put_message(front, CLEW_WARNING, span, format, args);
  va_end(args);
}

void clew_front_error_whole(struct clew_front *front, const char *format, ...) {
  struct clew_text message = {0};
  va_list args;
  va_start(args, format);
  clew_text_vprintf(&message, format, args);
  va_end(args);
  clew_diag_plain(front->diags, CLEW_ERROR, front->request->source->name, "%s",
                  clew_text_str(&message));
  clew_text_free(&message);
}

void clew_front_warn_whole(struct clew_front *front, const char *message) {
  clew_diag_plain(front->diags, CLEW_WARNING, front->request->source->name, "%s", message);
}

bool clew_front_wants_nearest(const struct clew_front *front, const struct clew_name *name) {
  enum { ENOUGH = 100 }; /* nobody reads the messages after so many */
  return !name->reported && front->diags->error_count < ENOUGH;
}

void clew_front_unknown(struct clew_front *front, struct clew_name *name, struct clew_span span,
                        const char *what, const char *of, const char *nearest) {
  if (name->reported) {
    return;
  }
  name->reported = true;
  const struct clew_habit *habit =
      clew_habit_word(front->syntax->style, name->text, strlen(name->text));
  if (habit != NULL) {
    clew_front_error(front, span, "unknown %s '%s'%s: %s", what, name->text, of, habit->hint);
  } else if (nearest != NULL) {
    clew_front_error(front, span, "unknown %s '%s'%s; did you mean '%s'?", what, name->text, of,
                     nearest);
  } else {
    clew_front_error(front, span, "unknown %s '%s'%s", what, name->text, of);
  }
}

/* ---- Names, for editors --------------------------------------------------------------------- */

/* The place of a span in the file, if that has the same bytes there: those of a text that was made
 * need not. */
static bool find_place(const struct clew_front *front, struct clew_span span, uint32_t *offset) {
  const struct clew_front_text *text = &front->texts[0];
  if (clew_front_text_of(front, span) != text || span.length == 0 ||
      span.offset + span.length > text->source->length) {
    return false;
  }
  *offset = shown_offset(text, span);
  return (size_t)*offset + span.length <= text->shown->length &&
         memcmp(text->shown->text + *offset, text->source->text + span.offset, span.length) == 0;
}

static void define(struct clew_front *front, struct clew_span span, struct clew_symbol symbol) {
  if (clew_front_notes(front) && find_place(front, span, &symbol.offset)) {
    symbol.length = span.length;
    clew_symbols_define(front->request->symbols, &symbol);
  }
}

void clew_front_define(struct clew_front *front, struct clew_span span, enum clew_symbol_kind kind,
                       const char *name, const char *detail, const struct clew_span *within) {
  uint32_t container = UINT32_MAX;
  if (within != NULL && !find_place(front, *within, &container)) {
    container = UINT32_MAX;
  }
  define(
      front, span,
      (struct clew_symbol){.kind = kind, .name = name, .detail = detail, .container = container});
}

void clew_front_define_local(struct clew_front *front, struct clew_span span,
                             enum clew_symbol_kind kind, const char *name, const char *detail) {
  define(
      front, span,
      (struct clew_symbol){
          .kind = kind, .name = name, .detail = detail, .container = UINT32_MAX, .is_local = true});
}

void clew_front_remark(struct clew_front *front, struct clew_span declared, const char *format,
                       ...) {
  uint32_t offset;
  if (!clew_front_notes(front) || !find_place(front, declared, &offset)) {
    return;
  }
  struct clew_text text = {0};
  va_list args;
  va_start(args, format);
  clew_text_vprintf(&text, format, args);
  va_end(args);
  clew_symbols_remark(front->request->symbols, offset, clew_text_str(&text));
  clew_text_free(&text);
}

void clew_front_use(struct clew_front *front, struct clew_span here, struct clew_span declared) {
  struct clew_symbol_use use = {.length = here.length};
  if (clew_front_notes(front) && find_place(front, here, &use.offset) &&
      find_place(front, declared, &use.target)) {
    clew_symbols_use(front->request->symbols, use);
  }
}

/* ---- For lowering --------------------------------------------------------------------------- */

uint32_t clew_front_vsite(struct clew_front *front, struct clew_program *program,
                          enum clew_site_kind kind, struct clew_span span, const char *format,
                          va_list args) {
  struct clew_text message = {0};
  clew_text_vprintf(&message, format, args);
  const struct clew_front_text *text = clew_front_text_of(front, span);
  if (text != front->texts) {
    struct clew_position position = clew_front_position(front, span);
    clew_text_printf(&message, " (%s, line %u, column %u)", text->source->name, position.line,
                     position.column);
  }
  uint32_t site = clew_program_add_site(program, kind, clew_front_model_position(front, span), "%s",
                                        clew_text_str(&message));
  clew_text_free(&message);
  return site;
}

/* The expression as the user wrote it, without blanks around it. */
static const char *query_name(struct clew_front *front, struct clew_program *program,
                              uint32_t query) {
  const struct clew_front_text *text = &front->texts[query + 1];
  struct clew_span all = {text->base, (uint32_t)text->source->length};
  const char *line = clew_front_one_line(front, all);
  line += line[0] == ' ';
  size_t length = strlen(line);
  length -= length > 0 && line[length - 1] == ' ';
  return clew_arena_strndup(program->arena, line, length);
}

void clew_front_add_query(struct clew_front *front, struct clew_program *program, uint32_t query,
                          struct clew_frame *frame, const struct clew_expr *value) {
  assert(query < front->request->query_count && value->lo >= 0 && value->hi <= 1);
  enum clew_query_kind kind = front->request->queries[query].kind;
  assert(kind != CLEW_QUERY_NONE);
  struct clew_position nowhere = {0};
  if (clew_query_seeks(kind)) {
    value = clew_expr_unary(program, CLEW_OP_NOT, value, CLEW_NONE);
  }
  const char *name = query_name(front, program, query);
  uint32_t label = clew_program_add_label(program, name, nowhere, frame, value);
  clew_program_add_property(program, CLEW_PROPERTY_INVARIANT, name, nowhere, label, false);
  clew_vec_last(&program->properties).query = kind;
  clew_vec_last(&program->properties).option = front->request->queries[query].option;
}
