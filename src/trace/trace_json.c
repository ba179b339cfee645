/* Traces as JSON, and back.
 *
 *   {"clew_trace": 1, "version", "model", "model_hash", "directory", "arguments": ["--param", …],
 *    "language", "property", "kind", "option", "length", "error",
 *    "initial": {"edge", "name", "state": {slot: value, …}}, "because",
 *    "steps": [{"edge", "name", "line", "changes": {slot: value, …}}, …],
 *    "fault": {"edge", "name"}}
 *
 * The keys before `language` are the origin (trace/origin.h), by which a trace is replayed without
 * any other word. `option` is there when the property is a question of the command line, such as
 * --goal. `error` and `fault` are there only when a run-time error ends the trace; `initial` is
 * absent when the model fails before it has a state (then `fault` is the failing start). A value is
 * a number, or a string where the model has a name for it; "undefined" is Murphi's undefined, and
 * null stands for a slot that exists no longer (an element taken from a multiset).
 *
 * The states are there for people and for other programs. Reading uses the edges alone, and their
 * names to be sure that the trace belongs to this model. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "trace/times.h"
#include "trace/trace.h"
#include "trace/trace_int.h"

enum { FORMAT = 1 };
static const char WALK[] = "walk"; /* the kind of a trace that claims nothing */

/* ---- Writing -------------------------------------------------------------------------------- */

static void write_string(struct clew_json_writer *w, const char *key, const char *value) {
  if (value != NULL) {
    clew_json_key(w, key);
    clew_json_string(w, value);
  }
}

static void write_value(struct clew_json_writer *w, const struct clew_slot *slot, int64_t value) {
  assert(slot->domain != NULL);
  if (value == CLEW_UNDEFINED) {
    clew_json_string(w, "undefined");
  } else if (slot->domain->names == NULL && slot->domain->print == NULL) {
    clew_json_i64(w, value);
  } else {
    struct clew_text text = {0};
    clew_domain_print(slot->domain, value, &text);
    clew_json_string(w, clew_text_str(&text));
    clew_text_free(&text);
  }
}

/* An object of the visible slots of `state` that differ from `previous`, all when that is NULL. */
static void write_slots(struct clew_json_writer *w, const struct clew_model *model,
                        const uint64_t *state, const uint64_t *previous) {
  clew_json_object_open(w);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    if (slot->hidden) {
      continue;
    }
    bool was = previous != NULL && clew_slot_present(model, i, previous);
    if (!clew_slot_present(model, i, state)) {
      if (was) {
        clew_json_key(w, slot->name);
        clew_json_string(w, NULL);
      }
      continue;
    }
    int64_t value = clew_slot_get(slot, state);
    if (!was || clew_slot_get(slot, previous) != value) {
      clew_json_key(w, slot->name);
      write_value(w, slot, value);
    }
  }
  clew_json_object_close(w);
}

/* The keys "edge" and "name" of the open object. */
static void write_edge(struct clew_json_writer *w, const struct clew_model *model, bool start,
                       uint32_t edge) {
  assert(edge < (start ? model->initial_count : model->edge_count));
  struct clew_text name = {0};
  (start ? model->print_initial : model->print_edge)(model, edge, &name);
  clew_json_key(w, "edge");
  clew_json_u64(w, edge);
  clew_json_key(w, "name");
  clew_json_string(w, clew_text_str(&name));
  clew_text_free(&name);
}

/* The moment of a step, where it is known. */
static void write_time(struct clew_json_writer *w, const struct clew_times *times,
                       uint32_t moment) {
  if (times->count > 0) {
    struct clew_text text = {0};
    clew_time_print(times, moment, &text);
    clew_json_key(w, "time");
    clew_json_string(w, clew_text_str(&text));
    clew_text_free(&text);
  }
}

