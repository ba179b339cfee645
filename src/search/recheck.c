/* Asking new properties of states that an earlier search has found.
 *
 * The states come one after the other, in the order of their ids, while a store is filled again.
 * Each is checked as a new state of a search is. What is found is written down in the form in which
 * runs keep their answers, and a run that goes on from the earlier search's cut takes it over in
 * place of the earlier answers (save.c). So the verdict is that of a search that asked from the
 * start. */
#include <assert.h>

#include "base/alloc.h"
#include "search/search_int.h"

struct clew_recheck {
  struct clew_search search;
  struct clew_result result;
  struct clew_run run;
  bool by_level;
};

struct clew_recheck *clew_recheck_open(const struct clew_engine_type *engine,
                                       const struct clew_search *search, bool by_level) {
  struct clew_recheck *recheck = clew_alloc_zero(1, sizeof *recheck);
  recheck->search = *search;
  recheck->search.crew = NULL;
  recheck->by_level = by_level;
  clew_result_init(&recheck->result);
  clew_run_open(&recheck->run, engine, &recheck->search, &recheck->result,
                sizeof(struct clew_worker), NULL);
  (void)clew_discrete_give_up(&recheck->run); /* the run that goes on counts them */
  (void)clew_run_worker(&recheck->run, 0);
  return recheck;
}

bool clew_recheck_visit(void *context, const struct clew_visit *visit) {
  struct clew_recheck *recheck = context;
  /* Where the log has no levels, depths are found out in the end. */
  clew_worker_check(clew_run_worker(&recheck->run, 0), visit->state, visit->id,
                    recheck->by_level ? visit->depth : 0);
  return !clew_run_stopped(&recheck->run);
}

bool clew_recheck_close(struct clew_recheck *recheck, struct clew_archive *answers) {
  struct clew_run *run = &recheck->run;
  struct clew_worker *worker = clew_run_worker(run, 0);
  bool is_answered = !clew_run_stopped(run) && atomic_load(&run->deep_site) == CLEW_NONE;
  for (uint32_t i = 0; i < worker->findings.len && answers != NULL && !recheck->by_level; i++) {
    worker->findings.data[i].depth = clew_run_path_length(run, worker->findings.data[i].id);
  }
  if (answers != NULL) {
    clew_run_save_answers(run, answers);
  }
  clew_run_abandon(run);
  clew_result_free(&recheck->result);
  clew_free(recheck);
  return is_answered;
}
