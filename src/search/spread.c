/* States that go to other ranks, and those that come.
 *
 * A worker has a buffer for each rank. Records gather there and leave as messages, when a batch is
 * done: nothing is sent from the midst of a state. A worker that could not get rid of two messages
 * for some rank does not expand: it receives, which gives others their credit back, until it can
 * send again. So nobody waits for one who waits, and buffers stay small.
 *
 * Successors of states that are near each other are often the same. A worker remembers states that
 * it has sent lately and does not send them again: their owner has them, or gets them within this
 * level. (What is sent by a search that has stopped may be lost; then this search, and what its
 * workers remember, is over.)
 *
 *   record:   the bytes of the state that are in use | id of its parent, 5 | its edge, 1 to 4
 *   message:  letter (cluster/team.h) | records | what words of states mean (model/dialect.h)
 *
 * Most models have nothing to say about their words. Messages of one that has are *sealed*: the
 * records that fit are chosen together with what has to be said of them, and stay so until the
 * message could be sent. */
#include "search/spread.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "search/search_int.h"

enum {
  ID_BYTES = 5,
  KIND_STATES = 1,
  KIND_STOP = 2,
  BUDGET_SHARE = 32,
  LEAST_BYTES = 1 << 12,
  LEAST_TOLD_BYTES = 1 << 15,
  HEAD_BYTES = 128,
  SLACK_BYTES = 16,
  BATCH = 256,
  RECENT_BITS = 15
};

/* ---- opening ---- */

static uint32_t bytes_for(uint32_t count) {
  uint32_t bytes = 1;
  while (bytes < 4 && count >> 8 * bytes != 0) {
    bytes++;
  }
  return bytes;
}

static uint64_t recent_bytes(const struct clew_spread *spread) {
  return ((uint64_t)spread->words * sizeof(uint64_t)) << spread->recent_bits;
}

/* Buffers of workers for two messages to each rank, what they have sent lately, and those that the
 * transport has. */
static uint64_t memory_of(const struct clew_spread *spread, size_t message_bytes) {
  uint64_t boxes = spread->model != NULL ? 3 : 2; /* with the one that is sealed */
  uint64_t each = (boxes * spread->threads + CLEW_TRANSPORT_CREDIT) * message_bytes;
  return each * spread->ranks + CLEW_TRANSPORT_INCOMING * message_bytes +
         spread->threads * (message_bytes + recent_bytes(spread));
}

bool clew_spread_open(struct clew_spread *spread, struct clew_team *team,
                      const struct clew_model *model, uint64_t seed, struct clew_budget *budget,
                      uint32_t threads) {
  *spread = (struct clew_spread){
      .team = team,
      .rank = team->rank,
      .ranks = team->ranks,
      .words = model->words,
      .model = model->dialect != NULL ? model : NULL,
      .seed = seed,
      .owner_words = model->discrete_words > 0 ? model->discrete_words : model->words,
      .state_bytes = model->bytes > (model->words - 1) * 8 ? model->bytes : model->words * 8,
      .edge_bytes = bytes_for(model->edge_count),
      .budget = budget,
      .threads = threads,
      .recent_bits = RECENT_BITS,
      .began_s = clew_clock_wall_s(),
      .waited_us = atomic_load(&team->waited_us)};
  struct clew_transport *transport = team->transport;
  spread->record_bytes = spread->state_bytes + ID_BYTES + spread->edge_bytes;
  /* Also of the records by which a checkpoint is read. */
  size_t bytes = transport->message_bytes;
  while (spread->recent_bits > 0 &&
         threads * recent_bytes(spread) > budget->limit_bytes / BUDGET_SHARE / 4) {
    spread->recent_bits--;
  }
  size_t least = spread->words * sizeof(uint64_t) + HEAD_BYTES;
  least = least > LEAST_BYTES ? least : LEAST_BYTES;
  if (spread->model != NULL && least < bytes) { /* parts of states have any length */
    least = bytes < LEAST_TOLD_BYTES ? bytes : LEAST_TOLD_BYTES;
  }
  while (bytes / 2 >= least && memory_of(spread, bytes) > budget->limit_bytes / BUDGET_SHARE) {
    bytes /= 2;
  }
  uint64_t agreed = bytes; /* the least of all ranks */
  if (least > transport->message_bytes || !clew_team_reduce(team, CLEW_REDUCE_MIN, &agreed, 1)) {
    return false;
  }
  transport->message_bytes = agreed;
  spread->per_message = (uint32_t)((agreed - sizeof(struct clew_letter)) / spread->record_bytes);
  spread->budget_bytes = memory_of(spread, agreed);
  if (!clew_budget_take(budget, spread->budget_bytes)) {
    spread->budget_bytes = 0;
  }
  spread->sent = clew_alloc_zero(team->ranks, sizeof *spread->sent);
  spread->values = clew_alloc_zero((size_t)team->ranks + 64, sizeof *spread->values);
  clew_team_begin(team);
  return spread->budget_bytes > 0;
}

