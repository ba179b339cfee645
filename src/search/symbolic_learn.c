/* Learning: the transitions of a group in states that are new to it.
 *
 * The states are projected on what the group reads. Short states that were seen before are taken
 * off. Each of the others is put into a state, whose other slots are those of an initial state, and
 * executed; what comes out becomes rows of the relation. Rows are collected and added many at once.
 *
 * For deadlocks a group also knows which short states surely lead elsewhere: those with a
 * successor or a fault where a state is stuck without any (NO_SUCCESSOR); where stuttering does not
 * count, those with a successor that differs in a slot that is read, or with two successors, of
 * which one differs. The rest depends on slots that are written unread: `quiet` has the values for
 * which the state stays the same. Of a timed model, which knows more than whether there is a
 * successor, `next` says it. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

enum { BATCH_SHORT = 1024, ROWS_AT_ONCE = 1 << 14 };

struct rows {
  CLEW_VEC(uint32_t) values;
  uint64_t count;
};

struct lesson {
  struct symbolic *s;
  struct symbolic_group *group;
  uint32_t number; /* of the group */
  struct rows relation, moves, still, quiet, suspects;
  CLEW_VEC(struct rows) degrees; /* as those of the group */
  uint64_t fault_count;          /* of the short state at hand */
  uint64_t first_row;            /* of the short state at hand */
  bool faulty, stuck;            /* stuck: as the model says, where it was asked */
};

static void append(struct rows *rows, const uint32_t *values, uint32_t length) {
  if (length > 0) { /* there is memory only then */
    clew_vec_reserve(&rows->values, rows->values.len + length);
    memcpy(rows->values.data + rows->values.len, values, length * sizeof *values);
    rows->values.len += length;
  }
  rows->count++;
}

/* ---- executing one short state ---- */

static void fill_state(const struct lesson *lesson, const uint32_t *row, const uint64_t *filler,
                       uint64_t *state) {
  const struct symbolic *s = lesson->s;
  memcpy(state, filler, s->run.model->words * sizeof *state);
  for (uint32_t i = 0; i < lesson->group->part_count; i++) {
    const struct symbolic_part *part = &lesson->group->parts[i];
    if (symbolic_reads(part->role)) {
      symbolic_set(&s->levels[part->level], state, *row++);
    }
  }
}

/* The value that a row has for a level that may be written: the one that is written, or COPY. The
 * twin has another value there, and it has been executed as well: what changes along with it was
 * copied. */
static uint32_t written_value(const struct symbolic *s, const struct symbolic_level *level,
                              const uint64_t *successor) {
  uint32_t value = symbolic_get(level, successor);
  uint32_t twin_value = symbolic_get(level, s->twin_successor);
  if (value == twin_value) {
    return value;
  }
  if (value != symbolic_get(level, s->state) || twin_value != symbolic_get(level, s->twin)) {
    clew_fatal("an edge depends on a slot that is not in its access sets");
  }
  return CLEW_LDD_COPY;
}

/* A transition from s->state: its row. With clocks the action comes last. */
static void add_successor(struct lesson *lesson, const uint64_t *successor, uint32_t action) {
  const struct symbolic *s = lesson->s;
  const struct symbolic_group *group = lesson->group;
  struct rows *rows = &lesson->relation;
  clew_vec_reserve(&rows->values, rows->values.len + group->row_length);
  uint32_t *out = rows->values.data + rows->values.len;
  for (uint32_t i = 0; i < group->part_count; i++) {
    const struct symbolic_part *part = &group->parts[i];
    const struct symbolic_level *level = &s->levels[part->level];
    if (symbolic_reads(part->role)) {
      *out++ = symbolic_get(level, s->state);
    }
    if (part->role == CLEW_LDD_MAY_WRITE) {
      *out++ = written_value(s, level, successor);
    } else if (part->role != CLEW_LDD_READ) {
      *out++ = symbolic_get(level, successor);
    }
  }
  if (s->clocks != NULL) {
    *out++ = action;
  }
  rows->values.len += group->row_length;
  rows->count++;
  assert(out == rows->values.data + rows->values.len);
}

