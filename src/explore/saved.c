/* Saved states.
 *
 * An index has the place of every block of the log: a block has tens of thousands of states, so the
 * index of 10^9 states takes a megabyte. A few blocks are kept decoded; a path goes back through
 * the levels of the search and needs about one block for each. */
#include "explore/saved.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "explore/saved_int.h"
#include "model/timed.h"
#include "trace/past.h"

enum { CLOCK_EVERY = 256 };
static const uint64_t PAST_BYTES = (uint64_t)64 << 20;

/* ---- the index ---- */

static bool index_segment(struct clew_saved *saved, uint32_t segment,
                          struct clew_diag_sink *diags) {
  const struct clew_segment *of = &saved->checkpoint.manifest.segments.data[segment];
  struct clew_segment_reader *reader = clew_segment_open(&saved->checkpoint.vault, of, diags);
  clew_id first = of->first;
  while (reader != NULL) {
    struct clew_saved_block block = {
        .first = first, .segment = segment, .place = clew_segment_tell(reader)};
    uint32_t count = clew_segment_skip(reader, diags);
    if (count == 0) {
      break;
    }
    first += count;
    clew_vec_push(&saved->blocks, block);
  }
  bool ok = reader != NULL && clew_segment_is_read(reader);
  clew_vec_push(&saved->readers, reader);
  return ok;
}

static bool same_model(const struct clew_saved *saved, struct clew_diag_sink *diags) {
  struct clew_text text = {0};
  char sum[CLEW_DIGEST_TEXT];
  if (saved->model->describe != NULL) {
    saved->model->describe(saved->model, CLEW_DESCRIBE_ALL, &text);
  }
  clew_digest(clew_text_str(&text), text.len, sum);
  clew_text_free(&text);
  bool same = strcmp(sum, saved->checkpoint.manifest.model_sum) == 0;
  if (!same) {
    clew_diag_plain(diags, CLEW_ERROR, saved->checkpoint.vault.path,
                    "the checkpoint belongs to another model, or to other options");
  }
  return same;
}

struct clew_saved *clew_saved_open(const char *directory, const struct clew_model *model,
                                   struct clew_diag_sink *diags) {
  struct clew_saved *saved = clew_alloc_zero(1, sizeof *saved);
  saved->model = model;
  bool ok = clew_checkpoint_look(&saved->checkpoint, directory, diags) == CLEW_OK &&
            same_model(saved, diags);
  if (ok && saved->checkpoint.manifest.ranks.len > 0) {
    clew_diag_plain(diags, CLEW_ERROR, directory,
                    "the search was one of several processes: its states cannot be visited");
    ok = false;
  }
  for (uint32_t i = 0; ok && i < saved->checkpoint.manifest.segments.len; i++) {
    ok = index_segment(saved, i, diags);
  }
  if (!ok) {
    clew_saved_close(saved);
    return NULL;
  }
  return saved;
}

void clew_saved_close(struct clew_saved *saved) {
  if (saved == NULL) {
    return;
  }
  for (uint32_t i = 0; i < saved->readers.len; i++) {
    clew_segment_close(saved->readers.data[i]);
  }
  for (uint32_t i = 0; i < CLEW_SAVED_KEPT; i++) {
    clew_free(saved->kept[i].records);
  }
  clew_vec_free(&saved->readers);
  clew_vec_free(&saved->blocks);
  clew_checkpoint_close(&saved->checkpoint);
  clew_free(saved);
}

uint64_t clew_saved_states(const struct clew_saved *saved) {
  return saved->checkpoint.manifest.states;
}

/* ---- blocks ---- */