void clew_spread_close(struct clew_spread *spread) {
  if (spread->budget != NULL) {
    clew_budget_give(spread->budget, spread->budget_bytes);
  }
  for (uint32_t i = 0; i < spread->more.len; i++) {
    clew_archive_free(&spread->more.data[i]);
  }
  clew_vec_free(&spread->more);
  clew_free(spread->sent);
  clew_free(spread->values);
  *spread = (struct clew_spread){0};
}

/* ---- outboxes ---- */

/* A state of zeros is at its place only if it was sent: another one is there in the beginning,
 * which belongs to another place. */
static void open_recent(struct clew_worker *worker) {
  const struct clew_spread *spread = worker->run->spread;
  uint32_t words = spread->words;
  uint64_t mask = (UINT64_C(1) << spread->recent_bits) - 1;
  worker->recent = clew_alloc_zero((mask + 1) * words, sizeof *worker->recent);
  uint64_t zero = clew_hash_words(worker->recent, words, spread->seed) & mask;
  uint64_t *first = worker->recent + zero * words;
  assert(mask > 0);
  do {
    first[0]++;
  } while ((clew_hash_words(first, words, spread->seed) & mask) == zero);
}

/* The place of a state with this hash among those that were sent lately. */
static inline uint64_t *recent_place(const struct clew_worker *worker, uint64_t mask, uint64_t hash,
                                     uint32_t words) {
  return worker->recent + (hash & mask) * words;
}

/* Whether the state is the one at its place; it is from now on. */
static inline bool was_sent(uint64_t *place, const uint64_t *state, uint32_t words) {
  uint64_t difference = 0;
  for (uint32_t w = 0; w < words; w++) {
    difference |= place[w] ^ state[w];
    place[w] = state[w];
  }
  return difference == 0;
}

/* What a worker has for one rank: room for the letter of the next message, then records. */
struct clew_outbox {
  CLEW_VEC(unsigned char) data;
  CLEW_VEC(unsigned char) sealed; /* a message; empty: none is */
};

void clew_spread_open_worker(struct clew_worker *worker) {
  const struct clew_spread *spread = worker->run->spread;
  worker->outboxes = clew_alloc_zero(spread->ranks, sizeof *worker->outboxes);
  worker->fired_apart = worker->fired;
  worker->fired = NULL;
  worker->letter = clew_alloc(spread->team->transport->message_bytes + SLACK_BYTES);
  if (spread->recent_bits > 0 && (worker->run->store->promises & CLEW_STORE_REMEMBERS) != 0) {
    open_recent(worker);
  }
}

void clew_spread_close_worker(struct clew_worker *worker) {
  for (uint32_t i = 0; worker->outboxes != NULL && i < worker->run->spread->ranks; i++) {
    clew_vec_free(&worker->outboxes[i].data);
    clew_vec_free(&worker->outboxes[i].sealed);
  }
  clew_free(worker->outboxes);
  clew_free(worker->letter);
  clew_free(worker->recent);
}

