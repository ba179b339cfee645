/* Private to src/ir/native*.c: from emitted C to loaded code. */
#ifndef CLEW_IR_NATIVE_INT_H
#define CLEW_IR_NATIVE_INT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "ir/native_abi.h"

/* ---- native_headers.c: the headers that emitted C includes, inside this binary -------------- */

struct clew_native_header {
  const char *path; /* as it is included: "ir/native_rt.h" */
  const char *text;
  size_t bytes;
};

enum { CLEW_NATIVE_HEADERS = 5 };
struct clew_native_header clew_native_header_get(uint32_t i);

/* ---- native_compiler.c: the system compiler -------------------------------------------------- */

struct clew_compiler {
  char *words; /* owned: the command, its words terminated one by one */
  uint32_t word_count;
  char *path; /* owned: of the program */
  uint64_t identity[3];
};

/* $CLEW_CC or cc. False, with the reason, when there is no such program. */
bool clew_compiler_open(struct clew_compiler *compiler, struct clew_text *why);
void clew_compiler_close(struct clew_compiler *compiler); /* a zeroed one is fine */
/* What a compiled object depends on besides the text, which has so many bytes. */
void clew_compiler_describe(const struct clew_compiler *compiler, size_t source_bytes,
                            struct clew_text *out);

/* A compiler process that another thread may kill. */
struct clew_compile_job {
  pthread_mutex_t lock;
  pid_t pid; /* leader of its group; 0: none is running */
  bool cancelled;
  const atomic_bool *stop; /* raised: it is killed as well */
};

void clew_compile_job_open(struct clew_compile_job *job, const atomic_bool *stop);
void clew_compile_job_cancel(struct clew_compile_job *job); /* also what is started later */
void clew_compile_job_close(struct clew_compile_job *job);

/* Compiles "<directory>/model.c", of so many bytes, to "<directory>/model.so". False, with the
 * reason (empty when cancelled or stopped), when there is no such file afterwards. */
bool clew_compiler_run(const struct clew_compiler *compiler, struct clew_compile_job *job,
                       const char *directory, size_t source_bytes, struct clew_text *why);

/* ---- native_cache.c: compiled objects that are kept ------------------------------------------ */

/* A directory of files "<key>.so", each sealed: followed by a hash of its contents, so that what a
 * crash or a full disk left behind is never loaded. Files are made under other names and renamed;
 * any number of processes may do so at the same time. */
struct clew_cache {
  char *path; /* owned; NULL: there is none, nothing is kept */
};

/* $XDG_CACHE_HOME/clew or ~/.cache/clew, if it is ours alone. */
void clew_cache_open(struct clew_cache *cache);
void clew_cache_close(struct clew_cache *cache);

/* Loads a sealed file; NULL (and the file is gone) if it is not what it should be. The handle is
 * for dlclose. */
const struct clew_native_api *clew_cache_load(const char *path, uint32_t words, uint32_t edge_count,
                                              void **handle);
bool clew_cache_seal(const char *path);
/* The path of a key, into `out`. */
void clew_cache_path(const struct clew_cache *cache, struct clew_hash128 key,
                     struct clew_text *out);
/* Several processes need the same file, which is not there: one of them makes it, and the others
 * wait until it has, or until a flag is raised. -1: it cannot be claimed, which is no reason not to
 * make it. */
int clew_cache_claim(const char *path, const atomic_bool *cancelled, const atomic_bool *stop);
void clew_cache_release(const char *path, int claim);
/* Removes the oldest files, except the one at `keep`, when there are too many, and directories that
 * a crash left. */
void clew_cache_evict(const struct clew_cache *cache, const char *keep);

#endif