static void add_fault(struct lesson *lesson, uint32_t edge, uint32_t site, const uint32_t *row) {
  struct symbolic *s = lesson->s;
  struct clew_worker *worker = clew_run_worker(&s->run, 0);
  lesson->faulty = true;
  lesson->fault_count++;
  if (clew_run_leaves_open(&s->run, site)) {
    return;
  }
  uint32_t depth = (uint32_t)s->rounds + 1; /* in orders that have levels */
  worker->error_depth = depth < worker->error_depth ? depth : worker->error_depth;
  if (s->faults.len > 0) {
    return; /* one is enough to be shown */
  }
  size_t bytes = (lesson->group->read_count + (size_t)1) * sizeof *row;
  struct symbolic_fault fault = {lesson->number, edge, site, 0, clew_alloc(bytes)};
  memcpy(fault.row, row, lesson->group->read_count * sizeof *row);
  clew_vec_push(&s->faults, fault);
}

/* By `next`, which decides between classes of priority. */
static void execute_whole(struct lesson *lesson, const uint32_t *row) {
  const bool learns = !lesson->group->is_jury;
  struct symbolic *s = lesson->s;
  const struct clew_model *model = s->run.model;
  struct clew_succs *succs = &clew_run_worker(&s->run, 0)->succs;
  succs->resume = 0;
  do {
    clew_succs_clear(succs);
    model->next(model, s->state, succs);
    for (uint32_t i = 0; i < succs->count && learns; i++) {
      add_successor(lesson, succs->states + (size_t)i * succs->words, 0);
    }
    for (uint32_t i = 0; i < succs->fault_count && learns; i++) {
      add_fault(lesson, succs->faults[i].edge, succs->faults[i].site, row);
    }
  } while (succs->resume != 0 && !clew_run_stopped(&s->run));
  lesson->stuck = succs->stuck;
}

/* Whether the edge does the same with other fillers: the contract of access sets. */
static void check_edge(const struct lesson *lesson, const uint32_t *row, uint32_t edge, bool fired,
                       uint32_t site) {
  const struct symbolic *s = lesson->s;
  const struct clew_model *model = s->run.model;
  uint64_t *state = clew_alloc(2 * model->words * sizeof *state), *out = state + model->words;
  uint32_t other_site = CLEW_NONE;
  fill_state(lesson, row, s->other_filler, state);
  bool same = model->fire(model, state, edge, out, &other_site) == fired && site == other_site;
  for (uint32_t i = 0; same && fired && i < lesson->group->part_count; i++) {
    const struct symbolic_part *part = &lesson->group->parts[i];
    const struct symbolic_level *level = &s->levels[part->level];
    bool copied = part->role == CLEW_LDD_MAY_WRITE &&
                  symbolic_get(level, out) == symbolic_get(level, state) &&
                  symbolic_get(level, s->successor) == symbolic_get(level, s->state);
    same = part->role == CLEW_LDD_READ || copied ||
           symbolic_get(level, out) == symbolic_get(level, s->successor);
  }
  clew_free(state);
  if (!same) {
    clew_fatal("an edge depends on a slot that is not in its access sets");
  }
}

/* s->state with other values where the group may write without reading. */
static void make_twin(const struct lesson *lesson) {
  struct symbolic *s = lesson->s;
  memcpy(s->twin, s->state, s->run.model->words * sizeof *s->twin);
  for (uint32_t i = 0; i < lesson->group->part_count; i++) {
    const struct symbolic_part *part = &lesson->group->parts[i];
    const struct symbolic_level *level = &s->levels[part->level];
    if (part->role == CLEW_LDD_MAY_WRITE) {
      symbolic_set(level, s->twin, symbolic_get(level, s->state) == 0); /* both are values */
    }
  }
}

/* The twin goes where the state goes. */
static void fire_twin(const struct lesson *lesson, uint32_t edge) {
  const struct symbolic *s = lesson->s;
  const struct clew_model *model = s->run.model;
  uint32_t site = CLEW_NONE;
  if (!model->fire(model, s->twin, edge, s->twin_successor, &site)) {
    clew_fatal("an edge depends on a slot that is not in its access sets");
  }
}