static void write_steps(struct clew_json_writer *w, const struct clew_model *model,
                        const struct clew_trace *trace) {
  assert(trace->initial < model->initial_count);
  uint32_t failed_step;
  uint64_t *states = clew_trace_states(model, trace, &failed_step);
  struct clew_times times = {0};
  if (states != NULL) {
    (void)clew_times_find(model, trace, states, false, &times);
  }
  clew_json_key(w, "initial");
  clew_json_object_open(w);
  write_edge(w, model, true, trace->initial);
  write_time(w, &times, 0);
  if (states != NULL) {
    clew_json_key(w, "state");
    write_slots(w, model, states, NULL);
  }
  clew_json_object_close(w);
  if (states != NULL) {
    struct clew_text why = {0};
    clew_trace_explain(model, trace, states + (size_t)trace->edge_count * model->words, &why);
    write_string(w, "because", why.len > 0 ? clew_text_str(&why) : NULL);
    clew_text_free(&why);
  }
  clew_json_key(w, "steps");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < trace->edge_count; i++) {
    clew_json_object_open(w);
    write_edge(w, model, false, trace->edges[i]);
    if (model->rules != NULL) {
      clew_json_key_u64(w, "line", clew_model_edge_line(model, trace->edges[i]));
    }
    write_time(w, &times, i + 1);
    if (states != NULL && model->print_values != NULL) {
      struct clew_text values = {0};
      model->print_values(model, states + (size_t)i * model->words, trace->edges[i], &values);
      write_string(w, "values", clew_text_str(&values));
      clew_text_free(&values);
    }
    if (states != NULL) {
      const uint64_t *previous = states + (size_t)i * model->words;
      clew_json_key(w, "changes");
      write_slots(w, model, previous + model->words, previous);
    }
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
  if (times.count > 0) {
    clew_json_key(w, "end");
    clew_json_object_open(w);
    write_time(w, &times, trace->edge_count + 1);
    clew_json_object_close(w);
  }
  clew_times_free(&times);
  clew_free(states);
  if (clew_trace_is_run(model, trace)) {
    clew_json_key(w, "stay_from");
    clew_json_u64(w, trace->stay_from);
    if (trace->loop_to != CLEW_NONE) {
      clew_json_key(w, "loop_to");
      clew_json_u64(w, trace->loop_to);
    }
  }
}

static void write_origin(struct clew_json_writer *w, const struct clew_trace_origin *origin) {
  write_string(w, "version", origin->version);
  write_string(w, "model_hash", origin->model_hash);
  write_string(w, "directory", origin->directory);
  clew_json_key(w, "arguments");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < origin->argument_count; i++) {
    clew_json_string(w, origin->arguments[i]);
  }
  clew_json_array_close(w);
}

void clew_trace_write(const struct clew_model *model, const struct clew_trace *trace,
                      const struct clew_trace_origin *origin, struct clew_text *out) {
  model = model->reference;
  const struct clew_property *property =
      trace->property != CLEW_NONE ? &model->properties[trace->property] : NULL;
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  clew_json_key(&w, "clew_trace");
  clew_json_u64(&w, FORMAT);
  clew_json_key(&w, "model");
  clew_json_string(&w, model->name);
  if (origin != NULL) {
    write_origin(&w, origin);
  }
  clew_json_key(&w, "language");
  clew_json_string(&w, model->language);
  clew_json_key(&w, "property");
  clew_json_string(&w, property != NULL ? property->name : NULL);
  clew_json_key(&w, "kind");
  clew_json_string(&w, property != NULL ? clew_property_word(property) : WALK);
  if (property != NULL && property->option != NULL) {
    clew_json_key(&w, "option");
    clew_json_string(&w, property->option);
  }
  clew_json_key(&w, "length");
  clew_json_u64(&w, clew_trace_length(trace));
  if (trace->site != CLEW_NONE) {
    struct clew_text message = {0};
    clew_site_print(model, trace->site, &message);
    clew_json_key(&w, "error");
    clew_json_string(&w, clew_text_str(&message));
    clew_text_free(&message);
  }
  if (trace->initial != CLEW_NONE) {
    write_steps(&w, model, trace);
  }
  if (trace->fault_edge != CLEW_NONE) {
    clew_json_key(&w, "fault");
    clew_json_object_open(&w);
    write_edge(&w, model, trace->initial == CLEW_NONE, trace->fault_edge);
    clew_json_object_close(&w);
  }
  clew_json_object_close(&w);
  clew_json_end(&w);
}

/* ---- Reading -------------------------------------------------------------------------------- */

struct reader {
  const struct clew_model *model;
  bool only_steps; /* the property does not matter */
  const char *file;
  struct clew_diag_sink *diags;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reader *reader,
                                                         const char *format, ...) {
  struct clew_text reason = {0};
  va_list args;
  va_start(args, format);
  clew_text_vprintf(&reason, format, args);
  va_end(args);
  clew_diag_plain(reader->diags, CLEW_ERROR, reader->file, "%s", clew_text_str(&reason));
  clew_text_free(&reason);
  return false;
}

