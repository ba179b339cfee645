/* Files: whole inputs, scratch directories, and outputs that appear complete or not at all. */
#ifndef CLEW_BASE_FILE_H
#define CLEW_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/text.h"

/* Reads a regular file or pipe of at most `limit` bytes into *out ("-" is standard input).
 * Directories, unreadable files and oversized ones are reported to the sink. */
enum clew_status clew_file_read(const char *path, size_t limit, struct clew_text *out,
                                struct clew_diag_sink *diags);

/* Writes `bytes` to a temporary name beside `path`, then renames; "-" is standard output, and what
 * is not a regular file (such as /dev/null) is written directly. */
enum clew_status clew_file_write(const char *path, const void *data, size_t bytes,
                                 struct clew_diag_sink *diags);

/* Whether clew_file_write to this path can start, found out before a long run. Leaves nothing. */
enum clew_status clew_file_writable(const char *path, struct clew_diag_sink *diags);

/* mkdir -p. */
enum clew_status clew_file_make_directory(const char *path, struct clew_diag_sink *diags);

/* A scratch directory: a fresh one under `parent` (NULL: $TMPDIR, or else /var/tmp or /tmp, one
 * that is on a disk if possible), mode 0700, whose name has the number of the process. Removed with
 * everything in it by close, or when the process exits; if it is killed, by the next process that
 * makes one beside it. Nothing is created until clew_scratch_file. */
struct clew_scratch {
  char *parent; /* owned */
  char *path;   /* owned; NULL until first used */
  int lock;     /* a descriptor, if it is held */
  bool is_held;
};

/* Checks that `parent`, when given, is a writable directory. */
enum clew_status clew_scratch_open(struct clew_scratch *scratch, const char *parent,
                                   struct clew_diag_sink *diags);
/* Whether files there take memory (tmpfs), so that spilling to them relieves nothing. */
bool clew_scratch_is_memory(const struct clew_scratch *scratch);
/* Creates and opens "<path>/<name>" for reading and writing; -1 and errno on failure,
 * which it is when the name exists already. */
int clew_scratch_file(struct clew_scratch *scratch, const char *name);
/* The same for a file that nobody opens again: its name is gone at once, and it goes with the
 * descriptor. The name may be used again. */
int clew_scratch_nameless(struct clew_scratch *scratch, const char *name);
void clew_scratch_close(struct clew_scratch *scratch);

/* Complete transfers, restarting after signals; false and errno on failure or early end. */
bool clew_fd_write_at(int fd, const void *data, size_t bytes, uint64_t offset);
bool clew_fd_read_at(int fd, void *data, size_t bytes, uint64_t offset);

#endif
