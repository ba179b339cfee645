/* Scratch directories.
 *
 * A directory belongs to the process that holds a lock on it, which ends with the process however
 * that ends. Whoever makes a directory first removes those beside it that nobody holds. Between
 * making a directory and locking it another process may take it for a stale one: whoever finds its
 * own gone, or locked, makes another.
 *
 * An orderly exit in the middle of everything (clew_fatal) removes what is open. For that a list of
 * all directories of the process is kept here; nothing else reads it. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/vec.h"

enum { RANDOM_LETTERS = 6, ATTEMPTS = 20 };

/* Whether files there are kept in memory, which is what they are to relieve. */
static bool is_memory(const char *path) {
  struct statfs info;
  return statfs(path, &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC);
}

/* $TMPDIR is the user's wish. Else the first of these that is a directory on a disk; where none is,
 * memory has to do. */
static const char *default_parent(void) {
  static const char *const usual[] = {"/var/tmp", "/tmp"};
  const char *preferred = getenv("TMPDIR");
  if (preferred != NULL && *preferred != '\0') {
    return preferred;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    if (access(usual[i], W_OK | X_OK) == 0 && !is_memory(usual[i])) {
      return usual[i];
    }
  }
  return usual[1];
}

bool clew_scratch_is_memory(const struct clew_scratch *scratch) {
  assert(scratch->parent != NULL);
  return is_memory(scratch->parent);
}

enum clew_status clew_scratch_open(struct clew_scratch *scratch, const char *parent,
                                   struct clew_diag_sink *diags) {
  assert(scratch != NULL);
  *scratch = (struct clew_scratch){0};
  if (parent == NULL) {
    scratch->parent = clew_strdup(default_parent());
    return CLEW_OK;
  }
  struct stat info;
  if (stat(parent, &info) != 0) {
    clew_diag_plain(diags, CLEW_ERROR, parent, "%s", strerror(errno));
    return CLEW_IO_FAILED;
  }
  if (!S_ISDIR(info.st_mode)) {
    clew_diag_plain(diags, CLEW_ERROR, parent, "is not a directory");
    return CLEW_IO_FAILED;
  }
  if (access(parent, W_OK | X_OK) != 0) {
    clew_diag_plain(diags, CLEW_ERROR, parent, "cannot create files here: %s", strerror(errno));
    return CLEW_IO_FAILED;
  }
  scratch->parent = clew_strdup(parent);
  return CLEW_OK;
}

/* ---- removing ---- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  (void)remove(path); /* what cannot be removed must not keep the rest */
  return 0;
}

static void remove_tree(const char *path) {
  enum { OPEN_DIRECTORIES = 16 };
  nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* ---- all directories of this process ---- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static CLEW_VEC(char *) list; /* owned paths */
static pid_t list_owner;      /* not a child that was forked since */
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void remove_all(void) {
  if (getpid() != list_owner) {
    return;
  }
  pthread_mutex_lock(&list_lock);
  for (uint32_t i = 0; i < list.len; i++) {
    remove_tree(list.data[i]);
    clew_free(list.data[i]);
  }
  clew_vec_free(&list);
  pthread_mutex_unlock(&list_lock);
}

static void remove_at_exit(void) {
  (void)atexit(remove_all); /* without it, the next process removes them */
}

static void list_add(const char *path) {
  pthread_once(&exit_once, remove_at_exit);
  pthread_mutex_lock(&list_lock);
  clew_vec_push(&list, clew_strdup(path));
  list_owner = getpid();
  pthread_mutex_unlock(&list_lock);
}

static void list_drop(const char *path) {
  pthread_mutex_lock(&list_lock);
  for (uint32_t i = 0; i < list.len; i++) {
    if (strcmp(list.data[i], path) == 0) {
      clew_free(list.data[i]);
      list.data[i] = clew_vec_pop(&list);
      break;
    }
  }
  if (list.len == 0) {
    clew_vec_free(&list);
  }
  pthread_mutex_unlock(&list_lock);
}

/* ---- what others left ---- */

/* "clew-", the number of a process, "-" and random letters. */
static bool is_scratch_name(const char *name) {
  const char *prefix = "clew-";
  if (strncmp(name, prefix, strlen(prefix)) != 0) {
    return false;
  }
  name += strlen(prefix);
  size_t digits = strspn(name, "0123456789");
  return digits > 0 && name[digits] == '-' && strlen(name + digits + 1) == RANDOM_LETTERS;
}

/* A directory of ours alone that nobody holds; -1 if it is anything else. */
static int take_stale(const char *path) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    return -1;
  }
  if (fstat(fd, &info) != 0 || info.st_uid != geteuid() || (info.st_mode & 077) != 0 ||
      flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static void remove_stale(const char *parent) {
  DIR *directory = opendir(parent);
  if (directory == NULL) {
    return;
  }
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (!is_scratch_name(entry->d_name)) {
      continue;
    }
    struct clew_text path = {0};
    clew_text_printf(&path, "%s/%s", parent, entry->d_name);
    int fd = take_stale(clew_text_str(&path));
    if (fd >= 0) {
      remove_tree(clew_text_str(&path));
      close(fd);
    }
    clew_text_free(&path);
  }
  closedir(directory);
}

/* ---- making ---- */

/* Locks the directory; false when another process was faster. Where the file system has no locks
 * nobody can take it for a stale one. */
static bool hold(struct clew_scratch *scratch, const char *path) {
  struct stat there, held;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (taken || fstat(fd, &held) != 0 || stat(path, &there) != 0 || held.st_ino != there.st_ino ||
      held.st_dev != there.st_dev) {
    close(fd);
    errno = EAGAIN;
    return false;
  }
  scratch->lock = fd;
  scratch->is_held = true;
  return true;
}

static bool make_directory(struct clew_scratch *scratch) {
  assert(scratch->path == NULL && scratch->parent != NULL);
  remove_stale(scratch->parent);
  for (uint32_t i = 0; i < ATTEMPTS; i++) {
    struct clew_text path = {0};
    clew_text_printf(&path, "%s/clew-%ld-XXXXXX", scratch->parent, (long)getpid());
    bool made = mkdtemp(path.data) != NULL;
    if (made && hold(scratch, path.data)) {
      scratch->path = path.data;
      list_add(path.data);
      return true;
    }
    int error = errno;
    clew_text_free(&path);
    errno = error;
    if (!made) {
      return false;
    }
  }
  return false;
}

static int make_file(struct clew_scratch *scratch, const char *name, bool keeps_name) {
  assert(*name != '\0' && strchr(name, '/') == NULL);
  if (scratch->path == NULL && !make_directory(scratch)) {
    return -1;
  }
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/%s", scratch->path, name);
  int fd = open(clew_text_str(&path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int error = errno;
  if (fd >= 0 && !keeps_name) {
    (void)unlink(clew_text_str(&path)); /* if not now, then with the directory */
  }
  clew_text_free(&path);
  errno = error;
  return fd;
}

int clew_scratch_file(struct clew_scratch *scratch, const char *name) {
  return make_file(scratch, name, true);
}

int clew_scratch_nameless(struct clew_scratch *scratch, const char *name) {
  return make_file(scratch, name, false);
}

void clew_scratch_close(struct clew_scratch *scratch) {
  if (scratch->path != NULL) {
    assert(strlen(scratch->path) > strlen(scratch->parent));
    remove_tree(scratch->path);
    list_drop(scratch->path);
  }
  if (scratch->is_held) {
    close(scratch->lock);
  }
  clew_free(scratch->path);
  clew_free(scratch->parent);
  *scratch = (struct clew_scratch){0};
}
