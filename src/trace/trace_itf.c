/* Traces in ITF, the Informal Trace Format of Apalache:
 *
 *   {"#meta": {…}, "vars": [names], "states": [{"#meta": {"index": 0}, name: value, …}, …],
 *    "loop": n}
 *
 * A variable is a slot of the model. Integers are {"#bigint": "3"}, names of enumerations are
 * strings, true and false are themselves. A slot that does not exist in a state, or has no value
 * there, is
 * {"#unserializable": "absent"}, or "undefined". */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "trace/trace.h"

static void put_special(struct clew_json_writer *w, const char *key, const char *value) {
  clew_json_object_open(w);
  clew_json_key(w, key);
  clew_json_string(w, value);
  clew_json_object_close(w);
}

static void put_value(struct clew_json_writer *w, const struct clew_model *model, uint32_t i,
                      const uint64_t *state) {
  const struct clew_slot *slot = &model->slots[i];
  int64_t value = clew_slot_get(slot, state);
  struct clew_text text = {0};
  clew_domain_print(slot->domain, value, &text);
  const char *word = clew_text_str(&text);
  if (!clew_slot_present(model, i, state)) {
    put_special(w, "#unserializable", "absent");
  } else if (value == CLEW_UNDEFINED) {
    put_special(w, "#unserializable", "undefined");
  } else if (slot->domain->names == NULL && slot->domain->print == NULL) {
    put_special(w, "#bigint", word);
  } else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
    clew_json_bool(w, word[0] == 't');
  } else {
    clew_json_string(w, word);
  }
  clew_text_free(&text);
}

static void put_state(struct clew_json_writer *w, const struct clew_model *model,
                      const struct clew_trace *trace, uint32_t index, const uint64_t *state) {
  struct clew_text name = {0};
  if (index == 0) {
    model->print_initial(model, trace->initial, &name);
  } else {
    model->print_edge(model, trace->edges[index - 1], &name);
  }
  clew_json_object_open(w);
  clew_json_key(w, "#meta");
  clew_json_object_open(w);
  clew_json_key_u64(w, "index", index);
  clew_json_key(w, "action");
  clew_json_string(w, clew_text_str(&name));
  clew_json_object_close(w);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (!model->slots[i].hidden) {
      clew_json_key(w, model->slots[i].name);
      put_value(w, model, i, state);
    }
  }
  clew_json_object_close(w);
  clew_text_free(&name);
}

static void put_meta(struct clew_json_writer *w, const struct clew_model *model,
                     const struct clew_trace *trace) {
  clew_json_key(w, "#meta");
  clew_json_object_open(w);
  clew_json_key(w, "format");
  clew_json_string(w, "ITF");
  clew_json_key(w, "format-description");
  clew_json_string(w, "https://apalache-mc.org/docs/adr/015adr-trace.html");
  clew_json_key(w, "source");
  clew_json_string(w, model->name);
  clew_json_key(w, "status");
  clew_json_string(w, "violation");
  clew_json_key(w, "description");
  clew_json_string(w, model->properties[trace->property].name);
  clew_json_object_close(w);
}

bool clew_trace_write_itf(const struct clew_model *model, const struct clew_trace *trace,
                          struct clew_text *out) {
  model = model->reference;
  uint32_t failed_step;
  uint64_t *states =
      trace->initial != CLEW_NONE ? clew_trace_states(model, trace, &failed_step) : NULL;
  if (states == NULL) {
    return false; /* a start that fails leads to no state */
  }
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  put_meta(&w, model, trace);
  clew_json_key(&w, "vars");
  clew_json_array_open(&w);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (!model->slots[i].hidden) {
      clew_json_string(&w, model->slots[i].name);
    }
  }
  clew_json_array_close(&w);
  clew_json_key(&w, "states");
  clew_json_array_open(&w);
  for (uint32_t i = 0; i <= trace->edge_count; i++) {
    put_state(&w, model, trace, i, states + (size_t)i * model->words);
  }
  clew_json_array_close(&w);
  bool loops = model->properties[trace->property].kind == CLEW_PROPERTY_PROGRESS &&
               trace->loop_to != CLEW_NONE;
  if (loops) {
    clew_json_key_u64(&w, "loop", trace->loop_to);
  }
  clew_json_object_close(&w);
  clew_json_end(&w);
  clew_free(states);
  return true;
}
