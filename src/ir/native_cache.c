/* The cache of compiled models. See native_int.h for its invariant.
 *
 * Loading a library runs its code, so only files are loaded that belong to this user, in a
 * directory that nobody else can write to, and whose seal is intact: a truncated library would not
 * be refused by the loader but crash the process when a missing page is touched. */
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "ir/native_int.h"

enum {
  MAX_FILES = 200,
  MAX_BYTES = 256 << 20,
  MAX_FILE_BYTES = 64 << 20,
  MAX_SCRATCH_AGE_S = 24 * 3600,
};

struct seal {
  char magic[8];
  struct clew_hash128 hash;
};

static const char seal_magic[8] = "clew.so1";

/* ---- The directory --------------------------------------------------------------------------- */

/* mkdir -p for nobody else's eyes. */
static void make_directories(char *path) {
  assert(path[0] == '/');
  for (char *at = path + 1; *at != '\0'; at++)
    if (*at == '/') {
      *at = '\0';
      mkdir(path, 0700);
      *at = '/';
    }
  mkdir(path, 0700);
}

/* Whether it is a directory that we alone can write to. */
static bool is_ours(const char *path) {
  struct stat info;
  assert(path != NULL);
  if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
    return false;
  if ((info.st_mode & 077) != 0 && chmod(path, 0700) != 0)
    return false;
  return access(path, W_OK | X_OK) == 0;
}

void clew_cache_open(struct clew_cache *cache) {
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  struct clew_text path = {0};
  cache->path = NULL;
  if (base != NULL && base[0] == '/')
    clew_text_printf(&path, "%s/clew", base);
  else if (home != NULL && home[0] == '/')
    clew_text_printf(&path, "%s/.cache/clew", home);
  else
    return;
  make_directories(path.data);
  if (is_ours(path.data))
    cache->path = path.data;
  else
    clew_text_free(&path);
  assert(cache->path == NULL || cache->path[0] == '/');
}

void clew_cache_close(struct clew_cache *cache) {
  assert(cache != NULL);
  clew_free(cache->path);
  cache->path = NULL;
}

void clew_cache_path(const struct clew_cache *cache, struct clew_hash128 key,
                     struct clew_text *out) {
  assert(cache->path != NULL);
  clew_text_printf(out, "%s/%016llx%016llx.so", cache->path, (unsigned long long)key.high,
                   (unsigned long long)key.low);
}

/* ---- Sealed files ---------------------------------------------------------------------------- */

/* The contents of a regular file of ours; false when it is anything else, such as a pipe that
 * nobody writes to. */
static bool read_ours(const char *path, struct clew_text *out) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
              (info.st_mode & 022) == 0 && info.st_size > 0 && info.st_size <= MAX_FILE_BYTES;
  if (good) {
    char *data = clew_alloc((size_t)info.st_size);
    good = clew_fd_read_at(fd, data, (size_t)info.st_size, 0);
    if (good)
      clew_text_put_n(out, data, (size_t)info.st_size);
    clew_free(data);
  }
  close(fd);
  assert(!good || out->len > 0);
  return good;
}

/* ---- who compiles ---- */

static void put_claim(const char *path, struct clew_text *out) {
  clew_text_printf(out, "%s.lock", path);
}

