/* A crew of threads. Each member but the caller waits for its own ticket to change: the caller
 * writes the job first and the tickets of those that take part then (release), so a member that has
 * no part in a job never reads it. Members spin for a moment before they sleep, and the caller
 * does before it sleeps for the last of them; where there are fewer processors than members nobody
 * spins, because that would take the processor from those who have work.
 *
 * Invariant: `busy` is the number of members that still work on the current job; the job changes
 * only while it is 0. */
#include "base/crew.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cgroup.h"

enum { SPINS = 4000, LINE_BYTES = 64 };

struct member {
  struct clew_crew *crew;
  uint32_t number;
  _Atomic uint32_t ticket; /* of the latest job that it has a part in */
  pthread_t thread;
  char own_line[LINE_BYTES];
};

struct clew_crew {
  uint32_t size;
  uint32_t started; /* members that have a thread, the caller included */
  bool refused;     /* the system gives no more threads */
  uint32_t spins;
  clew_crew_job *job;
  void *context;
  bool closing;
  struct member *members; /* [0] is the caller and has no thread */
  pthread_mutex_t lock;
  pthread_cond_t wake, done; /* for members; for the caller */
  char own_line[LINE_BYTES];
  _Atomic uint32_t busy;
};

struct clew_crew *clew_crew_open(uint32_t size) {
  assert(size >= 1);
  struct clew_crew *crew = clew_alloc_zero(1, sizeof *crew);
  crew->size = size;
  crew->started = 1;
  crew->spins = size <= clew_crew_processors() ? SPINS : 0;
  crew->members = clew_alloc_zero(size, sizeof *crew->members);
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->wake, NULL);
  pthread_cond_init(&crew->done, NULL);
  return crew;
}

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static uint32_t ticket_of(const struct member *member) {
  return atomic_load_explicit(&member->ticket, memory_order_acquire);
}

/* Waits for a ticket other than `old`. */
static uint32_t await_ticket(struct member *member, uint32_t old) {
  struct clew_crew *crew = member->crew;
  for (uint32_t i = 0; i < crew->spins; i++) {
    uint32_t ticket = ticket_of(member);
    if (ticket != old) {
      return ticket;
    }
    pause_briefly();
  }
  pthread_mutex_lock(&crew->lock);
  while (ticket_of(member) == old) {
    pthread_cond_wait(&crew->wake, &crew->lock);
  }
  pthread_mutex_unlock(&crew->lock);
  return ticket_of(member);
}

static void finish_part(struct clew_crew *crew) {
  if (atomic_fetch_sub_explicit(&crew->busy, 1, memory_order_acq_rel) == 1) {
    pthread_mutex_lock(&crew->lock); /* the caller is either not asleep yet or hears the signal */
    pthread_cond_signal(&crew->done);
    pthread_mutex_unlock(&crew->lock);
  }
}

/* Whether this thread is doing its part of a job. */
static _Thread_local bool is_at_work;

static void do_part(clew_crew_job *job, void *context, uint32_t number) {
  is_at_work = true;
  job(context, number);
  is_at_work = false;
}

static void *live(void *argument) {
  struct member *member = argument;
  struct clew_crew *crew = member->crew;
  for (uint32_t ticket = 0;;) {
    ticket = await_ticket(member, ticket);
    if (crew->closing) {
      return NULL;
    }
    do_part(crew->job, crew->context, member->number);
    finish_part(crew);
  }
}

/* Starts threads until `members` are there, or as many as the system gives. */
static uint32_t start_members(struct clew_crew *crew, uint32_t members) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, CLEW_CREW_STACK_BYTES);
  while (crew->started < members && !crew->refused) {
    struct member *member = &crew->members[crew->started];
    member->crew = crew;
    member->number = crew->started;
    crew->refused = pthread_create(&member->thread, &attributes, live, member) != 0;
    crew->started += crew->refused ? 0 : 1;
  }
  pthread_attr_destroy(&attributes);
  return members < crew->started ? members : crew->started;
}