static void execute_edges(struct lesson *lesson, const uint32_t *row) {
  struct symbolic *s = lesson->s;
  const struct clew_model *model = s->run.model;
  if (lesson->group->copies) {
    make_twin(lesson);
  }
  for (uint32_t i = 0; i < lesson->group->edge_count; i++) {
    uint32_t edge = lesson->group->edges[i], site = CLEW_NONE;
    bool fired = model->fire(model, s->state, edge, s->successor, &site);
    if (fired && lesson->group->copies) {
      fire_twin(lesson, edge);
    }
    if (fired) {
      add_successor(lesson, s->successor, 0);
    } else if (site != CLEW_NONE) {
      add_fault(lesson, edge, site, row);
    }
    if (s->options->check) {
      check_edge(lesson, row, edge, fired, site);
    }
    if (s->wants_statements) {
      model->cover(model, s->state, edge, clew_run_worker(&s->run, 0)->succs.covered);
    }
  }
}

/* ---- with clocks ---- */

/* The short state, with an action. */
static void add_with_action(struct lesson *lesson, struct rows *rows, const uint32_t *row,
                            uint32_t action) {
  append(rows, row, lesson->group->read_count);
  clew_vec_push(&rows->values, action);
}

/* `action` makes the values for which it happens, `escape` those from which it is reached. */
static void add_suspect(struct lesson *lesson, uint32_t edge, uint32_t action, uint32_t escape,
                        const uint32_t *row) {
  struct symbolic *s = lesson->s;
  size_t bytes = (lesson->group->read_count + (size_t)1) * sizeof *row;
  struct symbolic_fault fault = {lesson->number, edge, s->leap.site, action, clew_alloc(bytes)};
  memcpy(fault.row, row, lesson->group->read_count * sizeof *row);
  fault.row[lesson->group->read_count] = action;
  clew_vec_push(&s->faults, fault);
  add_with_action(lesson, &lesson->suspects, row, action);
  add_with_action(lesson, &lesson->moves, row, escape); /* a run-time error is somewhere to go */
}

static void check_leap(const struct lesson *lesson, const uint32_t *row, uint32_t edge, bool leapt,
                       uint32_t action) {
  struct symbolic *s = lesson->s;
  size_t words = s->run.model->words;
  uint64_t *copy = clew_alloc(2 * words * sizeof *copy);
  memcpy(copy, s->state, words * sizeof *copy);
  memcpy(copy + words, s->successor, words * sizeof *copy);
  uint32_t other_action = action, escape;
  fill_state(lesson, row, s->other_filler, s->state);
  bool same = clew_symbolic_leap(s, edge, &other_action, &escape) == leapt;
  same = same && (!leapt || action == other_action);
  for (uint32_t i = 0; same && leapt && i < lesson->group->part_count; i++) {
    const struct symbolic_part *part = &lesson->group->parts[i];
    const struct symbolic_level *level = &s->levels[part->level];
    same = part->role == CLEW_LDD_READ ||
           symbolic_get(level, copy + words) == symbolic_get(level, s->successor);
  }
  memcpy(s->state, copy, words * sizeof *copy);
  memcpy(s->successor, copy + words, words * sizeof *copy);
  clew_free(copy);
  if (!same) {
    clew_fatal("an edge depends on a slot that is not in its access sets");
  }
}

static void execute_leaps(struct lesson *lesson, const uint32_t *row) {
  struct symbolic *s = lesson->s;
  for (uint32_t i = 0; i < lesson->group->edge_count; i++) {
    uint32_t edge = lesson->group->edges[i], action = 0, escape = 0;
    bool leapt = clew_symbolic_leap(s, edge, &action, &escape);
    if (s->options->check) {
      check_leap(lesson, row, edge, leapt, action);
    }
    if (leapt) {
      add_successor(lesson, s->successor, action);
      if (s->wants_deadlocks) {
        add_with_action(lesson, &lesson->moves, row, escape);
      }
    } else if (s->leap.site != CLEW_NONE) {
      add_suspect(lesson, edge, action, escape, row);
    }
  }
}

static void execute_delay(struct lesson *lesson, const uint32_t *row) {
  struct symbolic *s = lesson->s;
  uint32_t action = clew_symbolic_dwell(s);
  add_successor(lesson, s->state, action);
  if (s->options->check) {
    fill_state(lesson, row, s->other_filler, s->state);
    if (clew_symbolic_dwell(s) != action) {
      clew_fatal("a delay depends on a slot that is not in its access set");
    }
  }
}

