/* Answers about the model, one state, a path, and the states around one. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "explore/explorer_int.h"
#include "explore/seek.h"
#include "report/report.h"
#include "web/story.h"

enum {
  MOST_CHOICES = 200, /* in one answer */
  MOST_STARTS = 200,
  MOST_AROUND = 120, /* states of a picture */
  DEEPEST_AROUND = 6,
};

static void key_string(struct clew_json_writer *w, const char *key, const char *value) {
  clew_json_key(w, key);
  clew_json_string(w, value);
}

static void key_bool(struct clew_json_writer *w, const char *key, bool value) {
  clew_json_key(w, key);
  clew_json_bool(w, value);
}

/* ---- the model ---- */

static void write_starts(struct clew_exchange *answer) {
  const struct clew_model *model = answer->explorer->config.model;
  struct clew_succs succs;
  uint32_t written = 0;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  clew_json_key(&answer->w, "starts");
  clew_json_array_open(&answer->w);
  do {
    clew_succs_clear(&succs);
    model->init(model, &succs);
    for (uint32_t i = 0; i < succs.count && written < MOST_STARTS; i++, written++) {
      clew_json_object_open(&answer->w);
      clew_json_key_u64(&answer->w, "initial", succs.edges[i]);
      clew_answer_key_name(answer, true, NULL, succs.edges[i]);
      clew_json_object_close(&answer->w);
    }
  } while (succs.resume != 0 && written < MOST_STARTS);
  clew_json_array_close(&answer->w);
  clew_succs_close(&succs);
}

void clew_answer_of_model(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  const struct clew_model *model = explorer->config.model;
  struct clew_json_writer *w = &answer->w;
  clew_json_object_open(w);
  key_string(w, "model", model->name);
  key_string(w, "language", model->language);
  key_bool(w, "timed", model->timed != NULL);
  clew_json_key(w, "variables");
  clew_story_variables(model, w);
  write_starts(answer);
  clew_json_key(w, "saved");
  if (explorer->config.saved != NULL) {
    clew_json_u64(w, clew_saved_states(explorer->config.saved));
  } else {
    clew_json_string(w, NULL);
  }
  clew_json_object_close(w);
  clew_json_end(w);
}

/* ---- one state ---- */

static void write_violated(struct clew_exchange *answer, const uint64_t *state, bool stuck) {
  struct clew_explorer *explorer = answer->explorer;
  const struct clew_model *model = explorer->config.model;
  struct clew_text title = {0};
  clew_json_key(&answer->w, "violated");
  clew_json_array_open(&answer->w);
  for (uint32_t i = 0; i < model->property_count; i++) {
    bool is_deadlock = model->properties[i].kind == CLEW_PROPERTY_DEADLOCK && stuck &&
                       clew_bitset_has(explorer->config.enabled, i);
    if (is_deadlock || clew_explorer_violates(explorer, i, state)) {
      clew_text_clear(&title);
      clew_report_property_title(&model->properties[i], &title);
      clew_json_string(&answer->w, clew_text_str(&title));
    }
  }
  clew_json_array_close(&answer->w);
  clew_text_free(&title);
}

/* One thing that can happen: a successor, or a run-time error. */
static void write_choice(struct clew_exchange *answer, uint32_t id, const uint64_t *state,
                         const struct clew_succs *succs, uint32_t next, uint32_t fault) {
  struct clew_json_writer *w = &answer->w;
  const struct clew_model *model = answer->explorer->config.model;
  bool is_fault = fault != CLEW_NONE;
  uint32_t edge = is_fault ? succs->faults[fault].edge : succs->edges[next];
  clew_json_object_open(w);
  clew_json_key_u64(w, "edge", edge);
  clew_answer_key_name(answer, false, state, edge);
  if (is_fault) {
    struct clew_text message = {0};
    clew_site_print(model, succs->faults[fault].site, &message);
    key_string(w, "error", clew_text_str(&message));
    clew_text_free(&message);
  } else {
    const uint64_t *successor = succs->states + (size_t)next * model->words;
    clew_json_key(w, "changes");
    clew_story_changes(model, successor, state, w);
    key_bool(w, "bad", clew_explorer_is_bad(answer->explorer, successor));
    uint32_t child = clew_tree_child(&answer->explorer->tree, id, edge);
    if (child != CLEW_NONE) {
      clew_json_key_u64(w, "node", child);
    }
  }
  clew_json_object_close(w);
}

/* Successors and errors in the order of edges, from the `from`-th on; returns whether it is stuck.
 */
static bool write_choices(struct clew_exchange *answer, uint32_t id, const uint64_t *state,
                          uint64_t from) {
  const struct clew_model *model = answer->explorer->config.model;
  struct clew_succs succs;
  uint64_t place = 0;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  clew_json_key(&answer->w, "choices");
  clew_json_array_open(&answer->w);
  do {
    clew_succs_clear(&succs);
    model->next(model, state, &succs);
    for (uint32_t s = 0, f = 0; s < succs.count || f < succs.fault_count; place++) {
      bool is_fault =
          s == succs.count || (f < succs.fault_count && succs.faults[f].edge < succs.edges[s]);
      if (place >= from && place < from + MOST_CHOICES) {
        write_choice(answer, id, state, &succs, s, is_fault ? f : CLEW_NONE);
      }
      (is_fault ? (void)f++ : (void)s++);
    }
  } while (succs.resume != 0);
  clew_json_array_close(&answer->w);
  clew_json_key_u64(&answer->w, "count", place);
  bool stuck = succs.stuck;
  clew_succs_close(&succs);
  return stuck;
}

