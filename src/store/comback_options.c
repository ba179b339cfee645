/* The options of the ComBack store: "F20-D80:0.01" and the like, checked and put into numbers.
 *
 * Sizes are counted in full states. What the command line leaves open is a share of a number of
 * full states: the one it gives, or as many as an eighth of the memory budget holds. In the latter
 * case sizes grow with the number of states, so that a small model takes little. The shares of
 * cache, candidate set and queue are those of the best configuration in the published experiments
 * with the number of full states that is nearest in magnitude; none of the three techniques should
 * be switched off, and the cache should get the most. The best strategy next to delayed detection
 * is, by events, a fifo cache with a small second level; the fifo alone executes up to 5 percent
 * more, but rates no states and lets batches be as large as they come: a tenth to a seventh less
 * time. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "store/comback_int.h"

enum {
  DEFAULT_HASH_BITS = 32,
  DEFAULT_DISTANCE = 5,
  DEFAULT_LEVEL_STEP = 4,
  FULL_STATES_WITHOUT_BUDGET = 100000,
  OVERHEAD_BYTES = 40, /* of a full state in a cache or candidate set */
  MAX_BLOCK = 1 << 20,
  LEAST_FULL_STATES = 1000, /* however few states there are */
};

/* Measured on models of 30,000 to 2,000,000 states: from 0.02 to 0.05 or 0.1 the store takes 1.5 or
 * 4 bytes more for each state and executes 8 or 14 percent fewer events; at 5 million states 0.01
 * saves half a byte. */
static const double FULL_STATES_PER_STATE = 0.01;

static const char DEFAULT_STRATEGY[] = "F";
static const double DEFAULT_PROBABILITY = 0.5;
static const uint64_t MAX_FULL_STATES = UINT64_C(1) << 30;
/* Twice as many, where half are sure to be new, have a number. */
static const uint64_t MAX_CANDIDATES = UINT64_C(1) << (CLEW_COMBACK_CANDIDATE_BITS - 1);

const struct clew_option_spec clew_comback_option_specs[CLEW_COMBACK_OPTION_COUNT] = {
    {CLEW_OPTION_COUNT, "hash-bits", "B",
     "bits of hash kept for a state: 32 with --cb-layout paper, otherwise as many as fit (default)",
     .offset = offsetof(struct clew_comback_options, hash_bits), .least = 1, .most = 64},
    {CLEW_OPTION_TEXT, "cb-cache", "STRATEGY[:SIZE]",
     "the cache of whole states: none, R, F, H, D, L or a split such as F20-D80; the size in "
     "states "
     "or as a fraction of --cb-states",
     .offset = offsetof(struct clew_comback_options, cache)},
    {CLEW_OPTION_TEXT, "cb-candidates", "SIZE",
     "states that are put off to decide them together; 0 decides each at once",
     .offset = offsetof(struct clew_comback_options, candidates)},
    {CLEW_OPTION_CHOICE, "cb-detect", "level|full",
     "when it is decided what was put off: also at the end of each level (default), or only when "
     "there is no more room or nothing else to do, which is cheaper but does not keep levels exact",
     .offset = offsetof(struct clew_comback_options, detect)},
    {CLEW_OPTION_CHOICE, "cb-queue", "full|ids",
     "what waits in the queue: whole states (default), or ids that are rebuilt in blocks",
     .offset = offsetof(struct clew_comback_options, queue)},
    {CLEW_OPTION_TEXT, "cb-block", "SIZE", "states rebuilt together for the queue of ids",
     .offset = offsetof(struct clew_comback_options, block)},
    {CLEW_OPTION_POSITIVE, "cb-states", "N",
     "expected number of states, which the fractions of the other options refer to",
     .offset = offsetof(struct clew_comback_options, states)},
    {CLEW_OPTION_POSITIVE, "cb-full-states", "N", "whole states that may be kept in all",
     .offset = offsetof(struct clew_comback_options, full_states)},
    {CLEW_OPTION_TEXT, "cb-shares", "C,D,Q",
     "how these are split between cache, put-off states and queue",
     .offset = offsetof(struct clew_comback_options, shares)},
    {CLEW_OPTION_CHOICE, "cb-layout", "paper|compact",
     "the tables: as published, or packed (default)",
     .offset = offsetof(struct clew_comback_options, layout)},
};

