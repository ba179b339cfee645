/* What ranks do together, and how they wait for each other. */
#include "cluster/team.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"

enum { SPINS = 16, YIELDS = 8 };
/* Naps get longer with the time that was waited: to look around costs processor time, too, and to
 * come a sixteenth too late does not matter. */
static const double NAP_S = 50e-6, LONGEST_NAP_S = 1e-3, NAP_SHARE = 1.0 / 16;
static const double HURRY_S = 0.6; /* a process that is told to end has about a second */

void clew_team_open(struct clew_team *team, struct clew_transport *transport, double patience_s,
                    const atomic_bool *hurry) {
  *team = (struct clew_team){.transport = transport,
                             .rank = transport->rank,
                             .ranks = transport->ranks,
                             .patience_s = patience_s,
                             .hurry = hurry};
  team->numbers = clew_alloc_zero(team->ranks, sizeof *team->numbers);
  team->seen = clew_alloc_zero(team->ranks, sizeof *team->seen);
  pthread_mutex_init(&team->lock, NULL);
}

void clew_team_close(struct clew_team *team) {
  for (uint32_t i = 0; i < team->ranks; i++) {
    clew_free(team->seen[i].set);
  }
  clew_free(team->seen);
  clew_free(team->numbers);
  pthread_mutex_destroy(&team->lock);
}

void clew_team_lose(struct clew_team *team, const char *why) {
  bool before = false;
  if (atomic_compare_exchange_strong(&team->lost, &before, true)) {
    team->why = why;
  }
}

/* ---- waiting ---- */

static bool is_patient(const struct clew_team *team, double waited_s) {
  bool hurry = team->hurry != NULL && atomic_load_explicit(team->hurry, memory_order_relaxed);
  double most_s = hurry && team->patience_s > HURRY_S ? HURRY_S : team->patience_s;
  return waited_s < most_s;
}

static void nap(double waited_s) {
  double nap_s = waited_s * NAP_SHARE;
  nap_s = nap_s < NAP_S ? NAP_S : nap_s > LONGEST_NAP_S ? LONGEST_NAP_S : nap_s;
  nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * nap_s)}, NULL);
}

bool clew_team_idle(struct clew_team *team, struct clew_wait *wait) {
  double now_s = clew_clock_wall_s();
  if (wait->idle == 0) {
    wait->since_s = wait->last_s = now_s;
  }
  atomic_fetch_add_explicit(&team->waited_us, (uint64_t)(1e6 * (now_s - wait->last_s)),
                            memory_order_relaxed);
  wait->last_s = now_s;
  wait->idle++;
  if (wait->idle > SPINS + YIELDS) {
    nap(now_s - wait->since_s);
  } else if (wait->idle > SPINS) {
    sched_yield();
  }
  if (!is_patient(team, now_s - wait->since_s)) {
    clew_team_lose(team, "a rank does not answer");
  }
  return !clew_team_is_lost(team);
}

/* ---- messages ---- */

void clew_team_begin(struct clew_team *team) {
  team->phase++;
  memset(team->numbers, 0, team->ranks * sizeof *team->numbers);
  for (uint32_t i = 0; i < team->ranks; i++) {
    if (team->seen[i].words > 0) {
      memset(team->seen[i].set, 0, team->seen[i].words * sizeof(uint64_t));
    }
  }
}

static uint64_t sum_of(const unsigned char *message, size_t bytes) {
  return clew_hash_bytes(message + sizeof(uint64_t), bytes - sizeof(uint64_t), 0);
}

bool clew_team_send(struct clew_team *team, uint32_t to, unsigned char *message, size_t bytes) {
  struct clew_letter letter;
  if (!team->transport->type->send(team->transport, to, NULL, 0)) {
    return false; /* before anything is added up */
  }
  memcpy(&letter, message, sizeof letter);
  letter.key = team->key;
  letter.phase = team->phase;
  letter.number = team->numbers[to];
  memcpy(message, &letter, sizeof letter);
  letter.sum = sum_of(message, bytes);
  memcpy(message, &letter, sizeof letter.sum);
  if (!team->transport->type->send(team->transport, to, message, bytes)) {
    return false;
  }
  team->numbers[to]++;
  team->messages_sent++;
  team->bytes_sent += bytes;
  return true;
}