static void write_way(struct clew_exchange *answer, uint32_t id) {
  enum { SHOWN = 500 };
  const struct clew_tree *tree = &answer->explorer->tree;
  CLEW_VEC(uint32_t) ids = {0};
  for (uint32_t at = id; at != CLEW_NONE && ids.len < SHOWN; at = clew_tree_parent(tree, at)) {
    clew_vec_push(&ids, at);
  }
  clew_json_key(&answer->w, "way");
  clew_json_array_open(&answer->w);
  for (uint32_t i = ids.len; i-- > 0;) {
    clew_json_object_open(&answer->w);
    clew_json_key_u64(&answer->w, "id", ids.data[i]);
    clew_json_key_u64(&answer->w, "depth", clew_tree_depth(tree, ids.data[i]));
    bool is_start = clew_tree_depth(tree, ids.data[i]) == 0;
    clew_answer_key_name(answer, is_start,
                         is_start ? NULL
                                  : clew_tree_state(tree, clew_tree_parent(tree, ids.data[i])),
                         clew_tree_edge(tree, ids.data[i]));
    clew_json_object_close(&answer->w);
  }
  clew_json_array_close(&answer->w);
  clew_vec_free(&ids);
}

void clew_answer_of_node(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  const struct clew_model *model = explorer->config.model;
  struct clew_json_writer *w = &answer->w;
  uint32_t id = clew_answer_node(answer);
  if (id == CLEW_NONE) {
    return;
  }
  const uint64_t *state = clew_tree_state(&explorer->tree, id);
  uint32_t parent = clew_tree_parent(&explorer->tree, id);
  clew_json_object_open(w);
  clew_json_key_u64(w, "id", id);
  clew_json_key_u64(w, "depth", clew_tree_depth(&explorer->tree, id));
  clew_json_key(w, "state");
  clew_story_changes(model, state, NULL, w);
  if (parent != CLEW_NONE) {
    clew_json_key_u64(w, "parent", parent);
    clew_json_key(w, "before");
    clew_story_changes(model, clew_tree_state(&explorer->tree, parent), NULL, w);
  }
  clew_story_clocks(model, state, w);
  bool stuck = write_choices(answer, id, state, clew_answer_number(answer, "from", UINT32_MAX, 0));
  key_bool(w, "stuck", stuck);
  write_violated(answer, state, stuck);
  write_way(answer, id);
  clew_json_object_close(w);
  clew_json_end(w);
}

void clew_answer_of_path(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  uint32_t id = clew_answer_node(answer);
  if (id == CLEW_NONE) {
    return;
  }
  struct clew_trace trace;
  clew_tree_path(&explorer->tree, id, &trace);
  if (clew_story_write(explorer->config.model, &trace, false, &answer->w)) {
    clew_json_end(&answer->w);
  } else {
    clew_answer_fail(answer, 400, "the walk cannot be replayed");
  }
  clew_trace_free(&trace);
}

/* ---- around a state ---- */

static void write_around(struct clew_exchange *answer, const struct clew_seek *seek) {
  struct clew_json_writer *w = &answer->w;
  const struct clew_model *model = answer->explorer->config.model;
  clew_json_key(w, "nodes");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < seek->nodes.len; i++) {
    const struct clew_seek_node *node = &seek->nodes.data[i];
    const uint64_t *state = seek->states.data + (size_t)i * model->words;
    uint32_t count, *way = clew_seek_way(seek, i, &count);
    clew_json_object_open(w);
    clew_json_key_u64(w, "depth", node->depth);
    key_bool(w, "bad", clew_explorer_is_bad(answer->explorer, state) || node->has_fault);
    key_bool(w, "stuck", node->is_stuck);
    key_bool(w, "open", !node->is_expanded);
    clew_json_key(w, "way");
    clew_json_array_open(w);
    for (uint32_t k = 0; k < count; k++) {
      clew_json_u64(w, way[k]);
    }
    clew_json_array_close(w);
    clew_json_key(w, "changes");
    clew_story_changes(model, state, seek->states.data, w);
    clew_json_object_close(w);
    clew_free(way);
  }
  clew_json_array_close(w);
}

void clew_answer_of_graph(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  struct clew_json_writer *w = &answer->w;
  uint32_t id = clew_answer_node(answer);
  if (id == CLEW_NONE) {
    return;
  }
  struct clew_seek seek;
  struct clew_seek_limits limits = {
      .bytes = explorer->config.memory_bytes,
      .states = MOST_AROUND,
      .depth = (uint32_t)clew_answer_number(answer, "depth", DEEPEST_AROUND, 2),
      .seconds = 2};
  enum clew_seek_end end =
      clew_seek_run(&seek, explorer->config.model, clew_tree_state(&explorer->tree, id), CLEW_NONE,
                    true, true, &limits);
  clew_json_object_open(w);
  write_around(answer, &seek);
  clew_json_key(w, "links");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < seek.links.len; i++) {
    clew_json_object_open(w);
    clew_json_key_u64(w, "from", seek.links.data[i].from);
    clew_json_key_u64(w, "to", seek.links.data[i].to);
    clew_answer_key_name(answer, false, NULL, seek.links.data[i].edge);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
  key_bool(w, "whole", end == CLEW_SEEK_NONE);
  clew_json_object_close(w);
  clew_json_end(w);
  clew_seek_close(&seek);
}
