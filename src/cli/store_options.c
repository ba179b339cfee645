/* From the options of the command line to those of a store. An option that the chosen store would
 * not read is refused: whoever gave it expects something of it. */
#include "cli/store_options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "cli/message.h"

struct use {
  const char *option;
  bool given;
  const char *stores; /* that read it, separated by spaces */
};

static bool is_count(uint64_t value) {
  return value != CLEW_ABSENT;
}

static bool lists(const char *stores, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(stores, name); at != NULL; at = strstr(at + 1, name)) {
    bool begins = at == stores || at[-1] == ' ';
    if (begins && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

static enum clew_exit check_uses(const struct clew_options *options, const char *store) {
  const struct use uses[] = {
      {"hash-bits", is_count(options->hash_bits), "compact cache disk comback"},
      {"entries", is_count(options->entries), "compact bloom cache"},
      {"no-quotient", options->no_quotient, "compact"},
      {"pod", is_count(options->pod), "compact bloom"},
      {"bloom-bits", is_count(options->bloom_bits), "bloom"},
      {"bloom-expect", is_count(options->bloom_expect), "bloom"},
      {"bloom-classic", options->bloom_classic, "bloom"},
      {"cache-entries", is_count(options->cache_entries), "cache"},
      {"max-collision-rate", !isnan(options->max_collision_rate), "cache"},
      {"disk", options->disk != NULL, "disk"},
      {"cb-cache", options->cb_cache != NULL, "comback"},
      {"cb-candidates", options->cb_candidates != NULL, "comback"},
      {"cb-queue", options->cb_queue != NULL, "comback"},
      {"cb-block", options->cb_block != NULL, "comback"},
      {"cb-states", is_count(options->cb_states), "comback"},
      {"cb-full-states", is_count(options->cb_full_states), "comback"},
      {"cb-shares", options->cb_shares != NULL, "comback"},
      {"cb-layout", options->cb_layout != NULL, "comback"},
      {"cb-detect", options->cb_detect != NULL, "comback"},
  };
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
    if (uses[i].given && !lists(uses[i].stores, store)) {
      return clew_message_usage(options->command,
                                "--%s means nothing to the store %s (it is for %s)", uses[i].option,
                                store, uses[i].stores);
    }
  }
  return CLEW_EXIT_OK;
}

static enum clew_disk_mode disk_mode(const char *name) {
  if (name == NULL || strcmp(name, "runs") == 0) {
    return CLEW_DISK_RUNS;
  }
  return strcmp(name, "full") == 0 ? CLEW_DISK_FULL : CLEW_DISK_LOCAL;
}

static uint64_t or_zero(uint64_t value) {
  return is_count(value) ? value : 0;
}

static void fill(const struct clew_options *options, struct clew_store_options *out) {
  *out = (struct clew_store_options){
      .hash_bits = (uint32_t)or_zero(options->hash_bits),
      .entries = or_zero(options->entries),
      .compact_plain = options->no_quotient,
      .bloom_bits = (uint32_t)or_zero(options->bloom_bits),
      .bloom_expect = or_zero(options->bloom_expect),
      .bloom_classic = options->bloom_classic,
      .cache_entries = or_zero(options->cache_entries),
      .max_collision_rate = isnan(options->max_collision_rate) ? 0 : options->max_collision_rate,
      .disk = disk_mode(options->disk),
      .comback = {.cache = options->cb_cache,
                  .candidates = options->cb_candidates,
                  .block = options->cb_block,
                  .shares = options->cb_shares,
                  .states = or_zero(options->cb_states),
                  .full_states = or_zero(options->cb_full_states),
                  .queue_ids = options->cb_queue != NULL && strcmp(options->cb_queue, "ids") == 0,
                  .detects_late =
                      options->cb_detect != NULL && strcmp(options->cb_detect, "full") == 0,
                  .layout = options->cb_layout != NULL && strcmp(options->cb_layout, "paper") == 0
                                ? CLEW_COMBACK_PAPER
                                : CLEW_COMBACK_COMPACT},
  };
}

enum clew_exit clew_choose_store_options(const struct clew_options *options,
                                         const struct clew_engine_type *engine,
                                         const struct clew_store_type *store,
                                         struct clew_store_options *out) {
  assert(engine != NULL && store != NULL);
  enum clew_exit exit = check_uses(options, store->name);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  if (is_count(options->hash_bits) && (options->hash_bits < 1 || options->hash_bits > 64)) {
    return clew_message_usage(options->command, "--hash-bits is from 1 to 64");
  }
  if (is_count(options->bloom_bits) && options->bloom_bits > 64) {
    return clew_message_usage(options->command, "--bloom-bits is from 1 to 64");
  }
  double rate = options->max_collision_rate;
  if (!isnan(rate) && !(rate > 0 && rate <= 1)) {
    return clew_message_usage(options->command, "--max-collision-rate is above 0 and at most 1");
  }
  if (is_count(options->pod) && strcmp(engine->name, "dfs") != 0) {
    return clew_message_usage(options->command, "--pod needs --search dfs");
  }
  if (is_count(options->pod) && options->pod > 1000) {
    return clew_message_usage(options->command, "--pod is at most 1000");
  }
  fill(options, out);
  if (options->plot != NULL && out->comback.detects_late) {
    return clew_message_usage(options->command, "--plot shows levels: it needs --cb-detect level");
  }
  return CLEW_EXIT_OK;
}
