/* Changing the store in the midst of a search. */
#include "cli/convert.h"

#include <assert.h>

#include "base/alloc.h"
#include "cli/keep.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "cli/signals.h"

/* Each takes less memory than the one before. */
static const struct clew_store_type *const LADDER[] = {&clew_store_exact, &clew_store_disk};
enum { RUNGS = sizeof LADDER / sizeof *LADDER };

void clew_convert_remember(struct clew_session *session, const struct clew_cut *cut) {
  struct clew_archive copy = {0};
  clew_archive_put_bytes(&copy, cut->archive.data.data, cut->archive.data.len);
  clew_archive_free(&session->cut.archive);
  session->cut = *cut;
  session->cut.archive = copy;
  session->has_cut = true;
}

static const struct clew_store_type *next_rung(const struct clew_store_type *store) {
  for (uint32_t i = 0; i + 1 < RUNGS; i++) {
    if (LADDER[i] == store) {
      return LADDER[i + 1];
    }
  }
  return NULL;
}

/* Fills the store from the log. */
static bool fill(struct clew_session *session) {
  enum { AT_ONCE = 4096 };
  const struct clew_cut *cut = &session->cut;
  struct clew_back_edge *records = clew_alloc(AT_ONCE * sizeof *records);
  struct clew_replay *replay = clew_replay_open(&(struct clew_replay_config){
      .model = session->view,
      .store = session->store,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .waiting_from = cut->waiting_from,
      .by_level = cut->by_level,
      .stop = clew_signals_stop(),
  });
  enum clew_replayed fate = CLEW_REPLAYED;
  for (clew_id id = 0; id < cut->states && fate == CLEW_REPLAYED; id += AT_ONCE) {
    uint64_t left = cut->states - id;
    uint32_t count = left < AT_ONCE ? (uint32_t)left : AT_ONCE;
    fate = clew_log_read(session->log, id, count, records) ? clew_replay_add(replay, records, count)
                                                           : CLEW_REPLAY_DISK;
  }
  fate = fate == CLEW_REPLAYED ? clew_replay_finish(replay) : fate;
  session->waiting = fate == CLEW_REPLAYED ? clew_replay_take_waiting(replay) : NULL;
  clew_replay_close(replay);
  clew_free(records);
  return fate == CLEW_REPLAYED;
}

static void close_store(struct clew_session *session) {
  if (session->store != NULL) {
    session->store->type->close(session->store);
    session->store = NULL;
  }
}

static bool change_to(struct clew_session *session, const struct clew_store_type *type) {
  close_store(session);
  if (session->store_fields != NULL) {
    clew_option_free_lists(&session->store_type->options, session->store_fields);
    clew_free(session->store_fields);
  }
  session->store_type = type;
  session->store_fields = NULL; /* all defaults */
  if (clew_session_open_store(session) != CLEW_EXIT_OK || session->store == NULL ||
      !fill(session)) {
    close_store(session);
    return false;
  }
  return true;
}

bool clew_convert(struct clew_session *session, struct clew_result *result) {
  if (!session->is_auto || !session->has_cut || result->stop != CLEW_STOP_MEMORY ||
      session->store == NULL || session->cut.states == 0) {
    return false;
  }
  const struct clew_store_type *from = session->store_type, *to = next_rung(from);
  uint64_t states = session->cut.states;
  bool changed = false;
  while (to != NULL && !changed) {
    changed = change_to(session, to);
    if (!changed) {
      to = next_rung(to);
    }
  }
  if (!changed) {
    return false;
  }
  char number[32];
  clew_progress_clear(&session->progress);
  clew_message("note: the memory is used up after %s states; going on with the store %s",
               clew_text_count(states, number), to->name);
  clew_vec_push(&session->conversions,
                ((struct clew_conversion){.from = from->name, .to = to->name, .states = states}));
  session->explored_s += result->explore_s;
  session->info.store = to->name;
  clew_result_free(result);
  clew_result_init(result);
  return true;
}

void clew_convert_finish(struct clew_session *session, struct clew_result *result) {
  if (session->conversions.len == 0) {
    return;
  }
  result->explore_s += session->explored_s;
  for (uint32_t i = 0; i < session->conversions.len; i++) {
    clew_vec_push(&result->conversions, session->conversions.data[i]);
  }
  clew_vec_clear(&session->conversions);
  session->explored_s = 0;
}

void clew_convert_reset(struct clew_session *session) {
  session->has_cut = false;
  if (session->is_auto) {
    session->store_type = LADDER[0];
  }
}
