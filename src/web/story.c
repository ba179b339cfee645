/* A counterexample as data: the states are computed again by the reference, as everywhere. */
#include "web/story.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/times.h"
#include "web/lifelines.h"

void clew_story_variables(const struct clew_model *model, struct clew_json_writer *w) {
  clew_json_array_open(w);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    clew_json_string(w, model->slots[i].hidden ? NULL : model->slots[i].name);
  }
  clew_json_array_close(w);
}

static void write_value(struct clew_json_writer *w, const struct clew_slot *slot, int64_t value) {
  struct clew_text text = {0};
  if (value == CLEW_UNDEFINED) {
    clew_text_put(&text, "undefined");
  } else {
    clew_domain_print(slot->domain, value, &text);
  }
  clew_json_string(w, clew_text_str(&text));
  clew_text_free(&text);
}

void clew_story_changes(const struct clew_model *model, const uint64_t *state,
                        const uint64_t *previous, struct clew_json_writer *w) {
  clew_json_array_open(w);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    if (slot->hidden) {
      continue;
    }
    bool was = previous != NULL && clew_slot_present(model, i, previous);
    bool is = clew_slot_present(model, i, state);
    int64_t value = is ? clew_slot_get(slot, state) : 0;
    if (was == is && (!is || clew_slot_get(slot, previous) == value)) {
      continue;
    }
    clew_json_array_open(w);
    clew_json_u64(w, i);
    if (is) {
      write_value(w, slot, value);
    } else {
      clew_json_string(w, NULL);
    }
    clew_json_array_close(w);
  }
  clew_json_array_close(w);
}

void clew_story_clocks(const struct clew_model *model, const uint64_t *state,
                       struct clew_json_writer *w) {
  struct clew_text text = {0};
  clew_clocks_print(model, state, &text);
  if (text.len > 0) {
    const char *line = clew_text_str(&text);
    line += strspn(line, " ");
    char *copy = clew_strndup(line, strcspn(line, "\n"));
    clew_json_key(w, "clocks");
    clew_json_string(w, copy);
    clew_free(copy);
  }
  clew_text_free(&text);
}

/* `state` is the one before; NULL: the edge is a start. */
static void write_name(struct clew_json_writer *w, const struct clew_model *model,
                       const uint64_t *state, uint32_t edge) {
  struct clew_text name = {0};
  if (state == NULL) {
    model->print_initial(model, edge, &name);
  } else {
    clew_model_print_step(model, state, edge, &name);
  }
  clew_json_key(w, "name");
  clew_json_string(w, clew_text_str(&name));
  clew_text_free(&name);
}

static void write_time(struct clew_json_writer *w, const char *key, const struct clew_times *times,
                       uint32_t moment) {
  if (times->count > moment) {
    struct clew_text text = {0};
    clew_time_print(times, moment, &text);
    clew_json_key(w, key);
    clew_json_string(w, clew_text_str(&text));
    clew_text_free(&text);
  }
}

static void write_steps(struct clew_json_writer *w, const struct clew_walk *walk, uint32_t initial,
                        const struct clew_times *times, uint32_t shown) {
  const struct clew_model *model = walk->model;
  clew_json_key(w, "steps");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < shown; i++) {
    const uint64_t *state = walk->states + (size_t)i * model->words;
    clew_json_object_open(w);
    write_name(w, model, i == 0 ? NULL : state - model->words,
               i == 0 ? initial : walk->edges[i - 1]);
    uint32_t line = i == 0 ? 0 : clew_model_edge_line(model, walk->edges[i - 1]);
    if (line > 0) {
      clew_json_key_u64(w, "line", line);
    }
    write_time(w, "time", times, i);
    clew_json_key(w, "changes");
    clew_story_changes(model, state, i == 0 ? NULL : state - model->words, w);
    clew_story_clocks(model, state, w);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

/* With which values the violation comes about. */
static void write_reason(struct clew_json_writer *w, const struct clew_model *model,
                         const struct clew_trace *trace, const uint64_t *last) {
  struct clew_text why = {0};
  clew_trace_explain(model, trace, last, &why);
  if (why.len > 0) {
    clew_json_key(w, "because");
    clew_json_string(w, clew_text_str(&why));
  }
  clew_text_free(&why);
}

/* What comes after the last state. */
static void write_end(struct clew_json_writer *w, const struct clew_model *model,
                      const struct clew_trace *trace, const uint64_t *last,
                      const struct clew_times *times) {
  if (trace->site < model->site_count) {
    struct clew_text message = {0};
    clew_site_print(model, trace->site, &message);
    clew_json_key(w, "error");
    clew_json_object_open(w);
    if (trace->fault_edge != CLEW_NONE) {
      write_name(w, model, trace->initial == CLEW_NONE ? NULL : last, trace->fault_edge);
    }
    clew_json_key(w, "text");
    clew_json_string(w, clew_text_str(&message));
    clew_json_object_close(w);
    clew_text_free(&message);
  } else if (clew_trace_is_run(model, trace)) {
    if (trace->stay_from != CLEW_NONE) {
      clew_json_key_u64(w, "stay_from", trace->stay_from);
    }
    if (trace->loop_to != CLEW_NONE) {
      clew_json_key_u64(w, "loop_to", trace->loop_to);
    } else {
      clew_json_key(w, "rests");
      clew_json_bool(w, true);
    }
  }
  if (times->count > trace->edge_count + 1 &&
      times->values[trace->edge_count + 1] > times->values[trace->edge_count]) {
    write_time(w, "wait", times, trace->edge_count + 1);
  }
}

static void write_path(struct clew_json_writer *w, const struct clew_model *model,
                       const struct clew_trace *trace, const uint64_t *states, bool latest) {
  struct clew_walk walk = {
      .model = model, .edges = trace->edges, .states = states, .count = trace->edge_count + 1};
  uint32_t shown = walk.count < CLEW_STORY_MOST_STEPS ? walk.count : CLEW_STORY_MOST_STEPS;
  struct clew_times times = {0};
  (void)clew_times_find(model, trace, states, latest, &times);
  write_steps(w, &walk, trace->initial, &times, shown);
  clew_json_key_u64(w, "left_out", walk.count - shown);
  struct clew_casts casts;
  clew_casts_find(model, &casts);
  clew_json_key(w, "charts");
  clew_casts_write(&casts, &walk, CLEW_STORY_MOST_CHART_STEPS, w);
  clew_casts_free(&casts);
  const uint64_t *last = states + (size_t)trace->edge_count * model->words;
  write_end(w, model, trace, last, &times);
  write_reason(w, model, trace, last);
  clew_times_free(&times);
}

bool clew_story_write(const struct clew_model *model, const struct clew_trace *trace, bool latest,
                      struct clew_json_writer *w) {
  model = model->reference;
  uint32_t failed_step;
  uint64_t *states =
      trace->initial != CLEW_NONE ? clew_trace_states(model, trace, &failed_step) : NULL;
  if (states == NULL && trace->initial != CLEW_NONE) {
    return false;
  }
  clew_json_object_open(w);
  clew_json_key(w, "variables");
  clew_story_variables(model, w);
  clew_json_key(w, "timed");
  clew_json_bool(w, model->timed != NULL);
  if (states != NULL) {
    write_path(w, model, trace, states, latest);
  } else { /* the model fails before it has a state */
    clew_json_key(w, "steps");
    clew_json_array_open(w);
    clew_json_array_close(w);
    write_end(w, model, trace, NULL, &(struct clew_times){0});
    write_reason(w, model, trace, NULL);
  }
  clew_json_object_close(w);
  clew_free(states);
  return true;
}
