/* What the minimal form of zones would save in the store `zones`, and cost: the zones that a search
 * stores, as matrices and in minimal form (dbm/minimal.h).
 *
 *   make && cc -std=c11 -D_GNU_SOURCE -O2 -Isrc -idirafter third_party/xxhash -o /tmp/micro_minimal
 * bench/micro_minimal.c \ build/release/libclew.a -pthread -ldl -lm -lexpat -lzstd &&
 * /tmp/micro_minimal MODEL...
 *
 * matrix    bytes of a zone as the store keeps it
 * minimal   bytes of its minimal form, on average
 * pack      nanoseconds to find and write the minimal form: once for each new zone
 * unpack    to get the matrix back: once for each zone that is expanded, and whenever it has to be
 *           known whether a new zone contains a stored one
 * covers    to see whether a stored zone contains another one: by matrices, by the minimal form
 *
 * Processor time. Compare the columns of one run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/options.h"
#include "cli/session.h"
#include "dbm/minimal.h"
#include "model/timed.h"

enum { ROUNDS = 20, MOST = 4000 };

struct figures {
  struct clew_dbm_space space;
  uint32_t count;
  unsigned char *zones, *packed; /* count of each */
  struct clew_dbm_constraint *scratch;
  size_t packed_most, packed_bytes;
};

static double now_ns(void) {
  return clew_clock_cpu_s() * 1e9;
}

static double pack_all(struct figures *f) {
  double start = now_ns();
  f->packed_bytes = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    f->packed_bytes += clew_dbm_pack(&f->space, f->zones + i * f->space.bytes, f->scratch,
                                     f->packed + i * f->packed_most);
  }
  return (now_ns() - start) / f->count;
}

static double unpack_all(struct figures *f) {
  void *zone = clew_alloc(f->space.bytes);
  double start = now_ns();
  for (uint32_t i = 0; i < f->count; i++) {
    clew_dbm_unpack(&f->space, f->packed + i * f->packed_most, zone);
  }
  double each = (now_ns() - start) / f->count;
  clew_free(zone);
  return each;
}

static double compare_all(struct figures *f, bool by_minimal, uint64_t *found) {
  double start = now_ns();
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    for (uint32_t k = 1; k <= ROUNDS; k++, pairs++) {
      const void *part = f->zones + (i + k) % f->count * f->space.bytes;
      *found += by_minimal
                    ? clew_dbm_packed_includes(&f->space, f->packed + i * f->packed_most, part)
                    : clew_dbm_includes(&f->space, f->zones + i * f->space.bytes, part);
    }
  }
  return (now_ns() - start) / (double)pairs;
}

/* The zones of the states that the store has, at most MOST of them, evenly. */
static void take_zones(struct clew_session *session, struct figures *f) {
  const struct clew_model *model = session->view;
  uint32_t dim = model->timed->clock_count, words = model->words - model->discrete_words;
  bool is_narrow = words == ((size_t)dim * dim * sizeof(int16_t) + 7) / 8;
  int32_t largest = is_narrow ? 1 : 100000;
  uint64_t all = session->store->type->count(session->store);
  uint64_t *state = clew_alloc(model->words * sizeof *state);
  if (!clew_dbm_space_init(&f->space, dim, largest)) {
    return;
  }
  f->count = (uint32_t)(all < MOST ? all : MOST);
  f->packed_most = clew_dbm_packed_most(&f->space);
  f->zones = clew_alloc(f->count * f->space.bytes);
  f->packed = clew_alloc(f->count * f->packed_most);
  f->scratch = clew_alloc((size_t)dim * dim * sizeof *f->scratch);
  for (uint32_t i = 0; i < f->count; i++) {
    session->store->type->get(session->store, (uint64_t)i * all / f->count, 1, state);
    clew_dbm_read_rows(&f->space, f->zones + i * f->space.bytes, state + model->discrete_words);
  }
  clew_free(state);
}

static void measure(const char *path) {
  char *words[] = {(char *)(uintptr_t) "clew",
                   (char *)(uintptr_t) "stats",
                   (char *)(uintptr_t)path,
                   (char *)(uintptr_t) "--threads",
                   (char *)(uintptr_t) "1",
                   (char *)(uintptr_t) "--store",
                   (char *)(uintptr_t) "zones",
                   (char *)(uintptr_t) "--quiet",
                   (char *)(uintptr_t) "--exec",
                   (char *)(uintptr_t) "interp",
                   NULL};
  struct clew_options options;
  struct clew_text error = {0};
  struct clew_session session;
  struct figures f = {0};
  uint64_t found = 0, found_minimal = 0;
  if (clew_options_parse(&options, 10, words, &error) &&
      clew_session_open(&session, &options, NULL) == CLEW_EXIT_OK) {
    double start = now_ns();
    clew_session_explore(&session);
    double searched = now_ns() - start;
    take_zones(&session, &f);
    double pack = pack_all(&f), unpack = unpack_all(&f), by_matrix = compare_all(&f, false, &found),
           by_minimal = compare_all(&f, true, &found_minimal);
    printf("| %s | %u | %" PRIu64 " | %zu | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |%s\n",
           strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path, f.space.dim - 1,
           session.store->type->count(session.store),
           (size_t)f.space.dim * f.space.dim * f.space.entry_bytes,
           (double)f.packed_bytes / f.count, pack, unpack, by_matrix, by_minimal,
           searched / (double)session.store->type->count(session.store),
           found == found_minimal ? "" : " WRONG");
  }
  clew_session_close(&session);
  clew_options_free(&options);
  clew_free(f.zones);
  clew_free(f.packed);
  clew_free(f.scratch);
}

int main(int argc, char **argv) {
  printf(
      "| model | clocks | zones | matrix B | minimal B | pack ns | unpack ns | covers ns | minimal "
      "ns | search ns/zone |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 1; i < argc; i++) {
    measure(argv[i]);
  }
  return 0;
}