/* Whether `read` is what the JSON reader makes of `printed`: the writer turns bytes that are not
 * UTF-8 into the characters of that number. */
static bool same_text(const char *printed, const char *read) {
  struct clew_text expected = {0};
  for (size_t left = strlen(printed); left > 0;) {
    uint32_t code;
    size_t length = clew_text_utf8(printed, left, &code);
    if (length == 0) {
      unsigned char byte = (unsigned char)*printed;
      clew_text_char(&expected, (char)(0xc0 | byte >> 6));
      clew_text_char(&expected, (char)(0x80 | (byte & 0x3f)));
      length = 1;
    } else {
      clew_text_put_n(&expected, printed, length);
    }
    printed += length;
    left -= length;
  }
  bool same = strcmp(clew_text_str(&expected), read) == 0;
  clew_text_free(&expected);
  return same;
}

/* The string under a key, "" when there is none. */
static const char *get_string(const struct clew_json *object, const char *key) {
  const struct clew_json *value = clew_json_get(object, key);
  return value != NULL && value->kind == CLEW_JSON_STRING ? value->string : "";
}

/* Reads {"edge", "name"} and checks them against the model. `where` is for messages. */
static bool read_edge(const struct reader *reader, const struct clew_json *object, bool start,
                      const char *where, uint32_t *edge) {
  const struct clew_model *model = reader->model;
  const struct clew_json *number =
      object != NULL && object->kind == CLEW_JSON_OBJECT ? clew_json_get(object, "edge") : NULL;
  if (number == NULL || number->kind != CLEW_JSON_NUMBER || !number->is_integer) {
    return refuse(reader, "%s has no edge", where);
  }
  uint32_t count = start ? model->initial_count : model->edge_count;
  if (number->integer < 0 || number->integer >= (int64_t)count) {
    return refuse(reader, "%s: the model has no edge %lld", where, (long long)number->integer);
  }
  *edge = (uint32_t)number->integer;
  struct clew_text name = {0};
  (start ? model->print_initial : model->print_edge)(model, *edge, &name);
  const char *read = get_string(object, "name");
  bool same = same_text(clew_text_str(&name), read);
  if (!same) {
    refuse(reader,
           "%s is \"%s\", but edge %u of this model is \"%s\": the trace belongs to another "
           "model (or to other --param values)",
           where, read, *edge, clew_text_str(&name));
  }
  clew_text_free(&name);
  return same;
}

static bool read_property(const struct reader *reader, const struct clew_json *root,
                          struct clew_trace *trace) {
  const char *name = get_string(root, "property"), *kind = get_string(root, "kind");
  if (strcmp(kind, WALK) == 0) {
    return true;
  }
  for (uint32_t i = 0; i < reader->model->property_count; i++) {
    const struct clew_property *property = &reader->model->properties[i];
    if (same_text(property->name, name) && strcmp(clew_property_word(property), kind) == 0) {
      trace->property = i;
      return true;
    }
  }
  const char *option = get_string(root, "option");
  if (option[0] != '\0') {
    return refuse(reader, "it answers a question of the command line: say %s \"%s\" here too",
                  option, name);
  }
  return refuse(reader, "the model has no %s property \"%s\"", kind, name);
}

static bool read_error(const struct reader *reader, const struct clew_json *root,
                       struct clew_trace *trace) {
  if (clew_json_get(root, "error") == NULL) {
    return true;
  }
  const char *error = get_string(root, "error");
  struct clew_text message = {0};
  for (uint32_t i = 0; i < reader->model->site_count && trace->site == CLEW_NONE; i++) {
    clew_text_clear(&message);
    clew_site_print(reader->model, i, &message);
    if (same_text(clew_text_str(&message), error)) {
      trace->site = i;
    }
  }
  clew_text_free(&message);
  return trace->site != CLEW_NONE ||
         refuse(reader, "the model has no run-time error \"%s\"", error);
}

/* The number of a state of the trace; one that is none is noticed when the trace is confirmed. */
static uint32_t read_place(const struct clew_json *root, const char *key, uint32_t otherwise) {
  const struct clew_json *value = clew_json_get(root, key);
  bool fits = value != NULL && value->kind == CLEW_JSON_NUMBER && value->is_integer &&
              value->integer >= 0 && value->integer < CLEW_NONE;
  return fits ? (uint32_t)value->integer : otherwise;
}

