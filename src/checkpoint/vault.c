/* Files that appear complete or not at all. */
#include "checkpoint/vault.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

enum { LOCK_ATTEMPTS = 30 };
static const char LOCK[] = "LOCK";

/* Every change of the directory passes here. */
static bool step(struct clew_vault *vault, const struct clew_vault_event *event) {
  vault->steps++;
  if (vault->steps == vault->last) {
    raise(SIGKILL);
  }
  if (vault->watch != NULL && !vault->watch(vault->watch_context, event)) {
    errno = ENOSPC;
    return false;
  }
  return true;
}

static uint64_t die_at(void) {
  const char *text = getenv("CLEW_DIE_AT");
  uint64_t number = 0;
  return text != NULL && clew_text_parse_u64(text, &number) ? number : 0;
}

static enum clew_status complain(struct clew_diag_sink *diags, const char *path, const char *what) {
  int error = errno;
  clew_diag_plain(diags, CLEW_ERROR, path, "%s: %s", what, strerror(error));
  return CLEW_IO_FAILED;
}

/* A process that was just killed may still be going away: it is given a moment. */
static bool lock_soon(int fd) {
  const struct timespec pause = {.tv_nsec = 50000000};
  for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
      return true;
    }
    if (errno != EWOULDBLOCK) {
      return false;
    }
    nanosleep(&pause, NULL);
  }
  errno = EWOULDBLOCK;
  return false;
}

