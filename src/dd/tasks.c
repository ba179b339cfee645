/* Forks, joins and thieves (tasks_int.h says what they are for).
 *
 * Each worker has a stack of tasks. It puts tasks on the top and takes them from there; thieves
 * take them from the bottom. Taken tasks stay where they are until their owner joins them, so
 * `taken` is the number of those at the bottom that thieves have. The lock is held for a few
 * instructions only.
 *
 * Who gives up says so to all (table->halt) before its tasks are done. Whoever joins one of them
 * sees it then, so no result of one that gave up is ever used, nor remembered. */
#include "dd/tasks_int.h"

#include <sched.h>

#include "base/alloc.h"

enum {
  MOST_TASKS = 1 << 12,
  PATIENCE = 1 << 14,    /* steps of an operation before it is shared */
  DIVIDE_FROM = 1 << 16, /* things to do that make the crew worth waking */
  SPINS = 64,            /* looks at others before the processor is given away */
  LINE_BYTES = 64,
};

struct entry {
  struct task task;
  struct branch branch;
  clew_ldd result;
  uint32_t thief;
  atomic_bool is_done;
};

struct tasks {
  struct entry entries[MOST_TASKS];
  char own_line[LINE_BYTES];
  _Atomic uint32_t length; /* written by the owner, under the lock */
  _Atomic uint32_t taken;  /* of the first ones; written under the lock */
  atomic_flag lock;
  char another_line[LINE_BYTES];
};

clew_ldd clew_dd_run_task(struct clew_dd *dd, const struct task *task) {
  const struct task t = *task; /* the entry may move on */
  switch ((enum task_kind)t.kind) {
  case TASK_UNION:
    return clew_dd_union_tall(dd, t.a, t.b, t.height);
  case TASK_MINUS:
    return clew_dd_minus_tall(dd, t.a, t.b, (enum operation)t.plan, t.height);
  case TASK_INTERSECT:
    return clew_dd_intersect_tall(dd, t.a, t.b, t.height);
  case TASK_PROJECT:
    return clew_dd_project_tall(dd, t.a, t.plan, t.height);
  case TASK_PRODUCT:
    return clew_dd_product_tall(dd, t.a, t.b, t.plan, t.height);
  case TASK_INVERSE:
    return clew_dd_inverse_tall(dd, t.a, t.b, t.plan, t.c, t.height);
  case TASK_DIFFERENCE:
    return clew_dd_difference_tall(dd, (enum operation)t.plan, t.a, t.b, t.height);
  }
  assert(false);
  return CLEW_LDD_EMPTY;
}

/* ---- opening and closing ---- */

void clew_dd_open_tasks(struct table *table, uint64_t patience) {
  table->patience = patience > 0 ? patience : PATIENCE;
  if (table->worker_count == 1) {
    return;
  }
  table->crew = clew_crew_open(table->worker_count);
  for (uint32_t i = 0; i < table->worker_count; i++) {
    struct tasks *tasks = clew_alloc_zero(1, sizeof *tasks);
    atomic_flag_clear(&tasks->lock);
    table->workers[i]->tasks = tasks;
  }
}

void clew_dd_close_tasks(struct table *table) {
  clew_crew_close(table->crew);
  for (uint32_t i = 0; i < table->worker_count; i++) {
    clew_free(table->workers[i]->tasks);
  }
}

/* ---- waiting ---- */

