/* Answers about states that are looked for: from where the walk is, and among saved ones. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "explore/explorer_int.h"
#include "explore/seek.h"

enum {
  MOST_SEEK_STATES = 5000000,
  MOST_SECONDS = 60,
  MOST_EXPRESSION_BYTES = 4096,
};

/* The model in which the expression of the body is the last property; NULL, and an error. */
static struct clew_model *ask(struct clew_exchange *answer, bool of_saved) {
  const struct clew_explorer_config *config = &answer->explorer->config;
  if (answer->request->body_length > MOST_EXPRESSION_BYTES) {
    clew_answer_fail(answer, 400, "the expression is too long");
    return NULL;
  }
  struct clew_diag_sink diags = {0};
  struct clew_model *question =
      config->ask(config->context, answer->request->body, of_saved, &diags);
  if (question == NULL) {
    clew_answer_fail_diags(answer, 400, &diags);
  }
  clew_diag_sink_free(&diags);
  return question;
}

/* Of the last goal: an invariant that is false where the goal is reached. */
static uint32_t goal_label(const struct clew_model *question) {
  uint32_t last = question->property_count;
  do {
    assert(last > 0);
    last--;
  } while (question->properties[last].query != CLEW_QUERY_GOAL);
  assert(question->properties[last].kind == CLEW_PROPERTY_INVARIANT);
  return question->properties[last].label;
}

/* ---- from here ---- */

/* The state of the walk in the other model, in which clocks may be forgotten differently. NULL when
 * the walk is none of that model. */
static uint64_t *same_state(const struct clew_explorer *explorer, uint32_t id,
                            const struct clew_model *question) {
  struct clew_trace trace;
  uint32_t failed_step;
  clew_tree_path(&explorer->tree, id, &trace);
  uint64_t *states = clew_trace_states(question, &trace, &failed_step), *last = NULL;
  if (states != NULL) {
    last = clew_alloc(question->words * sizeof *last);
    memcpy(last, states + (size_t)trace.edge_count * question->words,
           question->words * sizeof *last);
  }
  clew_free(states);
  clew_trace_free(&trace);
  return last;
}

static void write_outcome(struct clew_exchange *answer, enum clew_seek_end end,
                          const struct clew_seek *seek) {
  static const char *const words[] = {[CLEW_SEEK_FOUND] = "found",
                                      [CLEW_SEEK_NONE] = "none",
                                      [CLEW_SEEK_LIMIT] = "limit",
                                      [CLEW_SEEK_TIME] = "time",
                                      [CLEW_SEEK_FAULT] = "fault"};
  clew_json_object_open(&answer->w);
  clew_json_key(&answer->w, "end");
  clew_json_string(&answer->w, words[end]);
  clew_json_key_u64(&answer->w, "states", seek->nodes.len);
}

/* Goes along the way that was found. */
static void follow(struct clew_exchange *answer, uint32_t id, const struct clew_seek *seek) {
  struct clew_tree *tree = &answer->explorer->tree;
  uint32_t count, *way = clew_seek_way(seek, seek->found, &count), site = CLEW_NONE;
  enum clew_tree_answer result = CLEW_TREE_OK;
  for (uint32_t i = 0; i < count && result == CLEW_TREE_OK; i++) {
    uint32_t next;
    result = clew_tree_step(tree, id, way[i], &next, &site);
    id = result == CLEW_TREE_OK ? next : id;
  }
  clew_free(way);
  if (result != CLEW_TREE_OK) {
    clew_answer_tree(answer, result, id, site);
    return;
  }
  write_outcome(answer, CLEW_SEEK_FOUND, seek);
  clew_json_key_u64(&answer->w, "id", id);
  clew_json_key_u64(&answer->w, "steps", count);
  clew_json_object_close(&answer->w);
  clew_json_end(&answer->w);
}

static void seek_in(struct clew_exchange *answer, uint32_t id, const struct clew_model *question) {
  struct clew_explorer *explorer = answer->explorer;
  uint64_t *from = same_state(explorer, id, question);
  if (from == NULL) {
    clew_answer_fail(answer, 400, "the question changes the model");
    return;
  }
  struct clew_seek_limits limits = {
      .bytes = explorer->config.memory_bytes,
      .states = MOST_SEEK_STATES,
      .depth = UINT32_MAX,
      .seconds = (double)clew_answer_number(answer, "seconds", MOST_SECONDS, 10)};
  struct clew_seek seek;
  enum clew_seek_end end =
      clew_seek_run(&seek, question, from, goal_label(question), false, false, &limits);
  if (end == CLEW_SEEK_FOUND) {
    follow(answer, id, &seek);
  } else {
    write_outcome(answer, end, &seek);
    if (end == CLEW_SEEK_FAULT) {
      struct clew_text message = {0};
      clew_site_print(question, seek.site, &message);
      clew_json_key(&answer->w, "text");
      clew_json_string(&answer->w, clew_text_str(&message));
      clew_text_free(&message);
    }
    clew_json_object_close(&answer->w);
    clew_json_end(&answer->w);
  }
  clew_seek_close(&seek);
  clew_free(from);
}