static enum clew_status take_lock(struct clew_vault *vault, struct clew_diag_sink *diags) {
  vault->lock = openat(vault->directory, LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (vault->lock < 0) {
    return complain(diags, vault->path, "cannot write to this directory");
  }
  if (!lock_soon(vault->lock)) {
    if (errno == EWOULDBLOCK) {
      clew_diag_plain(diags, CLEW_ERROR, vault->path, "another process is using this checkpoint");
      return CLEW_IO_FAILED;
    }
    return complain(diags, vault->path, "cannot lock this directory");
  }
  return CLEW_OK;
}

enum clew_status clew_vault_open(struct clew_vault *vault, const char *path, bool create,
                                 struct clew_diag_sink *diags) {
  *vault =
      (struct clew_vault){.path = clew_strdup(path), .directory = -1, .lock = -1, .last = die_at()};
  if (create && clew_file_make_directory(path, diags) != CLEW_OK) {
    return CLEW_IO_FAILED;
  }
  vault->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (vault->directory < 0) {
    return complain(diags, path, "cannot open this directory");
  }
  return take_lock(vault, diags);
}

enum clew_status clew_vault_look(struct clew_vault *vault, const char *path,
                                 struct clew_diag_sink *diags) {
  *vault = (struct clew_vault){.path = clew_strdup(path), .directory = -1, .lock = -1};
  vault->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return vault->directory >= 0 ? CLEW_OK : complain(diags, path, "cannot open this directory");
}

void clew_vault_close(struct clew_vault *vault) {
  if (vault->lock >= 0) {
    close(vault->lock);
  }
  if (vault->directory >= 0) {
    close(vault->directory);
  }
  clew_free(vault->path);
  *vault = (struct clew_vault){.directory = -1, .lock = -1};
}

/* ---- writing ---- */

static void fail(struct clew_vault_file *file) {
  if (!file->failed) {
    file->failed = true;
    file->error = errno;
  }
}

static char *temporary_name(const char *name) {
  struct clew_text text = {0};
  clew_text_printf(&text, "%s.tmp", name);
  return text.data;
}

void clew_vault_begin(struct clew_vault_file *file, struct clew_vault *vault, const char *name) {
  *file = (struct clew_vault_file){
      .vault = vault, .name = clew_strdup(name), .temporary = temporary_name(name), .fd = -1};
  if (step(vault, &(struct clew_vault_event){.act = CLEW_VAULT_CREATE, .name = file->temporary})) {
    file->fd =
        openat(vault->directory, file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (file->fd < 0) {
    fail(file);
  }
}

void clew_vault_write(struct clew_vault_file *file, const void *data, size_t bytes) {
  if (file->failed || bytes == 0) {
    return;
  }
  struct clew_vault_event event = {
      .act = CLEW_VAULT_WRITE, .name = file->temporary, .data = data, .bytes = bytes};
  if (!step(file->vault, &event) || !clew_fd_write_at(file->fd, data, bytes, file->bytes)) {
    fail(file);
    return;
  }
  file->bytes += bytes;
}

static void forget(struct clew_vault_file *file) {
  clew_free(file->name);
  clew_free(file->temporary);
  file->name = file->temporary = NULL;
}

void clew_vault_abandon(struct clew_vault_file *file) {
  if (file->fd >= 0) {
    close(file->fd);
    unlinkat(file->vault->directory, file->temporary, 0);
  }
  forget(file);
}

static bool synchronise(struct clew_vault_file *file) {
  struct clew_vault_event event = {.act = CLEW_VAULT_SYNC, .name = file->temporary};
  return step(file->vault, &event) && fdatasync(file->fd) == 0;
}

bool clew_vault_commit(struct clew_vault_file *file) {
  if (!file->failed && !synchronise(file)) {
    fail(file);
  }
  if (file->fd >= 0 && close(file->fd) != 0) {
    fail(file);
  }
  file->fd = -1;
  if (!file->failed && !(clew_vault_rename(file->vault, file->temporary, file->name) &&
                         clew_vault_settle(file->vault))) {
    fail(file);
  }
  if (file->failed) {
    unlinkat(file->vault->directory, file->temporary, 0);
  }
  forget(file);
  errno = file->error;
  return !file->failed;
}

/* ---- names ---- */

bool clew_vault_rename(struct clew_vault *vault, const char *from, const char *to) {
  struct clew_vault_event event = {.act = CLEW_VAULT_RENAME, .name = from, .other = to};
  return step(vault, &event) && renameat(vault->directory, from, vault->directory, to) == 0;
}

bool clew_vault_remove(struct clew_vault *vault, const char *name) {
  struct clew_vault_event event = {.act = CLEW_VAULT_REMOVE, .name = name};
  return step(vault, &event) && (unlinkat(vault->directory, name, 0) == 0 || errno == ENOENT);
}

bool clew_vault_settle(struct clew_vault *vault) {
  struct clew_vault_event event = {.act = CLEW_VAULT_SETTLE};
  return step(vault, &event) && fsync(vault->directory) == 0;
}

void clew_vault_sweep(struct clew_vault *vault,
                      bool (*is_needed)(const void *context, const char *name),
                      const void *context) {
  int fd = dup(vault->directory);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (list == NULL) {
    if (fd >= 0) {
      close(fd);
    }
    return; /* they stay */
  }
  rewinddir(list);
  const struct dirent *entry;
  while ((entry = readdir(list)) != NULL) {
    const char *name = entry->d_name;
    if (name[0] != '.' && strcmp(name, LOCK) != 0 && !is_needed(context, name)) {
      (void)clew_vault_remove(vault, name);
    }
  }
  closedir(list);
}

/* ---- reading ---- */

bool clew_vault_has(const struct clew_vault *vault, const char *name) {
  return faccessat(vault->directory, name, F_OK, 0) == 0;
}

int clew_vault_read(const struct clew_vault *vault, const char *name) {
  return openat(vault->directory, name, O_RDONLY | O_CLOEXEC);
}

enum clew_status clew_vault_read_all(const struct clew_vault *vault, const char *name, size_t limit,
                                     struct clew_text *out, struct clew_diag_sink *diags) {
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/%s", vault->path, name);
  enum clew_status status = clew_file_read(clew_text_str(&path), limit, out, diags);
  clew_text_free(&path);
  return status;
}
