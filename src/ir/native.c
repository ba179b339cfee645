/* Native code in the background: a thread emits C, looks for its hash in the cache, else compiles
 * it, loads the result and publishes it with one atomic store. Whoever polls sees nothing or all.
 *
 * Invariant: `api` is set at most once, before `done`; what else the thread leaves behind (notice,
 * time, library) is written before `done` and read only after it. */
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

struct clew_native {
  const struct clew_program *program;
  const struct clew_canon *canon; /* or NULL */
  pthread_t thread;
  bool has_thread;
  pthread_mutex_t lock;
  pthread_cond_t finished;
  struct clew_compile_job job;
  _Atomic(const struct clew_native_api *) api;
  atomic_bool done;
  void *library;
  double compile_s;
  char *notice;
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
  clew_compiler_describe(compiler, &all);
  struct clew_hash128 hash = clew_hash128_bytes(all.data, all.len, 0);
  clew_text_free(&all);
  return hash;
}

static const struct clew_native_api *load(struct clew_native *native, const char *path) {
  assert(native->library == NULL);
  return clew_cache_load(path, native->program->words, native->program->edge_count,
                         &native->library);
}

/* Compiles in a scratch directory and loads the result, from the cache's `path` if there is one. */
static const struct clew_native_api *compile(struct clew_native *native,
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
  } else if (clew_compiler_run(compiler, &native->job, scratch.path, why)) {
    clew_text_printf(&made, "%s/model.so", scratch.path);
    const char *final = clew_text_str(&made);
    if (clew_cache_seal(final) && path != NULL && rename(final, path) == 0)
      final = path;
    api = load(native, final);
    if (api == NULL)
      clew_text_put(why, "the compiled model cannot be loaded");
  }
  native->compile_s = clew_clock_wall_s() - start_s;
  clew_diag_sink_free(&ignored);
  clew_scratch_close(&scratch);
  clew_text_free(&made);
  return api;
}

static const struct clew_native_api *
find_or_compile(struct clew_native *native, const struct clew_text *source, struct clew_text *why) {
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
    api = load(native, clew_text_str(&path));
    if (api != NULL) /* it was needed: the oldest are removed first */
      utimensat(AT_FDCWD, clew_text_str(&path), NULL, 0);
  }
  if (api == NULL) {
    api = compile(native, &compiler, source, &cache,
                  cache.path == NULL ? NULL : clew_text_str(&path), why);
    if (cache.path != NULL)
      clew_cache_evict(&cache, clew_text_str(&path));
  }
  clew_text_free(&path);
  clew_cache_close(&cache);
  clew_compiler_close(&compiler);
  return api;
}

static void *run(void *arg) {
  struct clew_native *native = arg;
  struct clew_text source = {0}, why = {0};
  const struct clew_native_api *api = NULL;
  if (clew_emit_c(native->program, native->canon, &source))
    api = find_or_compile(native, &source, &why);
  else
    clew_text_put(&why, "the model is too large to compile");
  if (api == NULL) {
    struct clew_text notice = {0};
    clew_text_printf(&notice, "no native code: %s; interpreting",
                     why.len == 0 ? "cancelled" : clew_text_str(&why));
    native->notice = notice.data;
  }
  atomic_store_explicit(&native->api, api, memory_order_release);
  clew_text_free(&source);
  clew_text_free(&why);
  pthread_mutex_lock(&native->lock);
  assert(!atomic_load(&native->done));
  atomic_store_explicit(&native->done, true, memory_order_release);
  pthread_cond_broadcast(&native->finished);
  pthread_mutex_unlock(&native->lock);
  return NULL;
}

/* ---- The handle ------------------------------------------------------------------------------ */

/* Signals are for the threads of the search. */
static bool start_thread(struct clew_native *native) {
  sigset_t all, old;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  int failed = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
  assert(failed == 0);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  failed = pthread_create(&native->thread, &attributes, run, native);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return failed == 0;
}

struct clew_native *clew_native_start(const struct clew_program *program,
                                      const struct clew_canon *canon) {
  struct clew_native *native = clew_alloc_zero(1, sizeof *native);
  assert(program->words > 0);
  native->program = program;
  native->canon = canon;
  atomic_init(&native->api, NULL);
  atomic_init(&native->done, false);
  pthread_mutex_init(&native->lock, NULL);
  pthread_cond_init(&native->finished, NULL);
  clew_compile_job_open(&native->job);
  native->has_thread = start_thread(native);
  if (!native->has_thread) {
    native->notice = clew_strdup("no native code: no thread to compile in; interpreting");
    atomic_store(&native->done, true);
  }
  return native;
}

const struct clew_native_api *clew_native_poll(const struct clew_native *native) {
  assert(native != NULL);
  return atomic_load_explicit(&native->api, memory_order_acquire);
}

const struct clew_native_api *clew_native_wait(struct clew_native *native) {
  assert(native != NULL);
  pthread_mutex_lock(&native->lock);
  while (!atomic_load(&native->done))
    pthread_cond_wait(&native->finished, &native->lock);
  pthread_mutex_unlock(&native->lock);
  return clew_native_poll(native);
}

static bool is_done(const struct clew_native *native) {
  assert(native != NULL);
  return atomic_load_explicit(&native->done, memory_order_acquire);
}

double clew_native_compile_s(const struct clew_native *native) {
  return is_done(native) ? native->compile_s : 0;
}

const char *clew_native_notice(const struct clew_native *native) {
  return is_done(native) ? native->notice : NULL;
}

void clew_native_close(struct clew_native *native) {
  if (native == NULL)
    return;
  clew_compile_job_cancel(&native->job);
  if (native->has_thread)
    pthread_join(native->thread, NULL);
  assert(atomic_load(&native->done));
  if (native->library != NULL)
    dlclose(native->library);
  clew_compile_job_close(&native->job);
  pthread_cond_destroy(&native->finished);
  pthread_mutex_destroy(&native->lock);
  clew_free(native->notice);
  clew_free(native);
}