/* ---- does the short state go elsewhere? ---- */

static bool reads_change(const struct lesson *lesson, const uint32_t *row) {
  for (uint32_t i = 0; i < lesson->group->part_count; i++) {
    unsigned char role = lesson->group->parts[i].role;
    if (role == CLEW_LDD_READ_WRITE && row[0] != row[1]) {
      return true;
    }
    row += role == CLEW_LDD_READ_WRITE ? 2 : 1;
  }
  return false;
}

/* A row of a successor that is the same in all that is read: what is read, and what is written. */
static void add_quiet(struct lesson *lesson, const uint32_t *row) {
  const struct symbolic_group *group = lesson->group;
  struct rows *rows = &lesson->quiet;
  clew_vec_reserve(&rows->values, rows->values.len + group->part_count);
  for (uint32_t i = 0; i < group->part_count; i++) {
    rows->values.data[rows->values.len++] = *row;
    row += group->parts[i].role == CLEW_LDD_READ_WRITE ? 2 : 1;
  }
  rows->count++;
}

static void note_moves(struct lesson *lesson, const uint32_t *source) {
  const struct symbolic_group *group = lesson->group;
  if (lesson->s->run.model->timed != NULL) {
    assert(group->whole || lesson->s->has_jury);
    if (group->whole && !lesson->stuck) {
      append(&lesson->moves, source, group->read_count);
    }
    return;
  }
  const uint32_t *rows = lesson->relation.values.data + lesson->first_row * group->row_length;
  uint64_t count = lesson->relation.count - lesson->first_row;
  bool stutters = lesson->s->run.model->deadlock == CLEW_DEADLOCK_STUTTERING;
  bool moves = lesson->faulty || (count > 0 && !stutters);
  for (uint64_t i = 0; i < count && !moves; i++) {
    const uint32_t *row = rows + i * group->row_length;
    moves = reads_change(lesson, row) || (group->row_length > 0 && /* two successors */
                                          memcmp(row, rows, group->row_length * sizeof *row) != 0);
  }
  if (moves) {
    append(&lesson->moves, source, group->read_count);
  } else if (count > 0 && group->read_count < group->part_count) {
    append(&lesson->still, source, group->read_count);
    add_quiet(lesson, rows);
  }
}

/* ---- how many transitions are there? ---- */

static uint32_t find_degree(struct symbolic *s, struct symbolic_group *group, uint64_t degree) {
  uint32_t i = 0;
  while (i < group->degrees.len && group->degrees.data[i].degree != degree) {
    i++;
  }
  if (i == group->degrees.len) {
    struct symbolic_degree more = {degree, clew_alloc_zero(1, sizeof(clew_ldd))};
    clew_dd_keep(s->dd, more.sources);
    clew_vec_push(&group->degrees, more);
  }
  return i;
}

static void note_degree(struct lesson *lesson, const uint32_t *source) {
  uint64_t degree = lesson->relation.count - lesson->first_row + lesson->fault_count;
  if (degree == 0) {
    return;
  }
  uint32_t place = find_degree(lesson->s, lesson->group, degree);
  while (lesson->degrees.len <= place) {
    clew_vec_push(&lesson->degrees, ((struct rows){0}));
  }
  append(&lesson->degrees.data[place], source, lesson->group->read_count);
}

/* ---- a batch ---- */

static bool flush(struct lesson *lesson, struct rows *rows, uint32_t length, clew_ldd *set) {
  struct symbolic *s = lesson->s;
  bool added = true;
  if (rows->count > 0) {
    clew_ldd more = clew_ldd_from_rows(s->dd, rows->values.data, rows->count, length);
    added = clew_symbolic_add(s, set, more);
  }
  clew_vec_clear(&rows->values);
  rows->count = 0;
  return added;
}