static const struct clew_comback_options *options_of(const struct clew_store_config *config) {
  assert(config != NULL);
  static const struct clew_comback_options defaults;
  return config->options != NULL ? config->options : &defaults;
}

struct shares {
  double cache, candidates, queue;
};

static bool complain(struct clew_diag_sink *diags, const char *option, const char *value,
                     const char *expected) {
  assert(option != NULL && value != NULL);
  clew_diag_plain(diags, CLEW_ERROR, NULL, "%s: '%s' is not %s", option, value, expected);
  return false;
}

/* "5000", or "0.01" of the expected number of states. */
static bool read_size(const char *option, const char *text, uint64_t states,
                      struct clew_diag_sink *diags, uint64_t *size) {
  assert(option != NULL && text != NULL);
  assert(size != NULL);
  uint64_t whole;
  double number;
  if (clew_text_parse_u64(text, &whole)) {
    *size = whole < MAX_FULL_STATES ? whole : MAX_FULL_STATES;
    return true;
  }
  if (!clew_text_parse_double(text, &number) || !(number >= 0 && number <= 1)) {
    return complain(diags, option, text, "a number of states or a fraction between 0 and 1");
  }
  if (states == 0) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "%s: the fraction '%s' needs the expected number of states (--cb-states)",
                    option, text);
    return false;
  }
  double product = number * (double)states;
  *size = product < (double)MAX_FULL_STATES ? (uint64_t)(product + 0.5) : MAX_FULL_STATES;
  return true;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* A run of digits with at most `most` of them; returns how many there are. */
static uint32_t read_digits(const char *text, uint32_t most, uint32_t *value) {
  assert(most <= 9);
  uint32_t length = 0;
  for (*value = 0; length < most && is_digit(text[length]); length++) {
    *value = *value * 10 + (uint32_t)(text[length] - '0');
  }
  return length;
}

/* "F20-H80" */
static bool read_two_levels(const char *name, struct clew_comback_settings *s, uint32_t *percent) {
  assert(name != NULL && percent != NULL);
  uint32_t x, y, length;
  if (name[0] != 'F' || (length = read_digits(name + 1, 3, &x)) == 0) {
    return false;
  }
  const char *rest = name + 1 + length;
  if (rest[0] != '-' || (rest[1] != 'H' && rest[1] != 'D')) {
    return false;
  }
  length = read_digits(rest + 2, 3, &y);
  if (length == 0 || rest[2 + length] != '\0' || x + y != 100) {
    return false;
  }
  s->first = CLEW_COMBACK_FIFO;
  s->second = rest[1] == 'H' ? CLEW_COMBACK_HEURISTIC : CLEW_COMBACK_DISTANCE;
  *percent = x;
  return true;
}

/* A letter, with a parameter for some. */
static bool read_one_level(const char *name, struct clew_comback_settings *s) {
  assert(name != NULL);
  const char *rest = name[0] == '\0' ? name : name + 1;
  uint32_t number = 0, length = read_digits(rest, 9, &number);
  assert(length <= 9);
  bool bare = *rest == '\0', counted = length > 0 && rest[length] == '\0' && number > 0;
  switch (name[0]) {
  case 'F':
    s->first = CLEW_COMBACK_FIFO;
    return bare;
  case 'H':
    s->first = CLEW_COMBACK_HEURISTIC;
    return bare;
  case 'D':
    s->first = CLEW_COMBACK_DISTANCE;
    s->distance = counted ? number : s->distance;
    return bare || counted;
  case 'L':
    s->first = CLEW_COMBACK_LEVELS;
    s->level_step = counted ? number : s->level_step;
    return bare || counted;
  case 'R':
    s->first = CLEW_COMBACK_RANDOM;
    return bare || (clew_text_parse_double(rest, &s->probability) && s->probability >= 0 &&
                    s->probability <= 1);
  default:
    return false;
  }
}