static bool read_steps(const struct reader *reader, const struct clew_json *root,
                       struct clew_trace *trace) {
  const struct clew_json *steps = clew_json_get(root, "steps");
  if (steps == NULL || steps->kind != CLEW_JSON_ARRAY) {
    return refuse(reader, "the trace has no steps");
  }
  if (!read_edge(reader, clew_json_get(root, "initial"), true, "the initial state",
                 &trace->initial)) {
    return false;
  }
  trace->edges = clew_realloc_array(NULL, (size_t)steps->count + 1, sizeof *trace->edges);
  trace->edge_count = steps->count;
  struct clew_text where = {0};
  bool ok = true;
  for (uint32_t i = 0; i < steps->count && ok; i++) {
    clew_text_clear(&where);
    clew_text_printf(&where, "step %u", i + 1);
    ok = read_edge(reader, &steps->items[i], false, clew_text_str(&where), &trace->edges[i]);
  }
  clew_text_free(&where);
  trace->stay_from = read_place(root, "stay_from", 0);
  trace->loop_to = read_place(root, "loop_to", CLEW_NONE);
  return ok;
}

static bool read_trace(const struct reader *reader, const struct clew_json *root,
                       struct clew_trace *trace) {
  const struct clew_json *format =
      root->kind == CLEW_JSON_OBJECT ? clew_json_get(root, "clew_trace") : NULL;
  if (format == NULL || format->kind != CLEW_JSON_NUMBER || !format->is_integer) {
    return refuse(reader, "this is not a trace saved by clew");
  }
  if (format->integer != FORMAT) {
    return refuse(reader, "the trace is in format %lld, this clew reads format %d",
                  (long long)format->integer, FORMAT);
  }
  if (strcmp(get_string(root, "language"), reader->model->language) != 0) {
    return refuse(reader, "the trace belongs to a model in another language");
  }
  if (reader->only_steps) {
    return read_steps(reader, root, trace);
  }
  if (!read_property(reader, root, trace) || !read_error(reader, root, trace)) {
    return false;
  }
  const struct clew_json *fault = clew_json_get(root, "fault");
  bool failed_start = fault != NULL && clew_json_get(root, "initial") == NULL;
  if (!failed_start && !read_steps(reader, root, trace)) {
    return false;
  }
  return fault == NULL ||
         read_edge(reader, fault, failed_start, "the failing step", &trace->fault_edge);
}

static enum clew_status read_text(const struct clew_model *model, bool only_steps, const char *file,
                                  const char *text, size_t length, struct clew_trace *trace,
                                  struct clew_diag_sink *diags) {
  assert(file != NULL && text != NULL);
  struct clew_arena *arena = clew_arena_open();
  size_t error_offset = 0;
  const char *error = NULL;
  const struct clew_json *root = clew_json_parse(arena, text, length, &error_offset, &error);
  *trace = (struct clew_trace){.initial = CLEW_NONE,
                               .property = CLEW_NONE,
                               .fault_edge = CLEW_NONE,
                               .site = CLEW_NONE,
                               .loop_to = CLEW_NONE};
  bool ok = root != NULL;
  if (!ok) {
    struct clew_source source = {.name = file, .text = text, .length = length};
    clew_diag_at(diags, CLEW_ERROR, &source, error_offset, 1, "%s", error);
  } else {
    struct reader reader = {
        .model = model->reference, .only_steps = only_steps, .file = file, .diags = diags};
    ok = read_trace(&reader, root, trace);
  }
  clew_arena_close(arena);
  if (!ok) {
    clew_trace_free(trace);
  }
  return ok ? CLEW_OK : CLEW_BAD_INPUT;
}

enum clew_status clew_trace_read(const struct clew_model *model, const char *file, const char *text,
                                 size_t length, struct clew_trace *trace,
                                 struct clew_diag_sink *diags) {
  return read_text(model, false, file, text, length, trace, diags);
}

enum clew_status clew_trace_read_steps(const struct clew_model *model, const char *file,
                                       const char *text, size_t length, struct clew_trace *trace,
                                       struct clew_diag_sink *diags) {
  return read_text(model, true, file, text, length, trace, diags);
}