/* Whole words are written, each over what the one before has written too much. */
static inline void put_record(const struct clew_spread *spread, struct clew_outbox *box,
                              const uint64_t *state, uint32_t words, clew_id id, uint32_t edge) {
  uint32_t head = box->data.len == 0 ? (uint32_t)sizeof(struct clew_letter) : box->data.len;
  clew_vec_reserve(&box->data, head + spread->record_bytes + SLACK_BYTES);
  unsigned char *at = box->data.data + head;
  for (uint32_t w = 0; w < words; w++) {
    memcpy(at + w * sizeof *state, &state[w], sizeof *state);
  }
  memcpy(at + spread->state_bytes, &id, sizeof id);
  memcpy(at + spread->state_bytes + ID_BYTES, &edge, sizeof edge);
  box->data.len = head + spread->record_bytes;
}

static inline uint64_t recent_mask(const struct clew_spread *spread) {
  return (UINT64_C(1) << spread->recent_bits) - 1;
}

/* Who owns each successor, in the place of its depth, and its hash; what will be looked at comes
 * nearer meanwhile. */
static inline __attribute__((always_inline)) void find_owners(struct clew_worker *worker,
                                                              uint32_t first, uint32_t words) {
  const struct clew_run *run = worker->run;
  const struct clew_spread *spread = run->spread;
  const struct clew_store *store = run->store;
  const struct clew_succs *succs = &worker->succs;
  struct clew_visit *visits = worker->visits.data;
  const uint64_t mask = recent_mask(spread), seed = spread->seed;
  const uint32_t count = succs->count, rank = spread->rank;
  bool whole = spread->owner_words == words && spread->model == NULL;
  const uint64_t *state = succs->states + (size_t)first * words;
  for (uint32_t i = first; i < count; i++, state += words) {
    uint64_t hash = clew_hash_words(state, words, seed);
    uint32_t owner =
        whole ? clew_spread_owner_of_hash(spread, hash) : clew_spread_owner(spread, state);
    visits[i].hash = hash;
    visits[i].depth = owner;
    if (owner == rank) {
      store->type->prefetch(store, hash);
    } else if (worker->recent != NULL) {
      __builtin_prefetch(recent_place(worker, mask, hash, words), 1);
    }
  }
}

/* Divides successors of so many words: a constant, where that is known. */
static inline __attribute__((always_inline)) void
divide_as(struct clew_worker *worker, uint32_t first, clew_id id, uint32_t depth, uint32_t words) {
  const struct clew_spread *spread = worker->run->spread;
  struct clew_succs *succs = &worker->succs;
  struct clew_visit *visits = worker->visits.data;
  uint64_t *fired = worker->fired_apart;
  const clew_id name = clew_spread_name(spread, id);
  const uint64_t mask = recent_mask(spread);
  const uint32_t count = succs->count, rank = spread->rank;
  const uint64_t *state = succs->states + (size_t)first * words;
  uint64_t *place = succs->states + (size_t)first * words;
  uint32_t kept = first;
  find_owners(worker, first, words);
  for (uint32_t i = first; i < count; i++, state += words) {
    uint64_t hash = visits[i].hash;
    uint32_t owner = visits[i].depth, edge = succs->edges[i];
    if (fired != NULL) {
      fired[edge]++;
    }
    if (owner != rank) {
      if (worker->recent == NULL ||
          !was_sent(recent_place(worker, mask, hash, words), state, words)) {
        put_record(spread, &worker->outboxes[owner], state, words, id, edge);
      }
      continue;
    }
    for (uint32_t w = 0; w < words; w++) { /* perhaps to itself */
      place[w] = state[w];
    }
    succs->edges[kept] = edge;
    visits[kept] = (struct clew_visit){.hash = hash, .parent = name, .edge = edge, .depth = depth};
    place += words;
    kept++;
  }
  succs->count = worker->visits.len = kept;
}

void clew_spread_divide(struct clew_worker *worker, uint32_t first, clew_id id, uint32_t depth) {
  const struct clew_succs *succs = &worker->succs;
  assert(worker->visits.len == first &&
         worker->run->spread->seed == worker->run->store->config.seed);
  clew_vec_reserve(&worker->visits, succs->count);
  switch (succs->words) { /* loops over few words are as long as what they do */
  case 1:
    divide_as(worker, first, id, depth, 1);
    break;
  case 2:
    divide_as(worker, first, id, depth, 2);
    break;
  case 3:
    divide_as(worker, first, id, depth, 3);
    break;
  case 4:
    divide_as(worker, first, id, depth, 4);
    break;
  default:
    divide_as(worker, first, id, depth, succs->words);
  }
}