/* `percent`: of the cache, for its first level. */
static bool read_strategy(const char *name, struct clew_diag_sink *diags,
                          struct clew_comback_settings *s, uint32_t *percent) {
  assert(name != NULL);
  s->first = s->second = CLEW_COMBACK_NO_CACHE;
  s->distance = DEFAULT_DISTANCE;
  s->level_step = DEFAULT_LEVEL_STEP;
  s->probability = DEFAULT_PROBABILITY;
  *percent = 100;
  if (strcmp(name, "none") == 0 || read_two_levels(name, s, percent)) {
    return true;
  }
  s->second = CLEW_COMBACK_NO_CACHE;
  return read_one_level(name, s) ||
         complain(diags, "--cb-cache", name,
                  "a strategy: none, R, R0.3, F, H, D, D3, L, L4, or two levels such as F20-H80 "
                  "or F20-D80 that add up to 100");
}

/* STRATEGY or STRATEGY:SIZE. */
static bool read_cache(const char *text, uint64_t states, uint64_t shared_states,
                       struct clew_diag_sink *diags, struct clew_comback_settings *s) {
  const char *colon = strchr(text, ':');
  s->cache_grows = colon == NULL;
  char *name = colon != NULL ? clew_strndup(text, (size_t)(colon - text)) : clew_strdup(text);
  uint32_t percent;
  uint64_t size = shared_states;
  bool good = read_strategy(name, diags, s, &percent) &&
              (colon == NULL || read_size("--cb-cache", colon + 1, states, diags, &size));
  clew_free(name);
  if (good && s->first != CLEW_COMBACK_NO_CACHE) {
    s->first_states = size * percent / 100;
    s->second_states = s->second != CLEW_COMBACK_NO_CACHE ? size - s->first_states : 0;
    assert(s->first_states + s->second_states <= MAX_FULL_STATES);
  }
  return good;
}

/* "0.6,0.2,0.2" */
static bool read_shares(const char *text, struct clew_diag_sink *diags, struct shares *shares) {
  assert(text != NULL);
  double part[3];
  const char *at = text;
  for (uint32_t i = 0; i < 3; i++) {
    size_t length = strcspn(at, ",");
    char *number = clew_strndup(at, length);
    bool good = clew_text_parse_double(number, &part[i]) && part[i] >= 0 && part[i] <= 1;
    clew_free(number);
    if (!good || (at[length] == ',') != (i < 2)) {
      return complain(diags, "--cb-shares", text,
                      "three shares (cache, candidates, queue) such as 0.6,0.2,0.2");
    }
    at += length + 1;
  }
  double sum = part[0] + part[1] + part[2];
  if (sum < 0.999 || sum > 1.001) {
    return complain(diags, "--cb-shares", text, "three shares that add up to 1");
  }
  assert(part[0] >= 0 && part[1] >= 0 && part[2] >= 0);
  *shares = (struct shares){part[0], part[1], part[2]};
  return true;
}

static struct shares default_shares(uint64_t full_states) {
  assert(full_states <= MAX_FULL_STATES);
  if (full_states < 316) {
    return (struct shares){0.5, 0.3, 0.2};
  }
  return full_states < 3162 ? (struct shares){0.6, 0.2, 0.2} : (struct shares){0.6, 0.3, 0.1};
}

static uint64_t full_states(const struct clew_store_config *config) {
  assert(config->words > 0);
  const struct clew_comback_options *options = options_of(config);
  uint64_t states = options->full_states;
  if (states == 0 && config->budget != NULL) {
    states = config->budget->limit_bytes / 8 / (config->words * sizeof(uint64_t) + OVERHEAD_BYTES);
  } else if (states == 0) {
    states = FULL_STATES_WITHOUT_BUDGET;
  }
  if (options->full_states == 0 && options->states > 0 && states > options->states) {
    states = options->states;
  }
  return states < MAX_FULL_STATES ? states : MAX_FULL_STATES;
}

