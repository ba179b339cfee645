/* Ranks that are threads (cluster/twin.h), for tests. */
#ifndef CLEW_TESTS_RANKS_H
#define CLEW_TESTS_RANKS_H

#include <pthread.h>

#include "cluster/team.h"
#include "cluster/twin.h"
#include "unit/toy_search.h"

enum { MOST_RANKS = 8 };
static const double PATIENCE_S = 60;

static const struct clew_twin_faults none = {0};
static const struct clew_twin_faults bad = {
    .seed = 7, .delay = 90, .reorder = 90, .duplicate = 60, .refuse = 60};

struct member {
  struct clew_team team;
  void (*job)(struct member *member);
  void *context;
  pthread_t thread;
  struct outcome outcome;
};

static inline void *start(void *argument) {
  struct member *member = argument;
  member->job(member);
  return NULL;
}

static inline void run_ranks(uint32_t ranks, const struct clew_twin_faults *faults,
                             double patience_s, void (*job)(struct member *member), void *context,
                             struct member *members) {
  struct clew_twin *twin = clew_twin_open(ranks, faults);
  for (uint32_t i = 0; i < ranks; i++) {
    members[i] = (struct member){.job = job, .context = context};
    clew_team_open(&members[i].team, clew_twin_join(twin, i), patience_s, NULL);
    members[i].team.transport->message_bytes = 4096;
  }
  for (uint32_t i = 0; i < ranks; i++) {
    assert_int_equal(pthread_create(&members[i].thread, NULL, start, &members[i]), 0);
  }
  for (uint32_t i = 0; i < ranks; i++) {
    pthread_join(members[i].thread, NULL);
    members[i].team.transport->type->close(members[i].team.transport);
    clew_team_close(&members[i].team);
  }
  clew_twin_close(twin);
}

#endif