/* Waits a little longer each time. */
static void wait_briefly(uint32_t *times) {
  if (++*times % SPINS == 0) {
    sched_yield();
  } else {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
}

static void lock_tasks(struct tasks *tasks) {
  uint32_t times = 0;
  while (atomic_flag_test_and_set_explicit(&tasks->lock, memory_order_acquire)) {
    wait_briefly(&times);
  }
}

static void unlock_tasks(struct tasks *tasks) {
  atomic_flag_clear_explicit(&tasks->lock, memory_order_release);
}

void clew_dd_lock(struct clew_dd *dd, uint64_t line) {
  _Atomic unsigned char *lock = &dd->table->locks[line % LOCKS];
  uint32_t times = 0;
  while (atomic_exchange_explicit(lock, 1, memory_order_acquire) != 0) {
    wait_briefly(&times);
  }
}

void clew_dd_unlock(struct clew_dd *dd, uint64_t line) {
  assert(dd->table->locks[line % LOCKS] == 1);
  atomic_store_explicit(&dd->table->locks[line % LOCKS], 0, memory_order_release);
}

/* ---- thieves ---- */

static uint32_t waiting_of(const struct tasks *tasks) {
  uint32_t taken = atomic_load_explicit(&tasks->taken, memory_order_relaxed);
  uint32_t length = atomic_load_explicit(&tasks->length, memory_order_relaxed);
  return length > taken ? length - taken : 0;
}

static struct entry *steal(struct clew_dd *thief, struct tasks *tasks) {
  struct entry *entry = NULL;
  if (waiting_of(tasks) == 0) {
    return NULL;
  }
  lock_tasks(tasks);
  uint32_t taken = atomic_load_explicit(&tasks->taken, memory_order_relaxed);
  if (taken < atomic_load_explicit(&tasks->length, memory_order_relaxed)) {
    entry = &tasks->entries[taken];
    entry->thief = thief->worker;
    atomic_store_explicit(&tasks->taken, taken + 1, memory_order_relaxed);
  }
  unlock_tasks(tasks);
  return entry;
}

/* Does a task of that worker; false: it has none. */
static bool help(struct clew_dd *dd, const struct clew_dd *other) {
  struct entry *entry = steal(dd, other->tasks);
  if (entry == NULL) {
    return false;
  }
  entry->result = clew_dd_run_task(dd, &entry->task);
  atomic_store_explicit(&entry->is_done, true, memory_order_release);
  return true;
}

/* ---- forks ---- */

bool clew_dd_may_fork(const struct clew_dd *dd) {
  const struct tasks *tasks = dd->tasks;
  assert(dd->is_shared);
  return waiting_of(tasks) < FORKS_OPEN &&
         atomic_load_explicit(&tasks->length, memory_order_relaxed) < MOST_TASKS;
}

uint32_t clew_dd_tasks_mark(const struct clew_dd *dd) {
  return atomic_load_explicit(&dd->tasks->length, memory_order_relaxed);
}

/* Nobody else looks at the entry before the length says that it is there. */
static void push_task(struct clew_dd *dd, const struct task *task, const struct branch *branch) {
  struct tasks *tasks = dd->tasks;
  uint32_t length = clew_dd_tasks_mark(dd);
  assert(length < MOST_TASKS);
  struct entry *entry = &tasks->entries[length];
  entry->task = *task;
  entry->branch = *branch;
  entry->result = CLEW_LDD_EMPTY;
  atomic_store_explicit(&entry->is_done, false, memory_order_relaxed);
  lock_tasks(tasks);
  atomic_store_explicit(&tasks->length, length + 1, memory_order_relaxed);
  unlock_tasks(tasks);
}

/* Takes the last task back; false: somebody else has it. */
static bool pop_task(struct tasks *tasks) {
  lock_tasks(tasks);
  uint32_t length = atomic_load_explicit(&tasks->length, memory_order_relaxed);
  bool is_own = atomic_load_explicit(&tasks->taken, memory_order_relaxed) < length;
  if (is_own) {
    atomic_store_explicit(&tasks->length, length - 1, memory_order_relaxed);
  }
  unlock_tasks(tasks);
  return is_own;
}

static void await(struct clew_dd *dd, struct entry *entry) {
  const struct clew_dd *thief = dd->table->workers[entry->thief];
  uint32_t times = 0;
  while (!atomic_load_explicit(&entry->is_done, memory_order_acquire)) {
    if (!help(dd, thief)) {
      wait_briefly(&times);
    }
  }
}

/* The result of the last task, which is gone then, and what is to become of it. */
static clew_ldd join_last(struct clew_dd *dd, struct branch *branch) {
  struct tasks *tasks = dd->tasks;
  uint32_t last = clew_dd_tasks_mark(dd) - 1;
  struct entry *entry = &tasks->entries[last];
  *branch = entry->branch;
  if (pop_task(tasks)) { /* others may be put there while it is done */
    return dd->status == CLEW_DD_OK ? clew_dd_run_task(dd, &entry->task) : (clew_ldd)CLEW_LDD_EMPTY;
  }
  await(dd, entry);
  clew_ldd result = entry->result;
  lock_tasks(tasks);
  assert(atomic_load_explicit(&tasks->taken, memory_order_relaxed) == last + 1);
  atomic_store_explicit(&tasks->taken, last, memory_order_relaxed);
  atomic_store_explicit(&tasks->length, last, memory_order_relaxed);
  unlock_tasks(tasks);
  uint32_t halt = atomic_load_explicit(&dd->table->halt, memory_order_acquire);
  if (halt != CLEW_DD_OK) {
    clew_dd_halt(dd, halt);
  }
  return result;
}

void clew_dd_fork(struct clew_dd *dd, const struct task *task, const struct branch *branch) {
  push_task(dd, task, branch);
  clew_vec_push(&dd->items, ((struct item){branch->value, CLEW_DD_NONE, NO_ORIGIN}));
}

void clew_dd_join(struct clew_dd *dd, uint32_t base, uint32_t mark) {
  if (clew_dd_tasks_mark(dd) == mark) {
    return;
  }
  /* Items of the tasks that are done here come and go behind those of this list. */
  uint32_t end = dd->items.len, kept = base;
  for (uint32_t i = end; i-- > base;) {
    if (dd->items.data[i].down == CLEW_DD_NONE) {
      struct branch branch;
      clew_ldd down = join_last(dd, &branch);
      assert(dd->items.len == end && dd->items.data[i].value == branch.value);
      dd->items.data[i].down = down;
      dd->items.data[i].origin = down == branch.same         ? branch.origin
                                 : down == branch.other_same ? branch.other_origin
                                                             : NO_ORIGIN;
    }
  }
  assert(clew_dd_tasks_mark(dd) == mark);
  for (uint32_t i = base; i < end; i++) {
    if (dd->items.data[i].down != CLEW_LDD_EMPTY) {
      dd->items.data[kept++] = dd->items.data[i];
    }
  }
  dd->items.len = kept;
}

void clew_dd_fork_plain(struct clew_dd *dd, const struct task *task) {
  push_task(dd, task, &(struct branch){0, 0, NO_ORIGIN, 0, NO_ORIGIN});
}

clew_ldd clew_dd_join_plain(struct clew_dd *dd) {
  struct branch branch;
  return join_last(dd, &branch);
}

/* ---- all workers ---- */

uint32_t clew_dd_height(const struct clew_dd *dd, clew_ldd set) {
  uint32_t levels = 0;
  if (!dd->is_shared) {
    return 0;
  }
  for (; set >= FIRST_NODE && !is_difference(dd, set); set = node_of(dd, set).down) {
    levels++;
  }
  bool is_long = set >= FIRST_NODE; /* clock values take longer than all the rest */
  uint32_t flat = is_long ? 0 : FLAT_LEVELS;
  return levels > flat ? levels - flat : 0;
}

/* Whether entries of the cache can be read in one piece. */
static bool has_whole_entries(void) {
#if defined(__SSE2__) && CLEW_WHOLE_LINES
  return __builtin_cpu_supports("avx");
#else
  return false;
#endif
}

static void prepare(struct clew_dd *dd, bool is_shared) {
  dd->is_shared = is_shared;
  dd->locks_lines = is_shared && !has_whole_entries();
  dd->status = CLEW_DD_OK;
  dd->pause_at = 0;
  dd->long_at = UINT64_MAX;
  clew_dd_refresh(dd);
}

struct sharing {
  struct table *table;
  const struct call *call;
  clew_ldd result;
};

static void take_part(void *context, uint32_t member) {
  struct sharing *sharing = context;
  struct table *table = sharing->table;
  struct clew_dd *dd = table->workers[member];
  if (member == 0) {
    sharing->result = sharing->call->run(dd, sharing->call);
    atomic_store_explicit(&table->is_finished, true, memory_order_release);
    return;
  }
  uint32_t times = member, count = table->worker_count;
  while (!atomic_load_explicit(&table->is_finished, memory_order_acquire)) {
    if (!help(dd, table->workers[times % count])) {
      wait_briefly(&times);
    }
  }
}

clew_ldd clew_dd_run_shared(struct clew_dd *dd, const struct call *call) {
  struct table *table = dd->table;
  uint32_t members = clew_crew_muster(table->crew, table->worker_count);
  assert(members <= table->worker_count);
  atomic_store_explicit(&table->halt, CLEW_DD_OK, memory_order_relaxed);
  atomic_store_explicit(&table->is_finished, false, memory_order_relaxed);
  (void)clew_dd_wide_open(dd);
  for (uint32_t i = 0; i < table->worker_count; i++) {
    prepare(table->workers[i], true);
  }
  struct sharing sharing = {table, call, CLEW_LDD_EMPTY};
  clew_crew_work(table->crew, members, take_part, &sharing);
  uint32_t halt = atomic_load_explicit(&table->halt, memory_order_relaxed);
  for (uint32_t i = 0; i < table->worker_count; i++) {
    clew_vec_clear(&table->workers[i]->items);
    prepare(table->workers[i], false);
    table->workers[i]->status = halt;
  }
  table->shared_operations++;
  return sharing.result;
}

struct division_of_work {
  struct table *table;
  clew_dd_part *part;
  void *context;
  uint32_t parts;
};

static void do_part(void *context, uint32_t member) {
  const struct division_of_work *work = context;
  work->part(work->table->workers[member], work->context, member, work->parts);
}

void clew_dd_divide(struct clew_dd *dd, clew_dd_part *part, void *context, uint64_t size) {
  struct table *table = dd->table;
  assert(!dd->is_shared);
  if (table->worker_count == 1 || size < DIVIDE_FROM) {
    part(dd, context, 0, 1);
    return;
  }
  for (uint32_t i = 0; i < table->worker_count; i++) {
    clew_dd_refresh(table->workers[i]);
  }
  struct division_of_work work = {table, part, context, table->worker_count};
  clew_crew_work(table->crew, table->worker_count, do_part, &work);
}