void clew_spread_keep_own(struct clew_worker *worker) {
  const struct clew_spread *spread = worker->run->spread;
  struct clew_succs *succs = &worker->succs;
  uint32_t kept = 0, words = succs->words;
  for (uint32_t i = 0; i < succs->count; i++) {
    const uint64_t *state = succs->states + (size_t)i * words;
    if (clew_spread_owner(spread, state) == spread->rank) {
      memmove(succs->states + (size_t)kept * words, state, words * sizeof *state);
      succs->edges[kept++] = succs->edges[i];
    }
  }
  succs->count = kept;
}

/* ---- sending ---- */

/* Bytes of a message that is full. */
static uint32_t full_bytes(const struct clew_spread *spread) {
  return (uint32_t)sizeof(struct clew_letter) + spread->per_message * spread->record_bytes;
}

/* The first bytes of the box, a letter and records, leave it. */
static void take_off(struct clew_outbox *box, uint32_t bytes) {
  uint32_t head = sizeof(struct clew_letter), left = box->data.len - bytes;
  if (left > 0) {
    memmove(box->data.data + head, box->data.data + bytes, left);
  }
  box->data.len = left > 0 ? head + left : 0;
}

static void count_sent(struct clew_spread *spread, uint32_t to, uint32_t count) {
  atomic_fetch_add_explicit(&spread->sent[to], count, memory_order_relaxed);
  atomic_fetch_add_explicit(&spread->remote, count, memory_order_relaxed);
}

/* Sends the first message of the box; false: there is no credit. With the lock. */
static bool send_plain(struct clew_spread *spread, struct clew_outbox *box, uint32_t to) {
  uint32_t head = sizeof(struct clew_letter), most = full_bytes(spread);
  uint32_t bytes = box->data.len < most ? box->data.len : most;
  uint32_t count = (bytes - head) / spread->record_bytes;
  struct clew_letter letter = {.kind = KIND_STATES, .count = count};
  memcpy(box->data.data, &letter, sizeof letter);
  if (!clew_team_send(spread->team, to, box->data.data, bytes)) {
    return false;
  }
  count_sent(spread, to, count);
  take_off(box, bytes);
  return true;
}

/* Makes a message of as many records as fit together with what has to be said of them. False: not
 * even one does. With the lock. */
static bool seal(const struct clew_spread *spread, struct clew_outbox *box, uint32_t to) {
  const struct clew_dialect *dialect = spread->model->dialect;
  uint32_t head = sizeof(struct clew_letter), record = spread->record_bytes, count = 0;
  uint32_t waiting = (box->data.len - head) / record;
  size_t most = spread->team->transport->message_bytes, said = 0, room = most - head;
  unsigned char *words = clew_alloc(room);
  uint64_t *state = clew_alloc_zero(spread->words, sizeof *state);
  dialect->address(spread->model, to);
  for (; count < waiting && room >= record; count++) {
    size_t bytes = 0;
    memcpy(state, box->data.data + head + (size_t)count * record, spread->state_bytes);
    if (!dialect->tell(spread->model, to, state, words + said, room - record, &bytes)) {
      break;
    }
    said += bytes;
    room -= record + bytes;
  }
  if (count > 0) {
    uint32_t records = head + count * record;
    struct clew_letter letter = {.kind = KIND_STATES, .count = count};
    clew_vec_reserve(&box->sealed, records + (uint32_t)said);
    memcpy(box->sealed.data, box->data.data, records);
    memcpy(box->sealed.data, &letter, sizeof letter);
    memcpy(box->sealed.data + records, words, said);
    box->sealed.len = records + (uint32_t)said;
    take_off(box, records);
  }
  clew_free(state);
  clew_free(words);
  return count > 0;
}