static uint32_t block_of(const struct clew_saved *saved, clew_id id) {
  uint32_t low = 0, high = saved->blocks.len;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (saved->blocks.data[middle].first <= id) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static const struct clew_back_edge *load_block(struct clew_saved *saved, uint32_t block,
                                               struct clew_saved_kept *into,
                                               struct clew_diag_sink *diags) {
  const struct clew_saved_block *at = &saved->blocks.data[block];
  struct clew_segment_reader *reader = saved->readers.data[at->segment];
  const struct clew_back_edge *records;
  clew_segment_go(reader, at->place);
  uint32_t count = clew_segment_next(reader, &records, diags);
  if (count == 0) {
    return NULL;
  }
  into->records = clew_realloc_array(into->records, count, sizeof *records);
  memcpy(into->records, records, count * sizeof *records);
  into->block = block;
  into->count = count;
  return into->records;
}

/* Of the one that was used last the longest time ago. */
static struct clew_saved_kept *oldest(struct clew_saved *saved) {
  struct clew_saved_kept *best = &saved->kept[0];
  for (uint32_t i = 1; i < CLEW_SAVED_KEPT; i++) {
    if (saved->kept[i].used < best->used) {
      best = &saved->kept[i];
    }
  }
  return best;
}

static bool back_edge(struct clew_saved *saved, clew_id id, struct clew_back_edge *out,
                      struct clew_diag_sink *diags) {
  assert(id < clew_saved_states(saved));
  uint32_t block = block_of(saved, id);
  struct clew_saved_kept *kept = NULL;
  for (uint32_t i = 0; i < CLEW_SAVED_KEPT && kept == NULL; i++) {
    if (saved->kept[i].records != NULL && saved->kept[i].block == block) {
      kept = &saved->kept[i];
    }
  }
  if (kept == NULL) {
    kept = oldest(saved);
    if (load_block(saved, block, kept, diags) == NULL) {
      kept->used = 0;
      return false;
    }
  }
  kept->used = ++saved->clock;
  uint64_t place = id - saved->blocks.data[block].first;
  if (place >= kept->count) {
    return false;
  }
  *out = kept->records[place];
  return true;
}

/* ---- by id ---- */

enum clew_status clew_saved_path(struct clew_saved *saved, clew_id id, struct clew_trace *trace,
                                 struct clew_diag_sink *diags) {
  *trace = (struct clew_trace){.initial = CLEW_NONE,
                               .property = CLEW_NONE,
                               .fault_edge = CLEW_NONE,
                               .site = CLEW_NONE,
                               .stay_from = CLEW_NONE,
                               .loop_to = CLEW_NONE};
  if (id >= clew_saved_states(saved)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "there are states 0 to %llu",
                    (unsigned long long)clew_saved_states(saved) - 1);
    return CLEW_BAD_INPUT;
  }
  CLEW_VEC(uint32_t) back = {0};
  struct clew_back_edge edge;
  bool ok = true;
  for (bool more = true; more && ok;) {
    ok = back_edge(saved, id, &edge, diags);
    more = ok && edge.parent != CLEW_ID_NONE;
    if (more) {
      clew_vec_push(&back, edge.edge);
      id = edge.parent; /* the segment reader made sure that it is less */
    }
  }
  if (!ok) {
    clew_vec_free(&back);
    clew_diag_plain(diags, CLEW_ERROR, saved->checkpoint.vault.path, "the log cannot be read");
    return CLEW_BAD_INPUT;
  }
  trace->initial = edge.edge;
  trace->edge_count = back.len;
  trace->edges = clew_alloc_zero((size_t)back.len + 1, sizeof *trace->edges);
  for (uint32_t i = 0; i < back.len; i++) {
    trace->edges[i] = back.data[back.len - 1 - i];
  }
  clew_vec_free(&back);
  clew_trace_unfold(saved->model, trace);
  return CLEW_OK;
}

/* ---- by what is true ---- */

struct clew_scan {
  struct clew_saved *saved;
  const struct clew_model *model;
  uint32_t label;
  bool wants;
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_past *past;
  struct clew_saved_kept block; /* the one that is being read */
  clew_id next, level;          /* the next state; the first one of its level */
  uint64_t *state;
};

static bool same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether zones forget the same in both: a question about clocks makes them forget less. */
static bool same_limits(const struct clew_model *a, const struct clew_model *b) {
  uint32_t count = a->timed->limits(a, NULL);
  if (!same_text(a->timed->extrapolation, b->timed->extrapolation) ||
      b->timed->limits(b, NULL) != count) {
    return false;
  }
  struct clew_clock_limit *of_a = clew_alloc_zero((size_t)count + 1, sizeof *of_a);
  struct clew_clock_limit *of_b = clew_alloc_zero((size_t)count + 1, sizeof *of_b);
  (void)a->timed->limits(a, of_a);
  (void)b->timed->limits(b, of_b);
  bool same = true;
  for (uint32_t i = 0; i < count && same; i++) {
    same = of_a[i].clock == of_b[i].clock && of_a[i].lower == of_b[i].lower &&
           of_a[i].upper == of_b[i].upper;
  }
  clew_free(of_a);
  clew_free(of_b);
  return same;
}

/* Whether two models of one text, one of which has another question, have the same states and
 * edges: the question may have made symmetry or zones coarser or finer, and nothing else. */
