/* Comparing native code with the interpreter. */
#ifndef CLEW_TESTS_NATIVE_RUN_H
#define CLEW_TESTS_NATIVE_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "ir/interp.h"
#include "ir/ir.h"
#include "ir/native.h"
#include "model/model.h"
#include "unit/ir_reach.h"

/* A cache of the test's own, so that tests neither see nor leave anything. The path is static. */
static inline const char *native_private_cache(void) {
  static char path[] = "/tmp/clew-test-XXXXXX";
  static bool made;
  if (!made && mkdtemp(path) == NULL)
    abort();
  made = true;
  setenv("XDG_CACHE_HOME", path, 1);
  return path;
}

static inline void native_remove_cache(void) {
  struct clew_scratch scratch = {.parent = clew_strdup("/tmp"),
                                 .path = clew_strdup(native_private_cache())};
  clew_scratch_close(&scratch);
}

/* For cmocka_run_group_tests. */
static inline int native_setup(void **state) {
  (void)state;
  native_private_cache();
  return 0;
}

static inline int native_teardown(void **state) {
  (void)state;
  clew_interp_release();
  native_remove_cache();
  return 0;
}

/* The code for `fire` alone, or NULL where it is not worth it. */
static inline clew_native_fire_fn native_own_fire(struct clew_native *native) {
  clew_native_expect_fire(native);
  return clew_native_wait_fire(native) ? clew_native_poll_fire(native) : NULL;
}

/* The successors in pieces of about `most`, all in one buffer; by the interpreter if `api` is NULL.
 */
static inline void native_next_in_pieces(const struct clew_program *p,
                                         const struct clew_native_api *api, const uint64_t *state,
                                         uint32_t most, struct clew_succs *succs) {
  succs->most = most;
  succs->resume = 0;
  do {
    uint32_t before = succs->count + succs->fault_count;
    if (api == NULL) {
      clew_interp_next(p, state, succs);
      assert_true(succs->count + succs->fault_count - before <= most);
    } else {
      clew_succs_begin_piece(succs);
      api->next(state, succs);
    }
    assert_true(succs->resume == 0 || succs->count + succs->fault_count - before >= most);
  } while (succs->resume != 0);
}

/* Pieces are the same as the whole, whoever makes them. */
static inline bool native_same_pieces(const struct clew_program *p,
                                      const struct clew_native_api *api, const uint64_t *state,
                                      const struct clew_succs *whole) {
  static const uint32_t lengths[] = {1, 2, 3, 7};
  bool same = true;
  for (size_t i = 0; i < 8 && same; i++) {
    bool native = i % 2 == 1;
    if (native && !api->makes_pieces)
      continue;
    struct clew_succs pieces;
    clew_succs_open(&pieces, p->words, p->cover_count);
    native_next_in_pieces(p, native ? api : NULL, state, lengths[i / 2], &pieces);
    same = ir_same(whole, &pieces, p->cover_count);
    if (!same)
      fprintf(stderr, "%s: pieces of %u, native %d: %u successors %u faults instead of %u and %u\n",
              p->name, lengths[i / 2], native, pieces.count, pieces.fault_count, whole->count,
              whole->fault_count);
    clew_succs_close(&pieces);
  }
  return same;
}

/* Prints what differs; false if anything does. */
static inline bool native_same_next(const struct clew_program *p, const struct clew_native_api *api,
                                    const uint64_t *state) {
  struct clew_succs a, b;
  clew_succs_open(&a, p->words, p->cover_count);
  clew_succs_open(&b, p->words, p->cover_count);
  clew_interp_next(p, state, &a);
  api->next(state, &b);
  bool same = ir_same(&a, &b, p->cover_count);
  if (!same)
    fprintf(stderr, "%s: next: interpreter %u successors %u faults, native %u and %u\n", p->name,
            a.count, a.fault_count, b.count, b.fault_count);
  same = same && native_same_pieces(p, api, state, &a);
  clew_succs_close(&a);
  clew_succs_close(&b);
  return same;
}

static inline bool native_same_fire(const struct clew_program *p, clew_native_fire_fn fire,
                                    const uint64_t *state, uint32_t edge) {
  uint64_t *a = clew_alloc_zero(p->words, sizeof *a), *b = clew_alloc_zero(p->words, sizeof *b);
  uint32_t a_site = 1, b_site = 2;
  bool a_fired = clew_interp_fire(p, state, edge, a, &a_site);
  bool b_fired = fire(state, edge, b, &b_site);
  bool same = a_fired == b_fired && a_site == b_site &&
              (!a_fired || memcmp(a, b, p->words * sizeof *a) == 0);
  memcpy(b, state, p->words * sizeof *b); /* in place */
  same = same && fire(b, edge, b, &b_site) == a_fired && a_site == b_site &&
         (!a_fired || memcmp(a, b, p->words * sizeof *a) == 0);
  if (!same)
    fprintf(stderr, "%s: fire %u: interpreter %d site %u, native %d site %u\n", p->name, edge,
            a_fired, a_site, b_fired, b_site);
  clew_free(a);
  clew_free(b);
  return same;
}

static inline bool native_same_labels(const struct clew_program *p,
                                      const struct clew_native_api *api, const uint64_t *state) {
  bool same = true;
  for (uint32_t i = 0; i < p->labels.len; i++) {
    uint32_t a_site = CLEW_NONE, b_site = CLEW_NONE;
    bool a = clew_interp_label(p, i, state, &a_site), b = api->label(i, state, &b_site, p->stop);
    if (a != b || a_site != b_site) {
      fprintf(stderr, "%s: label %u: interpreter %d site %u, native %d site %u\n", p->name, i, a,
              a_site, b, b_site);
      same = false;
    }
  }
  uint32_t words = CLEW_BITSET_WORDS(p->properties.len);
  uint64_t *enabled = clew_alloc_zero(words + 1, sizeof *enabled);
  for (uint32_t skip = 0; skip <= p->properties.len && same; skip++) {
    memset(enabled, 0xff, words * sizeof *enabled);
    if (skip < p->properties.len)
      clew_bitset_remove(enabled, skip);
    uint32_t a_site = 1, b_site = 2;
    uint32_t a = clew_interp_check(p, enabled, state, &a_site);
    uint32_t b = api->check(enabled, state, &b_site, p->stop);
    if (a != b || a_site != b_site) {
      fprintf(stderr, "%s: check: interpreter %u site %u, native %u site %u\n", p->name, a, a_site,
              b, b_site);
      same = false;
    }
  }
  clew_free(enabled);
  return same;
}

/* All functions, and the code for `fire` alone unless it is NULL. */
static inline bool native_same(const struct clew_program *p, const struct clew_native_api *api,
                               clew_native_fire_fn own_fire, const uint64_t *state) {
  if (!native_same_next(p, api, state) || !native_same_labels(p, api, state))
    return false;
  for (uint32_t edge = 0; edge < p->edge_count; edge++)
    if (!native_same_fire(p, api->fire, state, edge) ||
        (own_fire != NULL && !native_same_fire(p, own_fire, state, edge)))
      return false;
  return true;
}

#endif