/* The same as send_plain, where words have to be explained. */
static bool send_sealed(struct clew_run *run, struct clew_outbox *box, uint32_t to) {
  struct clew_spread *spread = run->spread;
  struct clew_letter letter;
  if (box->sealed.len == 0 && !seal(spread, box, to)) {
    clew_run_stop(run, CLEW_STOP_MESSAGE);
    return false;
  }
  memcpy(&letter, box->sealed.data, sizeof letter);
  if (!clew_team_send(spread->team, to, box->sealed.data, box->sealed.len)) {
    return false;
  }
  count_sent(spread, to, letter.count);
  clew_vec_clear(&box->sealed);
  return true;
}

bool clew_spread_pump(struct clew_worker *worker, bool all) {
  struct clew_spread *spread = worker->run->spread;
  uint32_t least = all ? 1 : full_bytes(spread);
  bool done = true;
  for (uint32_t to = 0; to < spread->ranks; to++) {
    struct clew_outbox *box = &worker->outboxes[to];
    if (box->data.len < least && box->sealed.len == 0) {
      continue;
    }
    pthread_mutex_lock(&spread->team->lock);
    bool sent = true;
    while (sent && (box->data.len >= least || box->sealed.len > 0)) {
      sent =
          spread->model == NULL ? send_plain(spread, box, to) : send_sealed(worker->run, box, to);
    }
    pthread_mutex_unlock(&spread->team->lock);
    done = done && (all ? box->data.len + box->sealed.len == 0 : box->data.len < 2 * least);
  }
  return done;
}

void clew_spread_drop(struct clew_worker *worker) {
  for (uint32_t to = 0; to < worker->run->spread->ranks; to++) {
    clew_vec_clear(&worker->outboxes[to].data);
    clew_vec_clear(&worker->outboxes[to].sealed);
  }
}

/* The others need not finish the level. Those that cannot be told now learn it in its end. */
void clew_spread_tell_stop(struct clew_run *run) {
  struct clew_spread *spread = run->spread;
  struct clew_letter letter = {.kind = KIND_STOP};
  unsigned char message[sizeof letter + 1] = {0};
  if (spread->told) {
    return;
  }
  spread->told = true;
  pthread_mutex_lock(&spread->team->lock);
  for (uint32_t to = 0; to < spread->ranks; to++) {
    if (to != spread->rank) {
      memcpy(message, &letter, sizeof letter);
      (void)clew_team_send(spread->team, to, message, sizeof message);
    }
  }
  pthread_mutex_unlock(&spread->team->lock);
}

/* ---- receiving ---- */

/* Appends the records of a message as successors, and visits of them. Whole words are read; what
 * does not belong to the record is masked off. */
static void unpack(struct clew_worker *worker, uint32_t count, uint32_t depth) {
  struct clew_run *run = worker->run;
  const struct clew_spread *spread = run->spread;
  struct clew_succs *succs = &worker->succs;
  const struct clew_store *store = run->store;
  const unsigned char *at = worker->letter + sizeof(struct clew_letter) +
                            (size_t)worker->letter_at * spread->record_bytes;
  uint32_t from = worker->letter_from;
  uint32_t words = spread->words, rest = spread->state_bytes - (words - 1) * 8;
  const uint64_t last_mask = clew_bits_mask(8 * rest), id_mask = clew_bits_mask(8 * ID_BYTES);
  const uint32_t edge_mask = (uint32_t)clew_bits_mask(8 * spread->edge_bytes);
  assert(succs->count == 0 && worker->visits.len == 0);
  clew_vec_reserve(&worker->visits, count);
  for (uint32_t i = 0; i < count; i++, at += spread->record_bytes) {
    struct clew_visit *visit = &worker->visits.data[i];
    uint64_t *state = clew_succs_next(succs);
    clew_id id;
    uint32_t edge;
    for (uint32_t w = 0; w < words; w++) {
      memcpy(&state[w], at + w * sizeof *state, sizeof *state);
    }
    state[words - 1] &= last_mask;
    memcpy(&id, at + spread->state_bytes, sizeof id);
    memcpy(&edge, at + spread->state_bytes + ID_BYTES, sizeof edge);
    edge &= edge_mask;
    clew_succs_keep(succs, edge);
    *visit = (struct clew_visit){.hash = clew_hash_words(state, words, spread->seed),
                                 .parent = (id & id_mask) * spread->ranks + from,
                                 .edge = edge,
                                 .depth = depth};
    store->type->prefetch(store, visit->hash);
  }
  worker->visits.len = count;
  worker->letter_at += count;
  worker->letter_left -= count;
}