uint32_t clew_crew_muster(struct clew_crew *crew, uint32_t members) {
  assert(members >= 1 && (crew == NULL || members <= crew->size));
  return crew == NULL || members == 1 ? 1 : start_members(crew, members);
}

/* Members 1 to end - 1 find their tickets changed. */
static void hand_out(struct clew_crew *crew, uint32_t end) {
  pthread_mutex_lock(&crew->lock); /* nobody falls asleep between the look and the wait */
  for (uint32_t i = 1; i < end; i++) {
    atomic_fetch_add_explicit(&crew->members[i].ticket, 1, memory_order_release);
  }
  pthread_cond_broadcast(&crew->wake);
  pthread_mutex_unlock(&crew->lock);
}

static void await_members(struct clew_crew *crew) {
  for (uint32_t i = 0; i < crew->spins; i++) {
    if (atomic_load_explicit(&crew->busy, memory_order_acquire) == 0) {
      return;
    }
    pause_briefly();
  }
  pthread_mutex_lock(&crew->lock);
  while (atomic_load_explicit(&crew->busy, memory_order_acquire) > 0) {
    pthread_cond_wait(&crew->done, &crew->lock);
  }
  pthread_mutex_unlock(&crew->lock);
}

void clew_crew_work(struct clew_crew *crew, uint32_t members, clew_crew_job *job, void *context) {
  uint32_t present = is_at_work ? 1 : clew_crew_muster(crew, members);
  if (present == 1) { /* what the job starts may be shared, unless others are at work */
    for (uint32_t i = 0; i < members; i++) {
      job(context, i);
    }
    return;
  }
  assert(atomic_load(&crew->busy) == 0);
  crew->job = job;
  crew->context = context;
  atomic_store_explicit(&crew->busy, present - 1, memory_order_relaxed);
  hand_out(crew, present);
  do_part(job, context, 0);
  for (uint32_t i = present; i < members; i++) {
    do_part(job, context, i);
  }
  await_members(crew);
}

uint32_t clew_crew_size(const struct clew_crew *crew) {
  return crew == NULL ? 1 : crew->size;
}

void clew_crew_close(struct clew_crew *crew) {
  if (crew == NULL) {
    return;
  }
  crew->closing = true;
  hand_out(crew, crew->started);
  for (uint32_t i = 1; i < crew->started; i++) {
    pthread_join(crew->members[i].thread, NULL);
  }
  pthread_cond_destroy(&crew->done);
  pthread_cond_destroy(&crew->wake);
  pthread_mutex_destroy(&crew->lock);
  clew_free(crew->members);
  clew_free(crew);
}

/* ---- processors ---- */

/* Lowers *most to the quota of a control group: microseconds in every period. */
static void apply_group(void *context, const char *directory, int version) {
  uint32_t *most = context;
  char line[128], period_line[64];
  double quota = 0, period = 0;
  if (version == 2) {
    if (!clew_cgroup_line(directory, "cpu.max", line, sizeof line) ||
        sscanf(line, "%lf %lf", &quota, &period) != 2) { /* "max 100000" */
      return;
    }
  } else {
    if (!clew_cgroup_line(directory, "cpu.cfs_quota_us", line, sizeof line) ||
        !clew_cgroup_line(directory, "cpu.cfs_period_us", period_line, sizeof period_line)) {
      return;
    }
    quota = strtod(line, NULL); /* -1: no limit */
    period = strtod(period_line, NULL);
  }
  if (quota > 0 && period > 0 && quota / period < *most) {
    *most = quota > period ? (uint32_t)(quota / period) : 1;
  }
}

uint32_t clew_crew_processors(void) {
  cpu_set_t set;
  uint32_t most = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    most = (uint32_t)CPU_COUNT(&set);
  }
  clew_cgroup_each("cpu", apply_group, &most);
  return most >= 1 ? most : 1;
}

uint32_t clew_crew_online(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t most = online > 0 ? (uint32_t)online : 1;
  clew_cgroup_each("cpu", apply_group, &most);
  return most;
}
