/* `goto` and `save` of a walk step by step. A question is a second model of the same text with one
 * more goal; the walk is replayed in it, and a bounded search leads on from there. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/file.h"
#include "cli/load.h"
#include "cli/origin.h"
#include "cli/simulate_int.h"
#include "explore/seek.h"
#include "report/version.h"
#include "trace/plain.h"
#include "trace/trace.h"

static const struct clew_seek_limits LIMITS = {
    .bytes = (uint64_t)256 << 20, .states = 2000000, .depth = UINT32_MAX, .seconds = 20};

static void put_diags(struct walk *walk, struct clew_diag_sink *diags) {
  for (uint32_t i = 0; i < diags->len; i++) {
    clew_plain_put(&walk->out, diags->data[i].message);
    clew_text_char(&walk->out, '\n');
  }
  clew_diag_sink_free(diags);
}

static struct clew_trace way_of(const struct walk *walk) {
  return (struct clew_trace){.initial = walk->initial,
                             .edges = walk->edges.data,
                             .edge_count = walk->edges.len,
                             .property = CLEW_NONE,
                             .fault_edge = CLEW_NONE,
                             .site = CLEW_NONE,
                             .loop_to = CLEW_NONE};
}

static bool take_edge(struct walk *walk, uint32_t edge) {
  if (!clew_walk_find_choices(walk)) {
    return false;
  }
  for (uint32_t i = 0; i < walk->choices.len; i++) {
    if (walk->choices.data[i].edge == edge && walk->choices.data[i].site == CLEW_NONE) {
      return clew_walk_take(walk, &walk->choices.data[i], true);
    }
  }
  return false;
}

static void follow(struct walk *walk, const struct clew_seek *seek) {
  uint32_t count, *way = clew_seek_way(seek, seek->found, &count);
  bool going = true;
  for (uint32_t i = 0; i < count && going; i++) {
    going = take_edge(walk, way[i]);
    if (going) {
      clew_walk_check(walk); /* which tells of violations on the way */
    }
  }
  if (count == 0) {
    clew_text_put(&walk->out, "It is true here.\n");
  }
  clew_free(way);
}

static void put_failure(struct walk *walk, const struct clew_model *question,
                        enum clew_seek_end end, const struct clew_seek *seek) {
  switch (end) {
  case CLEW_SEEK_NONE:
    clew_text_printf(&walk->out,
                     "It is true in none of the %u states that can be reached from here.\n",
                     seek->nodes.len);
    return;
  case CLEW_SEEK_FAULT:
    clew_text_put(&walk->out, "It cannot be computed everywhere: ");
    clew_site_print(question, seek->site, &walk->out);
    clew_text_char(&walk->out, '\n');
    return;
  case CLEW_SEEK_FOUND:
  case CLEW_SEEK_LIMIT:
  case CLEW_SEEK_TIME:
    break;
  }
  clew_text_printf(
      &walk->out, "It is true in none of the %u nearest states; clew check --goal looks further.\n",
      seek->nodes.len);
}

static void seek_in(struct walk *walk, const struct clew_model *question) {
  struct clew_trace trace = way_of(walk);
  uint32_t failed_step, last = question->property_count;
  uint64_t *states = clew_trace_states(question, &trace, &failed_step);
  if (states == NULL) {
    clew_text_put(&walk->out, "The question changes the model.\n");
    return;
  }
  do { /* the last goal: an invariant that is false where the goal is reached */
    assert(last > 0);
    last--;
  } while (question->properties[last].query != CLEW_QUERY_GOAL);
  struct clew_seek seek;
  enum clew_seek_end end =
      clew_seek_run(&seek, question, states + (size_t)trace.edge_count * question->words,
                    question->properties[last].label, false, false, &LIMITS);
  if (end == CLEW_SEEK_FOUND) {
    follow(walk, &seek);
  } else {
    put_failure(walk, question, end, &seek);
  }
  clew_seek_close(&seek);
  clew_free(states);
}

void clew_walk_go(struct walk *walk, const char *expression) {
  if (*expression == '\0') {
    clew_text_put(&walk->out, "Where to? For example: g x = 2\n");
    return;
  }
  if (walk->is_start || walk->by_delays) {
    clew_text_put(&walk->out, walk->is_start ? "Choose how to start first.\n"
                                             : "A walk by delays is too exact for goto.\n");
    return;
  }
  struct clew_diag_sink diags = {0};
  struct clew_model *question =
      clew_load_question(walk->options, expression, CLEW_SYMMETRY_OFF, false, &diags);
  put_diags(walk, &diags);
  if (question != NULL) {
    seek_in(walk, question);
    question->close(question);
  }
}

void clew_walk_save(struct walk *walk, const char *file) {
  if (*file == '\0' || walk->is_start || walk->by_delays) {
    clew_text_put(&walk->out, *file == '\0'    ? "To which file? For example: w walk.json\n"
                              : walk->is_start ? "Choose how to start first.\n"
                                               : "A walk by delays cannot be saved.\n");
    return;
  }
  struct clew_arena *arena = clew_arena_open();
  struct clew_trace_origin origin = {.version = CLEW_VERSION};
  struct clew_diag_sink diags = {0};
  struct clew_text text = {0};
  struct clew_trace trace = way_of(walk);
  clew_origin_collect(arena, walk->options, &origin);
  clew_trace_write(walk->model, &trace, &origin, &text);
  if (clew_file_write(file, clew_text_str(&text), text.len, &diags) == CLEW_OK) {
    clew_text_printf(&walk->out, "Saved: %u steps.\n", trace.edge_count);
  }
  put_diags(walk, &diags);
  clew_text_free(&text);
  clew_arena_close(arena);
}