/* What other ranks say is no use here: the search stops, or the team is lost. */
static void give_up(struct clew_run *run, uint32_t site) {
  if (site == CLEW_NONE) {
    clew_team_lose(run->spread->team, "a message is damaged");
    clew_run_stop(run, CLEW_STOP_RANK);
  } else {
    (void)clew_run_leaves_open(run, site);
  }
}

/* The words of states that have come become those of this rank. False: the search has stopped. */
static bool adopt(struct clew_worker *worker) {
  struct clew_run *run = worker->run;
  const struct clew_spread *spread = run->spread;
  const struct clew_model *model = spread->model;
  struct clew_succs *succs = &worker->succs;
  for (uint32_t i = 0; i < succs->count; i++) {
    uint64_t *state = succs->states + (size_t)i * spread->words;
    struct clew_visit *visit = &worker->visits.data[i];
    uint32_t site;
    if (!model->dialect->adopt(model, worker->letter_from, state, &site)) {
      give_up(run, site);
      worker->letter_left = 0;
      clew_worker_clear(worker);
      return false;
    }
    visit->hash = clew_hash_words(state, spread->words, spread->seed);
    run->store->type->prefetch(run->store, visit->hash);
  }
  return true;
}

/* A message that is for the search; 0: none is there, or another thread is looking. */
static size_t receive(struct clew_worker *worker, uint32_t *from) {
  struct clew_spread *spread = worker->run->spread;
  if (pthread_mutex_trylock(&spread->team->lock) != 0) {
    return 0;
  }
  size_t bytes = clew_team_receive(spread->team, from, worker->letter);
  pthread_mutex_unlock(&spread->team->lock);
  return bytes;
}

/* Receives a message, if the one before is used up. False: there is none. */
static bool has_records(struct clew_worker *worker) {
  struct clew_run *run = worker->run;
  struct clew_spread *spread = run->spread;
  struct clew_letter letter;
  if (worker->letter_left > 0) {
    return true;
  }
  size_t bytes = receive(worker, &worker->letter_from);
  if (clew_team_is_lost(spread->team)) {
    clew_run_stop(run, CLEW_STOP_RANK);
    return false;
  }
  if (bytes == 0) {
    return false;
  }
  memcpy(&letter, worker->letter, sizeof letter);
  if (letter.kind == KIND_STOP) {
    clew_run_stop(run, CLEW_STOP_RANK); /* until all say why */
    return false;
  }
  size_t records = sizeof letter + (size_t)letter.count * spread->record_bytes;
  assert(letter.kind == KIND_STATES &&
         (spread->model != NULL ? bytes >= records : bytes == records));
  atomic_fetch_add_explicit(&spread->received, letter.count, memory_order_relaxed);
  worker->letter_at = 0;
  worker->letter_left = letter.count;
  uint32_t site = CLEW_NONE;
  if (spread->model != NULL &&
      !spread->model->dialect->learn(spread->model, worker->letter_from, worker->letter + records,
                                     bytes - records, &site)) {
    give_up(run, site);
    worker->letter_left = 0;
  }
  return worker->letter_left > 0;
}

/* Few enough that what is prefetched is still there when it is put. */
bool clew_spread_fetch(struct clew_worker *worker, uint32_t depth) {
  if (!has_records(worker)) {
    return false;
  }
  if (clew_run_stopped(worker->run)) {
    worker->letter_left = 0; /* nothing comes of it */
    return false;
  }
  unpack(worker, worker->letter_left < BATCH ? worker->letter_left : BATCH, depth);
  return worker->run->spread->model == NULL || adopt(worker);
}

/* ---- parents that a store knows ---- */

void clew_spread_to_ids(const struct clew_spread *spread, struct clew_visit *visits,
                        uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    clew_id name = visits[i].parent;
    bool is_own = name != CLEW_ID_NONE && clew_spread_rank_of(spread, name) == spread->rank;
    visits[i].parent = is_own ? clew_spread_id_of(spread, name) : CLEW_ID_NONE;
  }
}