uint64_t clew_comback_allowed(const struct clew_comback *c, uint64_t most) {
  const struct clew_comback_settings *s = &c->settings;
  double full = FULL_STATES_PER_STATE * (double)c->count;
  full = full > LEAST_FULL_STATES ? full : LEAST_FULL_STATES;
  if (s->growing_to == 0 || full >= (double)s->growing_to) {
    return most;
  }
  uint64_t part = (uint64_t)((double)most * (full / (double)s->growing_to));
  assert(part <= most);
  return part > 0 || most == 0 ? part : 1;
}

static uint64_t part_of(uint64_t states, double share) {
  assert(share >= 0 && share <= 1.001);
  return (uint64_t)((double)states * share + 0.5);
}

/* Cache, candidates and block: as given, else their shares. */
static bool read_sizes(const struct clew_store_config *config, struct clew_diag_sink *diags,
                       struct clew_comback_settings *s) {
  const struct clew_comback_options *options = options_of(config);
  uint64_t full = full_states(config), states = options->states, block;
  assert(config->words > 0);
  assert(full <= MAX_FULL_STATES);
  struct shares shares = default_shares(full);
  if (options->shares != NULL && !read_shares(options->shares, diags, &shares)) {
    return false;
  }
  if (!s->queue_ids && shares.queue < 1) {
    /* The engine's queue has its own memory: the others share this. */
    shares.cache /= 1 - shares.queue;
    shares.candidates /= 1 - shares.queue;
  }
  s->growing_to = options->full_states == 0 ? full : 0;
  s->candidates = part_of(full, shares.candidates);
  block = part_of(full, shares.queue);
  const char *cache = options->cache != NULL ? options->cache : DEFAULT_STRATEGY;
  bool good = read_cache(cache, states, part_of(full, shares.cache), diags, s);
  s->candidates_grow = options->candidates == NULL;
  if (!s->candidates_grow) {
    good &= read_size("--cb-candidates", options->candidates, states, diags, &s->candidates);
  }
  s->candidates = s->candidates < MAX_CANDIDATES ? s->candidates : MAX_CANDIDATES;
  if (options->block != NULL) {
    good &= read_size("--cb-block", options->block, states, diags, &block);
  }
  block = block < MAX_BLOCK ? block : MAX_BLOCK;
  s->block = block > 0 ? (uint32_t)block : 1;
  assert(s->candidates <= MAX_CANDIDATES && s->block <= MAX_BLOCK);
  return good;
}

enum clew_status clew_comback_settings_read(const struct clew_store_config *config,
                                            struct clew_diag_sink *diags,
                                            struct clew_comback_settings *settings) {
  assert(config->words > 0);
  const struct clew_comback_options *options = options_of(config);
  *settings = (struct clew_comback_settings){
      .hash_bits = (uint32_t)options->hash_bits,
      .expected_states = options->states,
      .queue_ids = options->queue == CLEW_COMBACK_QUEUE_IDS,
      .detects_late = options->detect == CLEW_COMBACK_DETECT_FULL,
      .layout = options->layout == CLEW_COMBACK_PAPER ? CLEW_COMBACK_PAPER : CLEW_COMBACK_COMPACT};
  if (settings->hash_bits == 0) {
    /* The compact layout keeps what fits into a slot, whatever the width. */
    settings->hash_bits = settings->layout == CLEW_COMBACK_COMPACT ? 64 : DEFAULT_HASH_BITS;
  }
  bool good = true;
  if (options->hash_bits > 64) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "--hash-bits: %" PRIu64 " is not between 1 and 64",
                    options->hash_bits);
    good = false;
  }
  good &= read_sizes(config, diags, settings);
  assert(!good || (settings->hash_bits > 0 && settings->hash_bits <= 64));
  assert(!good || settings->block > 0);
  return good ? CLEW_OK : CLEW_BAD_INPUT;
}
