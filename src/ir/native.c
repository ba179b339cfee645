/* Native code in the background: a thread emits C, looks for its hash in the cache, else compiles
 * it, loads the result and publishes it with one atomic store. Whoever polls sees nothing or all.
 * The part that makes `fire` fast comes after the other one, and only if somebody asks for it:
 * while the thread is still there it does both, later another one is started.
 *
 * Invariant: `api` of a part is set at most once, before its `done`; what else the thread leaves
 * behind (notice, time, library) is written before `done` and read only after it. */
#include "ir/native.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "ir/native_int.h"

/* Expressions nest up to CLEW_MAX_DEPTH, and the emitter follows them on the C stack. */
enum { THREAD_STACK_BYTES = 64 << 20 };

struct part {
  _Atomic(const struct clew_native_api *) api;
  atomic_bool done;
  void *library;
  double compile_s;
};

struct clew_native {
  const struct clew_program *program;
  const struct clew_canon *canon; /* or NULL */
  struct part parts[CLEW_NATIVE_PARTS];
  bool compiles;                     /* what is not in the cache */
  atomic_bool is_deferred;           /* it would have to be */
  _Atomic(clew_native_fire_fn) fire; /* of the best part that is there */
  char *notice;                      /* of the first part */
  struct clew_compile_job job;
  atomic_bool cancelled;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t finished;
  pthread_t thread;
  bool has_thread; /* to be joined */
  bool is_idle;    /* the thread, if any, takes nothing more on */
  bool asked_fire;
};

/* ---- The work of the thread ------------------------------------------------------------------ */