static bool flush_all(struct lesson *lesson) {
  struct symbolic_group *group = lesson->group;
  const uint32_t with_action = lesson->s->clocks != NULL;
  lesson->first_row = 0;
  for (uint32_t i = 0; i < lesson->degrees.len; i++) {
    if (!flush(lesson, &lesson->degrees.data[i], group->read_count,
               group->degrees.data[i].sources)) {
      return false;
    }
  }
  return flush(lesson, &lesson->relation, group->row_length, &group->relation) &&
         flush(lesson, &lesson->moves, group->read_count + with_action, &group->moves) &&
         flush(lesson, &lesson->suspects, group->read_count + with_action, &group->suspects) &&
         flush(lesson, &lesson->still, group->read_count, &group->still) &&
         flush(lesson, &lesson->quiet, group->part_count, &group->quiet);
}

static void execute(struct lesson *lesson, const uint32_t *row) {
  struct symbolic *s = lesson->s;
  lesson->first_row = lesson->relation.count;
  lesson->faulty = false;
  lesson->fault_count = 0;
  fill_state(lesson, row, s->filler, s->state);
  if (s->clocks != NULL) {
    (lesson->group->is_delay ? execute_delay : execute_leaps)(lesson, row);
    return;
  }
  if (lesson->group->whole) {
    execute_whole(lesson, row);
  } else {
    execute_edges(lesson, row);
  }
  if (s->wants_deadlocks) {
    note_moves(lesson, row);
  }
  if (s->counts_transitions && !lesson->group->is_jury) {
    note_degree(lesson, row);
  }
}

/* All short states of a set, in batches. */
static bool execute_set(struct lesson *lesson, const clew_ldd *set) {
  struct symbolic *s = lesson->s;
  uint32_t length = lesson->group->read_count, count;
  uint32_t *batch = clew_alloc(sizeof *batch * BATCH_SHORT * (length + (size_t)1));
  uint32_t *last = clew_alloc(sizeof *last * (length + (size_t)1));
  const uint32_t *after = NULL;
  bool going = true;
  while (going && (count = clew_ldd_list(s->dd, *set, length, after, batch, BATCH_SHORT)) > 0) {
    for (uint32_t i = 0; i < count && !clew_run_stopped(&s->run); i++) {
      execute(lesson, batch + (size_t)i * length);
      if (lesson->relation.count >= ROWS_AT_ONCE && !flush_all(lesson)) {
        break;
      }
    }
    memcpy(last, batch + (size_t)(count - 1) * length, length * sizeof *last);
    after = last;
    clew_run_poll(clew_run_worker(&s->run, 0), count, 0, s->rounds);
    going = !clew_run_stopped(&s->run) && count == BATCH_SHORT;
  }
  clew_free(batch);
  clew_free(last);
  return !clew_run_stopped(&s->run) && flush_all(lesson);
}

bool clew_symbolic_learn(struct symbolic *s, uint32_t number, clew_ldd set, bool low) {
  const struct symbolic_group *group = &s->groups[number];
  return clew_symbolic_learn_by(s, number, set, low ? group->low_project : group->project);
}

bool clew_symbolic_learn_by(struct symbolic *s, uint32_t number, clew_ldd set, uint32_t plan) {
  struct symbolic_group *group = &s->groups[number];
  clew_ldd fresh = clew_ldd_project(s->dd, set, plan);
  if (!clew_symbolic_is_done(s, fresh)) {
    return false;
  }
  fresh = clew_ldd_minus(s->dd, fresh, group->seen);
  if (!clew_symbolic_is_done(s, fresh)) {
    return false;
  }
  if (fresh == CLEW_LDD_EMPTY) {
    return true;
  }
  struct lesson lesson = {.s = s, .group = group, .number = number};
  clew_dd_keep(s->dd, &fresh);
  bool learnt = execute_set(&lesson, &fresh) && clew_symbolic_add(s, &group->seen, fresh);
  clew_dd_forget(s->dd, &fresh); /* others may have been kept since */
  clew_vec_free(&lesson.relation.values);
  clew_vec_free(&lesson.moves.values);
  clew_vec_free(&lesson.still.values);
  clew_vec_free(&lesson.quiet.values);
  clew_vec_free(&lesson.suspects.values);
  for (uint32_t i = 0; i < lesson.degrees.len; i++) {
    clew_vec_free(&lesson.degrees.data[i].values);
  }
  clew_vec_free(&lesson.degrees);
  return learnt;
}