static bool same_states(const struct clew_model *a, const struct clew_model *b) {
  struct clew_exec_info of_a = {0}, of_b = {0};
  a->exec_info(a, &of_a);
  b->exec_info(b, &of_b);
  bool same = a->words == b->words && a->slot_count == b->slot_count &&
              a->edge_count == b->edge_count && a->initial_count == b->initial_count &&
              same_text(a->reduction, b->reduction) &&
              same_text(of_a.symmetry_notice, of_b.symmetry_notice) &&
              (a->timed == NULL) == (b->timed == NULL);
  return same && (a->timed == NULL || same_limits(a, b));
}

struct clew_scan *clew_scan_open(struct clew_saved *saved, const struct clew_model *question,
                                 uint32_t label, bool wants, struct clew_diag_sink *diags) {
  if (!same_states(saved->model, question)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the question changes what the states of the search are (it may not be "
                    "symmetric, or be about clocks)");
    return NULL;
  }
  struct clew_scan *scan = clew_alloc_zero(1, sizeof *scan);
  *scan = (struct clew_scan){.saved = saved, .model = question, .label = label, .wants = wants};
  clew_budget_init(&scan->budget, PAST_BYTES);
  if (clew_scratch_open(&scan->scratch, NULL, diags) != CLEW_OK) {
    clew_free(scan);
    return NULL;
  }
  scan->past = clew_past_open(question->words, &scan->budget, &scan->scratch);
  scan->state = clew_alloc(question->words * sizeof *scan->state);
  scan->block.block = CLEW_NONE;
  return scan;
}

void clew_scan_close(struct clew_scan *scan) {
  if (scan == NULL) {
    return;
  }
  clew_past_close(scan->past);
  clew_scratch_close(&scan->scratch);
  clew_free(scan->block.records);
  clew_free(scan->state);
  clew_free(scan);
}

uint64_t clew_scan_done(const struct clew_scan *scan) {
  return scan->next;
}

/* Parents are of the level before, so older states are not needed any more. */
static void note_level(struct clew_scan *scan, clew_id parent) {
  if (scan->saved->checkpoint.manifest.by_level && parent >= scan->level) {
    clew_past_forget(scan->past, scan->level);
    scan->level = scan->next;
  }
}

/* Computes the next state from its parent, and keeps it for its children. */
static bool rebuild(struct clew_scan *scan, struct clew_diag_sink *diags) {
  struct clew_saved *saved = scan->saved;
  uint32_t block = block_of(saved, scan->next);
  if (scan->block.block != block && load_block(saved, block, &scan->block, diags) == NULL) {
    return false;
  }
  uint64_t place = scan->next - saved->blocks.data[block].first;
  assert(place < scan->block.count);
  struct clew_back_edge edge = scan->block.records[place];
  const struct clew_model *model = scan->model;
  bool ok;
  if (edge.parent == CLEW_ID_NONE) {
    ok = edge.edge < model->initial_count && clew_model_start(model, edge.edge, scan->state);
  } else {
    note_level(scan, edge.parent);
    const uint64_t *parent = clew_past_get(scan->past, edge.parent);
    uint32_t site = CLEW_NONE;
    ok = parent != NULL && edge.edge < model->edge_count &&
         model->fire(model, parent, edge.edge, scan->state, &site);
  }
  ok = ok && clew_past_push(scan->past, scan->state);
  if (!ok) {
    clew_diag_plain(diags, CLEW_ERROR, saved->checkpoint.vault.path,
                    "state %llu cannot be computed again", (unsigned long long)scan->next);
  }
  return ok;
}

enum clew_scan_end clew_scan_next(struct clew_scan *scan, double seconds, clew_id *found,
                                  struct clew_diag_sink *diags) {
  double end_s = clew_clock_wall_s() + seconds;
  uint64_t all = clew_saved_states(scan->saved);
  for (uint32_t i = 1; scan->next < all; i++) {
    if (!rebuild(scan, diags)) {
      return CLEW_SCAN_FAILED;
    }
    uint32_t site = CLEW_NONE;
    bool value = scan->model->label(scan->model, scan->label, scan->state, &site);
    scan->next++;
    if (site == CLEW_NONE && value == scan->wants) {
      *found = scan->next - 1;
      return CLEW_SCAN_FOUND;
    }
    if (i % CLOCK_EVERY == 0 && (clew_clock_wall_s() > end_s || atomic_load(scan->model->stop))) {
      return CLEW_SCAN_MORE;
    }
  }
  return CLEW_SCAN_END;
}