void clew_answer_of_seek(struct clew_exchange *answer) {
  uint32_t id = clew_answer_node(answer);
  struct clew_model *question = id != CLEW_NONE ? ask(answer, false) : NULL;
  if (question != NULL) {
    seek_in(answer, id, question);
    question->close(question);
  }
}

/* ---- among saved states ---- */

/* Makes the saved state a node. */
static void go_to_saved(struct clew_exchange *answer, clew_id saved_id, uint32_t *id,
                        enum clew_tree_answer *result) {
  struct clew_explorer *explorer = answer->explorer;
  struct clew_diag_sink diags = {0};
  struct clew_trace trace;
  *id = CLEW_NONE;
  if (clew_saved_path(explorer->config.saved, saved_id, &trace, &diags) != CLEW_OK) {
    clew_answer_fail_diags(answer, 400, &diags);
  } else {
    *result = clew_tree_follow(&explorer->tree, &trace, id);
    if (*result != CLEW_TREE_OK) {
      clew_answer_tree(answer, *result, *id, CLEW_NONE);
      *id = CLEW_NONE;
    }
  }
  clew_trace_free(&trace);
  clew_diag_sink_free(&diags);
}

void clew_answer_of_saved(struct clew_exchange *answer) {
  enum clew_tree_answer result = CLEW_TREE_OK;
  uint32_t id;
  if (answer->explorer->config.saved == NULL) {
    clew_answer_fail(answer, 400, "there is no saved search: say --checkpoint DIR");
    return;
  }
  go_to_saved(answer, clew_answer_number(answer, "id", CLEW_ID_LIMIT - 1, CLEW_ID_LIMIT - 1), &id,
              &result);
  if (id != CLEW_NONE) {
    clew_answer_tree(answer, CLEW_TREE_OK, id, CLEW_NONE);
  }
}

static bool begin_scan(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  struct clew_model *question = ask(answer, true);
  if (question == NULL) {
    return false;
  }
  struct clew_diag_sink diags = {0};
  struct clew_scan *scan =
      clew_scan_open(explorer->config.saved, question, goal_label(question), false, &diags);
  if (scan == NULL) {
    clew_answer_fail_diags(answer, 400, &diags);
    question->close(question);
  } else {
    clew_scan_close(explorer->scan);
    if (explorer->scan_model != NULL) {
      explorer->scan_model->close(explorer->scan_model);
    }
    explorer->scan = scan;
    explorer->scan_model = question;
  }
  clew_diag_sink_free(&diags);
  return scan != NULL;
}

static void write_scan(struct clew_exchange *answer, enum clew_scan_end end, clew_id found) {
  struct clew_json_writer *w = &answer->w;
  struct clew_explorer *explorer = answer->explorer;
  enum clew_tree_answer result = CLEW_TREE_OK;
  uint32_t id = CLEW_NONE;
  if (end == CLEW_SCAN_FOUND) {
    go_to_saved(answer, found, &id, &result);
    if (id == CLEW_NONE) {
      return;
    }
  }
  clew_json_object_open(w);
  clew_json_key(w, "end");
  clew_json_string(w, end == CLEW_SCAN_FOUND ? "found" : end == CLEW_SCAN_MORE ? "more" : "none");
  clew_json_key_u64(w, "done", clew_scan_done(explorer->scan));
  clew_json_key_u64(w, "states", clew_saved_states(explorer->config.saved));
  if (end == CLEW_SCAN_FOUND) {
    clew_json_key_u64(w, "saved", found);
    clew_json_key_u64(w, "id", id);
  }
  clew_json_object_close(w);
  clew_json_end(w);
}

void clew_answer_of_scan(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  if (explorer->config.saved == NULL) {
    clew_answer_fail(answer, 400, "there is no saved search: say --checkpoint DIR");
    return;
  }
  if (answer->request->body_length > 0 && !begin_scan(answer)) {
    return;
  }
  if (explorer->scan == NULL) {
    clew_answer_fail(answer, 400, "nothing is being looked for");
    return;
  }
  struct clew_diag_sink diags = {0};
  clew_id found = CLEW_ID_NONE;
  double seconds = (double)clew_answer_number(answer, "seconds", MOST_SECONDS, 2);
  enum clew_scan_end end = clew_scan_next(explorer->scan, seconds, &found, &diags);
  if (end == CLEW_SCAN_FAILED) {
    clew_answer_fail_diags(answer, 400, &diags);
  } else {
    write_scan(answer, end, found);
  }
  clew_diag_sink_free(&diags);
}
