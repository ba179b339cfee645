/* Whole files in and out (scratch.c has the scratch directories).
 *
 * Output goes to a fresh name in the same directory and is renamed when complete, so a reader sees
 * the old file or the new one and never a part. */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static enum clew_status io_error(struct clew_diag_sink *diags, const char *path, const char *what) {
  int error = errno;
  assert(error != 0);
  clew_diag_plain(diags, CLEW_ERROR, path, "%s%s%s", what, *what != '\0' ? ": " : "",
                  strerror(error));
  return CLEW_IO_FAILED;
}

static enum clew_status directory_error(struct clew_diag_sink *diags, const char *path) {
  clew_diag_plain(diags, CLEW_ERROR, path, "is a directory");
  return CLEW_IO_FAILED;
}

/* Reads to the end, or until there is more than `limit`; false and errno on failure. */
static bool read_all(int fd, size_t limit, struct clew_text *out) {
  char buffer[64 << 10];
  while (out->len <= limit) {
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got == 0) {
      return true;
    }
    if (got > 0) {
      clew_text_put_n(out, buffer, (size_t)got);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

static enum clew_status read_open_file(int fd, const char *name, size_t limit,
                                       struct clew_text *out, struct clew_diag_sink *diags) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    return io_error(diags, name, "");
  }
  if (S_ISDIR(info.st_mode)) {
    return directory_error(diags, name);
  }
  if (!read_all(fd, limit, out)) {
    return io_error(diags, name, "cannot read");
  }
  if (out->len > limit) {
    char size[32];
    clew_diag_plain(diags, CLEW_ERROR, name, "is larger than the limit of %s",
                    clew_text_bytes(limit, size));
    return CLEW_OVER_LIMIT;
  }
  return CLEW_OK;
}

enum clew_status clew_file_read(const char *path, size_t limit, struct clew_text *out,
                                struct clew_diag_sink *diags) {
  assert(path != NULL);
  clew_text_clear(out);
  enum clew_status status;
  if (strcmp(path, "-") == 0) {
    status = read_open_file(STDIN_FILENO, "standard input", limit, out, diags);
  } else {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
      return io_error(diags, path, "");
    }
    status = read_open_file(fd, path, limit, out, diags);
    close(fd);
  }
  if (status != CLEW_OK) {
    clew_text_clear(out);
  }
  return status;
}

static bool write_all(int fd, const void *data, size_t bytes) {
  const char *at = data;
  while (bytes > 0) {
    ssize_t put = write(fd, at, bytes);
    if (put < 0 && errno != EINTR) {
      return false;
    }
    if (put > 0) {
      at += put;
      bytes -= (size_t)put;
    }
  }
  return true;
}

/* Where the output will go. */
struct target {
  char *path;      /* owned; the file itself when a symbolic link was named */
  bool is_special; /* exists and is no regular file: written in place */
  bool exists;
  mode_t mode; /* of the file that is replaced */
};

static enum clew_status find_target(const char *path, struct target *target,
                                    struct clew_diag_sink *diags) {
  assert(path != NULL);
  *target = (struct target){0};
  struct stat info;
  size_t length = strlen(path);
  target->exists = stat(path, &info) == 0;
  if (target->exists ? S_ISDIR(info.st_mode) : length > 0 && path[length - 1] == '/') {
    return directory_error(diags, path);
  }
  if (!target->exists) {
    if (errno != ENOENT) {
      return io_error(diags, path, "cannot write");
    }
    target->path = clew_strdup(path);
    return CLEW_OK;
  }
  /* A rename would get round the protection of a read-only file. */
  if (access(path, W_OK) != 0) {
    return io_error(diags, path, "cannot write");
  }
  char *resolved = realpath(path, NULL);
  target->path = clew_strdup(resolved != NULL ? resolved : path);
  target->is_special = !S_ISREG(info.st_mode);
  target->mode = info.st_mode & 0777;
  free(resolved);
  return CLEW_OK;
}

/* Opens a fresh file in the directory of `path`; *name is owned. Not mkstemp, which makes files
 * that only the owner can read whatever the umask says. */
static int open_beside(const char *path, char **name) {
  enum { ATTEMPTS = 100 };
  const char *slash = strrchr(path, '/');
  size_t directory = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  struct clew_text text = {0};
  int fd = -1;
  for (unsigned i = 0; i < ATTEMPTS; i++) {
    clew_text_clear(&text);
    clew_text_put_n(&text, path, directory);
    clew_text_printf(&text, ".clew-%ld-%u.tmp", (long)getpid(), i);
    fd = open(clew_text_str(&text), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) {
      break;
    }
  }
  if (fd < 0) {
    int error = errno;
    clew_text_free(&text);
    errno = error;
    return -1;
  }
  assert(text.data != NULL);
  *name = text.data;
  return fd;
}