/* Whether this number has not come before. */
static bool note_number(struct clew_seen *seen, uint32_t number) {
  uint32_t word = number / 64;
  if (word >= seen->words) {
    uint32_t words = 2 * (word + 1);
    seen->set = clew_realloc_array(seen->set, words, sizeof *seen->set);
    memset(seen->set + seen->words, 0, (words - seen->words) * sizeof *seen->set);
    seen->words = words;
  }
  bool is_new = (seen->set[word] >> number % 64 & 1) == 0;
  seen->set[word] |= UINT64_C(1) << number % 64;
  return is_new;
}

size_t clew_team_receive(struct clew_team *team, uint32_t *from, unsigned char *buffer) {
  size_t bytes;
  while ((bytes = team->transport->type->receive(team->transport, from, buffer)) > 0) {
    struct clew_letter letter = {0};
    if (bytes >= sizeof letter) {
      memcpy(&letter, buffer, sizeof letter);
    }
    if (bytes < sizeof letter || letter.sum != sum_of(buffer, bytes)) {
      clew_team_lose(team, "a message is damaged");
      return 0;
    }
    if (letter.key != team->key || letter.phase > team->phase) {
      clew_team_lose(team, "a message belongs to another search");
      return 0;
    }
    if (letter.phase == team->phase && note_number(&team->seen[*from], letter.number)) {
      return bytes;
    }
  }
  return 0;
}

/* ---- together ---- */

bool clew_team_reduce(struct clew_team *team, enum clew_reduction reduction, uint64_t *values,
                      uint32_t count) {
  struct clew_transport *transport = team->transport;
  struct clew_wait wait = {0};
  bool done = false;
  while (!clew_team_is_lost(team) &&
         !(done = transport->type->reduce(transport, reduction, values, count))) {
    (void)clew_team_idle(team, &wait);
  }
  return done;
}

bool clew_team_share(struct clew_team *team, uint32_t from, void *data, size_t bytes) {
  enum { AT_ONCE = 4096 };
  uint64_t words[AT_ONCE];
  for (size_t done = 0; done < bytes; done += sizeof words) {
    size_t part = bytes - done < sizeof words ? bytes - done : sizeof words;
    uint32_t count = (uint32_t)((part + sizeof *words - 1) / sizeof *words);
    memset(words, 0, count * sizeof *words);
    if (team->rank == from) {
      memcpy(words, (unsigned char *)data + done, part);
    }
    if (!clew_team_reduce(team, CLEW_REDUCE_OR, words, count)) {
      return false;
    }
    memcpy((unsigned char *)data + done, words, part);
  }
  return true;
}

bool clew_team_all(struct clew_team *team, bool here) {
  uint64_t all = here;
  return clew_team_reduce(team, CLEW_REDUCE_MIN, &all, 1) && all != 0;
}

/* ---- records to and from everybody ---- */

/* Before the records of a message: the letter, and which of the sender's records come first. */
enum { POST_HEAD_BYTES = sizeof(struct clew_letter) + sizeof(uint64_t) };

void clew_post_open(struct clew_post *post, const struct clew_team *team, uint32_t record_bytes) {
  assert(record_bytes > 0 && record_bytes + POST_HEAD_BYTES <= team->transport->message_bytes);
  *post = (struct clew_post){.record_bytes = record_bytes,
                             .out = clew_alloc_zero(team->ranks, sizeof *post->out),
                             .in = clew_alloc_zero(team->ranks, sizeof *post->in),
                             .buffer = clew_alloc(team->transport->message_bytes)};
}

void clew_post_close(struct clew_post *post, const struct clew_team *team) {
  for (uint32_t i = 0; i < team->ranks; i++) {
    clew_free(post->out[i].data);
    clew_free(post->in[i].data);
  }
  clew_free(post->out);
  clew_free(post->in);
  clew_free(post->buffer);
}

static void make_room(const struct clew_post *post, struct clew_post_box *box, uint64_t count) {
  if (count > box->room) {
    uint64_t room = count > 2 * box->room ? count : 2 * box->room;
    box->data = clew_realloc_array(box->data, room, post->record_bytes);
    box->room = room;
  }
}

void *clew_post_add(struct clew_post *post, uint32_t to) {
  struct clew_post_box *box = &post->out[to];
  make_room(post, box, box->count + 1);
  return box->data + box->count++ * post->record_bytes;
}

struct mail {
  struct clew_post *post;
  struct clew_team *team;
  uint64_t per_message;
  uint64_t *sent;                /* records to each rank */
  uint64_t *expected, *received; /* records from each rank */
};