static bool write_file(const char *directory, const char *name, const char *data, size_t bytes) {
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/%s", directory, name);
  int fd = open(clew_text_str(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  clew_text_free(&path);
  assert(data != NULL);
  if (fd < 0)
    return false;
  bool written = clew_fd_write_at(fd, data, bytes, 0);
  return close(fd) == 0 && written;
}

static bool make_directory(const char *parent, const char *name) {
  struct clew_text path = {0};
  assert(name[0] != '/');
  clew_text_printf(&path, "%s/%s", parent, name);
  bool made = mkdir(clew_text_str(&path), 0700) == 0;
  clew_text_free(&path);
  return made;
}

/* Everything the compiler reads. */
static bool write_sources(struct clew_scratch *scratch, const struct clew_text *source) {
  int fd = clew_scratch_file(scratch, "model.c");
  if (fd < 0)
    return false;
  bool good = clew_fd_write_at(fd, source->data, source->len, 0);
  good = close(fd) == 0 && good;
  good = good && make_directory(scratch->path, "ir") && make_directory(scratch->path, "model");
  for (uint32_t i = 0; i < CLEW_NATIVE_HEADERS && good; i++) {
    struct clew_native_header header = clew_native_header_get(i);
    good = write_file(scratch->path, header.path, header.text, header.bytes);
  }
  assert(!good || scratch->path != NULL);
  return good;
}

static struct clew_hash128 hash_of(const struct clew_text *source,
                                   const struct clew_compiler *compiler) {
  struct clew_text all = {0};
  assert(source->len > 0);
  clew_text_put_n(&all, source->data, source->len);
  for (uint32_t i = 0; i < CLEW_NATIVE_HEADERS; i++) {
    struct clew_native_header header = clew_native_header_get(i);
    clew_text_put_n(&all, header.text, header.bytes);
  }
  clew_compiler_describe(compiler, source->len, &all);
  struct clew_hash128 hash = clew_hash128_bytes(all.data, all.len, 0);
  clew_text_free(&all);
  return hash;
}

static const struct clew_native_api *load(const struct clew_native *native, struct part *part,
                                          const char *path) {
  assert(part->library == NULL);
  return clew_cache_load(path, native->program->words, native->program->edge_count, &part->library);
}

/* Compiles in a scratch directory and loads the result, from the cache's `path` if there is one. */
static const struct clew_native_api *compile(struct clew_native *native, struct part *part,
                                             const struct clew_compiler *compiler,
                                             const struct clew_text *source,
                                             const struct clew_cache *cache, const char *path,
                                             struct clew_text *why) {
  const struct clew_native_api *api = NULL;
  struct clew_scratch scratch;
  struct clew_diag_sink ignored = {0};
  struct clew_text made = {0};
  double start_s = clew_clock_wall_s();
  assert((cache->path == NULL) == (path == NULL));
  if (clew_scratch_open(&scratch, cache->path, &ignored) != CLEW_OK ||
      !write_sources(&scratch, source)) {
    clew_text_printf(why, "cannot write to %s: %s",
                     scratch.parent == NULL ? cache->path : scratch.parent, strerror(errno));
  } else if (clew_compiler_run(compiler, &native->job, scratch.path, source->len, why)) {
    clew_text_printf(&made, "%s/model.so", scratch.path);
    const char *final = clew_text_str(&made);
    if (clew_cache_seal(final) && path != NULL && rename(final, path) == 0)
      final = path;
    api = load(native, part, final);
    if (api == NULL)
      clew_text_put(why, "the compiled model cannot be loaded");
  }
  part->compile_s = clew_clock_wall_s() - start_s;
  clew_diag_sink_free(&ignored);
  clew_scratch_close(&scratch);
  clew_text_free(&made);
  return api;
}

static const struct clew_native_api *find_or_compile(struct clew_native *native, struct part *part,
                                                     const struct clew_text *source,
                                                     struct clew_text *why) {
  const struct clew_native_api *api = NULL;
  struct clew_compiler compiler;
  struct clew_cache cache;
  struct clew_text path = {0};
  assert(source->len > 0);
  if (!clew_compiler_open(&compiler, why)) {
    clew_compiler_close(&compiler);
    return NULL;
  }
  clew_cache_open(&cache);
  if (cache.path != NULL) {
    clew_cache_path(&cache, hash_of(source, &compiler), &path);
    api = load(native, part, clew_text_str(&path));
    if (api != NULL) /* it was needed: the oldest are removed first */
      utimensat(AT_FDCWD, clew_text_str(&path), NULL, 0);
  }
  if (api == NULL && !native->compiles) {
    atomic_store(&native->is_deferred, true);
  } else if (api == NULL) {
    const char *final = cache.path == NULL ? NULL : clew_text_str(&path);
    int claim =
        final == NULL ? -1 : clew_cache_claim(final, &native->cancelled, native->program->stop);
    if (claim >= 0) /* another process may have made it meanwhile */
      api = load(native, part, final);
    if (api == NULL)
      api = compile(native, part, &compiler, source, &cache, final, why);
    clew_cache_release(final, claim);
    if (cache.path != NULL)
      clew_cache_evict(&cache, final);
  }
  clew_text_free(&path);
  clew_cache_close(&cache);
  clew_compiler_close(&compiler);
  return api;
}

/* Emits, compiles, loads and publishes a part; whether it is there. */
static bool make_part(struct clew_native *native, enum clew_native_part which) {
  struct part *part = &native->parts[which];
  struct clew_text source = {0}, why = {0};
  const struct clew_native_api *api = NULL;
  struct clew_emit_request request = {native->program, native->canon, which, &native->cancelled};
  assert(!atomic_load(&part->done));
  if (clew_emit_c(&request, &source))
    api = find_or_compile(native, part, &source, &why);
  else if (!atomic_load(&native->cancelled) && !atomic_load(native->program->stop))
    clew_text_put(&why, "the model is too large to compile");
  if (api == NULL && which == CLEW_NATIVE_ALL && !atomic_load(&native->is_deferred)) {
    struct clew_text notice = {0};
    clew_text_printf(&notice, "no native code: %s; interpreting",
                     why.len == 0 ? "cancelled" : clew_text_str(&why));
    native->notice = notice.data;
  }
  if (api != NULL)
    atomic_store_explicit(&native->fire, api->fire, memory_order_release);
  atomic_store_explicit(&part->api, api, memory_order_release);
  clew_text_free(&source);
  clew_text_free(&why);
  return api != NULL;
}

/* With the lock. */
static void end_part(struct clew_native *native, enum clew_native_part which) {
  assert(!atomic_load(&native->parts[which].done));
  atomic_store_explicit(&native->parts[which].done, true, memory_order_release);
  pthread_cond_broadcast(&native->finished);
}

/* Makes the parts that are asked for and not yet done, in order. A `fire` of its own is of no use
 * where nothing else is native. */
static void *run(void *arg) {
  struct clew_native *native = arg;
  bool there = true;
  pthread_mutex_lock(&native->lock);
  for (enum clew_native_part which = CLEW_NATIVE_ALL; which < CLEW_NATIVE_PARTS; which++) {
    if (atomic_load(&native->parts[which].done) ||
        (which == CLEW_NATIVE_FIRE && !native->asked_fire))
      continue;
    pthread_mutex_unlock(&native->lock);
    there = there && make_part(native, which);
    pthread_mutex_lock(&native->lock);
    end_part(native, which);
  }
  native->is_idle = true;
  pthread_mutex_unlock(&native->lock);
  return NULL;
}

/* ---- The handle ------------------------------------------------------------------------------ */

/* Signals are for the threads of the search. */
static void start_thread(struct clew_native *native) {
  sigset_t all, old;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  int failed = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
  assert(failed == 0 && !native->has_thread);
  native->is_idle = false;
  pthread_sigmask(SIG_SETMASK, &all, &old);
  failed = pthread_create(&native->thread, &attributes, run, native);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  native->has_thread = failed == 0;
  native->is_idle = !native->has_thread;
}

bool clew_native_is_deferred(const struct clew_native *native) {
  return atomic_load(&native->is_deferred);
}

struct clew_native *clew_native_start(const struct clew_program *program,
                                      const struct clew_canon *canon) {
  return clew_native_begin(program, canon, true);
}

struct clew_native *clew_native_begin(const struct clew_program *program,
                                      const struct clew_canon *canon, bool compiles) {
  struct clew_native *native = clew_alloc_zero(1, sizeof *native);
  assert(program->words > 0);
  native->program = program;
  native->compiles = compiles;
  native->canon = canon;
  pthread_mutex_init(&native->lock, NULL);
  pthread_cond_init(&native->finished, NULL);
  clew_compile_job_open(&native->job, program->stop);
  pthread_mutex_lock(&native->lock);
  start_thread(native);
  if (!native->has_thread) {
    native->notice = clew_strdup("no native code: no thread to compile in; interpreting");
    end_part(native, CLEW_NATIVE_ALL);
  }
  pthread_mutex_unlock(&native->lock);
  return native;
}

void clew_native_expect_fire(struct clew_native *native) {
  assert(native != NULL);
  pthread_mutex_lock(&native->lock);
  bool starts = !native->asked_fire && native->is_idle;
  native->asked_fire = true;
  if (starts && clew_native_poll(native) != NULL) {
    pthread_join(native->thread, NULL); /* it has nothing more to do with the lock */
    native->has_thread = false;
    start_thread(native);
  }
  if (starts && native->is_idle) /* no code, or no thread */
    end_part(native, CLEW_NATIVE_FIRE);
  pthread_mutex_unlock(&native->lock);
}

static const struct clew_native_api *poll_part(const struct clew_native *native,
                                               enum clew_native_part which) {
  assert(native != NULL);
  return atomic_load_explicit(&native->parts[which].api, memory_order_acquire);
}

const struct clew_native_api *clew_native_poll(const struct clew_native *native) {
  return poll_part(native, CLEW_NATIVE_ALL);
}

clew_native_fire_fn clew_native_poll_fire(const struct clew_native *native) {
  assert(native != NULL);
  return atomic_load_explicit(&native->fire, memory_order_acquire);
}

static void wait_for_part(struct clew_native *native, enum clew_native_part which) {
  assert(native != NULL);
  pthread_mutex_lock(&native->lock);
  assert(which != CLEW_NATIVE_FIRE || native->asked_fire);
  while (!atomic_load(&native->parts[which].done))
    pthread_cond_wait(&native->finished, &native->lock);
  pthread_mutex_unlock(&native->lock);
}

const struct clew_native_api *clew_native_wait(struct clew_native *native) {
  wait_for_part(native, CLEW_NATIVE_ALL);
  return poll_part(native, CLEW_NATIVE_ALL);
}

bool clew_native_wait_fire(struct clew_native *native) {
  wait_for_part(native, CLEW_NATIVE_FIRE);
  return poll_part(native, CLEW_NATIVE_FIRE) != NULL;
}

static bool is_done(const struct clew_native *native, enum clew_native_part which) {
  assert(native != NULL);
  return atomic_load_explicit(&native->parts[which].done, memory_order_acquire);
}

double clew_native_compile_s(const struct clew_native *native) {
  double sum_s = 0;
  assert(native != NULL);
  for (enum clew_native_part which = CLEW_NATIVE_ALL; which < CLEW_NATIVE_PARTS; which++)
    sum_s += is_done(native, which) ? native->parts[which].compile_s : 0;
  return sum_s;
}

const char *clew_native_notice(const struct clew_native *native) {
  return is_done(native, CLEW_NATIVE_ALL) ? native->notice : NULL;
}

void clew_native_close(struct clew_native *native) {
  if (native == NULL)
    return;
  atomic_store(&native->cancelled, true);
  clew_compile_job_cancel(&native->job);
  if (native->has_thread)
    pthread_join(native->thread, NULL);
  assert(native->is_idle);
  for (enum clew_native_part which = CLEW_NATIVE_ALL; which < CLEW_NATIVE_PARTS; which++)
    if (native->parts[which].library != NULL)
      dlclose(native->parts[which].library);
  clew_compile_job_close(&native->job);
  pthread_cond_destroy(&native->finished);
  pthread_mutex_destroy(&native->lock);
  clew_free(native->notice);
  clew_free(native);
}