/* close reports what a network file system could not write. Closes in any case. */
static bool write_and_close(int fd, const void *data, size_t bytes) {
  assert(fd >= 0);
  bool written = write_all(fd, data, bytes);
  int error = errno;
  bool closed = close(fd) == 0;
  if (!written) {
    errno = error;
  }
  return written && closed;
}

static bool replace_file(const struct target *target, const void *data, size_t bytes) {
  assert(!target->is_special);
  if (target->path[0] == '\0') {
    errno = ENOENT;
    return false;
  }
  char *name;
  int fd = open_beside(target->path, &name);
  if (fd < 0) {
    return false;
  }
  if (target->exists) {
    /* Failing to keep the mode of a foreign file is no reason not to write. */
    (void)!fchmod(fd, target->mode);
  }
  bool ok = write_and_close(fd, data, bytes) && rename(name, target->path) == 0;
  int error = errno;
  if (!ok) {
    unlink(name);
  }
  clew_free(name);
  errno = error;
  return ok;
}

static bool overwrite_special(const char *path, const void *data, size_t bytes) {
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  return fd >= 0 && write_and_close(fd, data, bytes);
}

enum clew_status clew_file_write(const char *path, const void *data, size_t bytes,
                                 struct clew_diag_sink *diags) {
  assert(data != NULL || bytes == 0);
  if (strcmp(path, "-") == 0) {
    /* What was printed before must come before. */
    if (fflush(stdout) != 0 || !write_all(STDOUT_FILENO, data, bytes)) {
      return io_error(diags, "standard output", "cannot write");
    }
    return CLEW_OK;
  }
  struct target target;
  enum clew_status status = find_target(path, &target, diags);
  if (status != CLEW_OK) {
    return status;
  }
  bool ok = target.is_special ? overwrite_special(target.path, data, bytes)
                              : replace_file(&target, data, bytes);
  if (!ok) {
    status = io_error(diags, path, "cannot write");
  }
  clew_free(target.path);
  return status;
}

enum clew_status clew_file_writable(const char *path, struct clew_diag_sink *diags) {
  assert(path != NULL);
  if (strcmp(path, "-") == 0) {
    return CLEW_OK;
  }
  struct target target;
  enum clew_status status = find_target(path, &target, diags);
  if (status != CLEW_OK) {
    return status;
  }
  if (!target.is_special) {
    char *name;
    errno = ENOENT;
    int fd = target.path[0] != '\0' ? open_beside(target.path, &name) : -1;
    if (fd >= 0) {
      close(fd);
      unlink(name);
      clew_free(name);
    } else {
      status = io_error(diags, path, "cannot write");
    }
  }
  clew_free(target.path);
  return status;
}

static bool is_directory(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* True when it exists afterwards; whatever mkdir had against one that is there does not matter. */
static bool make_one_directory(const char *path) {
  if (mkdir(path, 0777) == 0) {
    return true;
  }
  int error = errno;
  if (is_directory(path)) {
    return true;
  }
  errno = error;
  return false;
}

enum clew_status clew_file_make_directory(const char *path, struct clew_diag_sink *diags) {
  assert(path != NULL);
  char *prefix = clew_strdup(path);
  bool ok = true;
  for (char *at = prefix; ok && *at != '\0'; at++) {
    if (*at == '/' && at > prefix) {
      *at = '\0';
      ok = make_one_directory(prefix);
      *at = '/';
    }
  }
  ok = ok && make_one_directory(prefix);
  int error = errno;
  clew_free(prefix);
  errno = error;
  return ok ? CLEW_OK : io_error(diags, path, "cannot create the directory");
}

/* After a transfer that made no progress: whether to try again. */
static bool interrupted(ssize_t moved) {
  assert(moved <= 0);
  if (moved == 0) {
    errno = EIO;
    return false;
  }
  return errno == EINTR;
}

bool clew_fd_write_at(int fd, const void *data, size_t bytes, uint64_t offset) {
  assert(offset <= INT64_MAX && bytes <= INT64_MAX - offset);
  const char *at = data;
  while (bytes > 0) {
    ssize_t moved = pwrite(fd, at, bytes, (off_t)offset);
    if (moved <= 0) {
      if (!interrupted(moved)) {
        return false;
      }
      continue;
    }
    at += moved;
    bytes -= (size_t)moved;
    offset += (uint64_t)moved;
  }
  return true;
}

bool clew_fd_read_at(int fd, void *data, size_t bytes, uint64_t offset) {
  assert(offset <= INT64_MAX && bytes <= INT64_MAX - offset);
  char *at = data;
  while (bytes > 0) {
    ssize_t moved = pread(fd, at, bytes, (off_t)offset);
    if (moved <= 0) {
      if (!interrupted(moved)) {
        return false;
      }
      continue;
    }
    at += moved;
    bytes -= (size_t)moved;
    offset += (uint64_t)moved;
  }
  return true;
}