/* Sends what there is credit for; true: all is sent. */
static bool send_some(struct mail *mail, bool *progress) {
  struct clew_post *post = mail->post;
  bool all = true;
  for (uint32_t to = 0; to < mail->team->ranks; to++) {
    uint64_t left = post->out[to].count - mail->sent[to];
    while (to != mail->team->rank && left > 0) {
      uint64_t part = left < mail->per_message ? left : mail->per_message;
      memcpy(post->buffer, &(struct clew_letter){.count = (uint32_t)part},
             sizeof(struct clew_letter));
      memcpy(post->buffer + sizeof(struct clew_letter), &mail->sent[to], sizeof mail->sent[to]);
      memcpy(post->buffer + POST_HEAD_BYTES,
             post->out[to].data + mail->sent[to] * post->record_bytes, part * post->record_bytes);
      if (!clew_team_send(mail->team, to, post->buffer,
                          POST_HEAD_BYTES + part * post->record_bytes)) {
        break;
      }
      mail->sent[to] += part;
      left -= part;
      *progress = true;
    }
    all = all && (left == 0 || to == mail->team->rank);
  }
  return all;
}

/* Takes a message; its number says where its records belong, whichever came before. */
static bool receive_one(struct mail *mail) {
  struct clew_post *post = mail->post;
  uint32_t from = 0;
  uint64_t first = 0;
  struct clew_letter letter;
  size_t bytes = clew_team_receive(mail->team, &from, post->buffer);
  if (bytes == 0) {
    return false;
  }
  memcpy(&letter, post->buffer, sizeof letter);
  memcpy(&first, post->buffer + sizeof letter, sizeof first);
  assert(bytes == POST_HEAD_BYTES + (size_t)letter.count * post->record_bytes &&
         first + letter.count <= mail->expected[from]);
  memcpy(post->in[from].data + first * post->record_bytes, post->buffer + POST_HEAD_BYTES,
         (size_t)letter.count * post->record_bytes);
  mail->received[from] += letter.count;
  return true;
}

static bool is_complete(const struct mail *mail) {
  for (uint32_t i = 0; i < mail->team->ranks; i++) {
    if (i != mail->team->rank && mail->received[i] < mail->expected[i]) {
      return false;
    }
  }
  return true;
}

/* Who sends how many to whom: a row for each sender. */
static bool exchange_counts(struct mail *mail) {
  uint32_t ranks = mail->team->ranks, rank = mail->team->rank;
  uint64_t *table = clew_alloc_zero((size_t)ranks * ranks, sizeof *table);
  for (uint32_t to = 0; to < ranks; to++) {
    table[(size_t)rank * ranks + to] = mail->post->out[to].count;
  }
  bool ok = clew_team_reduce(mail->team, CLEW_REDUCE_SUM, table, ranks * ranks);
  for (uint32_t from = 0; from < ranks && ok; from++) {
    mail->expected[from] = table[(size_t)from * ranks + rank];
    make_room(mail->post, &mail->post->in[from], mail->expected[from]);
    mail->post->in[from].count = mail->expected[from];
  }
  clew_free(table);
  return ok;
}

bool clew_post_exchange(struct clew_post *post, struct clew_team *team) {
  uint64_t *numbers = clew_alloc_zero((size_t)team->ranks * 3, sizeof *numbers);
  struct mail mail = {.post = post,
                      .team = team,
                      .per_message =
                          (team->transport->message_bytes - POST_HEAD_BYTES) / post->record_bytes,
                      .sent = numbers,
                      .expected = numbers + team->ranks,
                      .received = numbers + 2 * (size_t)team->ranks};
  clew_team_begin(team);
  bool ok = exchange_counts(&mail), sent = false;
  struct clew_wait wait = {0};
  while (ok && !(sent && is_complete(&mail))) {
    bool progress = false;
    sent = send_some(&mail, &progress);
    progress |= receive_one(&mail);
    if (progress) {
      clew_wait_renew(&wait);
    } else {
      ok = clew_team_idle(team, &wait);
    }
  }
  struct clew_post_box *own = &post->in[team->rank];
  if (own->count > 0) {
    memcpy(own->data, post->out[team->rank].data, own->count * post->record_bytes);
  }
  for (uint32_t i = 0; i < team->ranks; i++) {
    post->out[i].count = 0;
  }
  /* Nobody begins the next one while a message of this is under way. */
  ok = ok && clew_team_all(team, true);
  clew_free(numbers);
  return ok;
}