int clew_cache_claim(const char *path, const atomic_bool *cancelled, const atomic_bool *stop) {
  const struct timespec a_while = {.tv_nsec = 20000000};
  struct clew_text name = {0};
  put_claim(path, &name);
  int claim = open(clew_text_str(&name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  clew_text_free(&name);
  while (claim >= 0 && flock(claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
         !atomic_load(cancelled) && !atomic_load(stop)) {
    nanosleep(&a_while, NULL);
  }
  return claim;
}

/* Whoever opened the file before it is gone compiles again: that costs time and nothing else. */
void clew_cache_release(const char *path, int claim) {
  struct clew_text name = {0};
  if (claim < 0) {
    return;
  }
  put_claim(path, &name);
  (void)unlink(clew_text_str(&name));
  clew_text_free(&name);
  close(claim);
}

bool clew_cache_seal(const char *path) {
  struct clew_text contents = {0};
  bool sealed = chmod(path, 0700) == 0 && read_ours(path, &contents);
  if (sealed) {
    struct seal seal = {.hash = clew_hash128_bytes(contents.data, contents.len, 0)};
    memcpy(seal.magic, seal_magic, sizeof seal.magic);
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    sealed = fd >= 0 && clew_fd_write_at(fd, &seal, sizeof seal, contents.len);
    sealed = fd >= 0 && close(fd) == 0 && sealed;
  }
  assert(sizeof(struct seal) == 24);
  clew_text_free(&contents);
  return sealed;
}

static bool seal_is_intact(const char *path) {
  struct clew_text contents = {0};
  struct seal seal;
  bool intact = read_ours(path, &contents) && contents.len > sizeof seal;
  if (intact) {
    size_t bytes = contents.len - sizeof seal;
    memcpy(&seal, contents.data + bytes, sizeof seal);
    struct clew_hash128 hash = clew_hash128_bytes(contents.data, bytes, 0);
    intact = memcmp(seal.magic, seal_magic, sizeof seal.magic) == 0 && seal.hash.low == hash.low &&
             seal.hash.high == hash.high;
    assert(bytes < contents.len);
  }
  clew_text_free(&contents);
  return intact;
}

const struct clew_native_api *clew_cache_load(const char *path, uint32_t words, uint32_t edge_count,
                                              void **handle) {
  assert(words > 0);
  *handle = NULL;
  if (seal_is_intact(path))
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*handle != NULL) {
    const struct clew_native_api *api = dlsym(*handle, CLEW_NATIVE_SYMBOL);
    if (api != NULL && api->abi == CLEW_NATIVE_ABI && api->words == words &&
        api->edge_count == edge_count)
      return api;
    dlclose(*handle);
    *handle = NULL;
  }
  unlink(path);
  return NULL;
}

/* ---- Keeping it small ------------------------------------------------------------------------ */

struct entry {
  char *path; /* owned */
  struct timespec time;
  uint64_t bytes;
};

typedef CLEW_VEC(struct entry) entry_list;

static int compare_entries(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->time.tv_sec != y->time.tv_sec)
    return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
  assert(x->path != NULL && y->path != NULL);
  return x->time.tv_nsec < y->time.tv_nsec ? -1 : x->time.tv_nsec > y->time.tv_nsec;
}

static bool has_suffix(const char *name, const char *suffix) {
  size_t length = strlen(name), wanted = strlen(suffix);
  assert(wanted > 0);
  return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

/* A directory in which a process compiled that is no more. */
static void remove_scratch(const struct clew_cache *cache, const char *path,
                           const struct stat *info) {
  if (time(NULL) - info->st_mtim.tv_sec < MAX_SCRATCH_AGE_S)
    return;
  struct clew_scratch scratch = {.parent = clew_strdup(cache->path), .path = clew_strdup(path)};
  assert(S_ISDIR(info->st_mode));
  clew_scratch_close(&scratch);
}

static void list_entries(const struct clew_cache *cache, entry_list *list) {
  DIR *directory = opendir(cache->path);
  if (directory == NULL)
    return;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    struct clew_text path = {0};
    struct stat info;
    clew_text_printf(&path, "%s/%s", cache->path, entry->d_name);
    bool there = lstat(path.data, &info) == 0;
    if (there && S_ISREG(info.st_mode) && has_suffix(entry->d_name, ".so")) {
      struct entry item = {path.data, info.st_mtim, (uint64_t)info.st_size};
      clew_vec_push(list, item);
      continue;
    }
    if (there && S_ISDIR(info.st_mode) && strncmp(entry->d_name, "clew-", 5) == 0)
      remove_scratch(cache, path.data, &info);
    clew_text_free(&path);
  }
  closedir(directory);
  assert(list->len <= list->cap);
}

void clew_cache_evict(const struct clew_cache *cache, const char *keep) {
  entry_list list = {0};
  uint64_t bytes = 0;
  assert(cache->path != NULL);
  list_entries(cache, &list);
  for (uint32_t i = 0; i < list.len; i++)
    bytes += list.data[i].bytes;
  if (list.len > 0)
    qsort(list.data, list.len, sizeof *list.data, compare_entries);
  uint32_t left = list.len;
  for (uint32_t i = 0; i < list.len; i++) {
    if ((left > MAX_FILES || bytes > MAX_BYTES) && strcmp(list.data[i].path, keep) != 0) {
      unlink(list.data[i].path);
      bytes -= list.data[i].bytes;
      left--;
    }
    clew_free(list.data[i].path);
  }
  clew_vec_free(&list);
}
