/* A directory of files that survive: each appears under its name complete or not at all, whatever
 * happens to the process or the machine in between.
 *
 * A file is written under a temporary name, synchronised, renamed, and then the directory is
 * synchronised. A file that was once in place never changes. A failed synchronisation is final for
 * that file: what was not written may have been dropped, so it is written anew under another name.
 * One process at a time has the directory; its lock ends with it. */
#ifndef CLEW_CHECKPOINT_VAULT_H
#define CLEW_CHECKPOINT_VAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/text.h"

/* What is done to the directory, in order; each is a system call or a few writes. */
enum clew_vault_act {
  CLEW_VAULT_CREATE, /* `name`, empty */
  CLEW_VAULT_WRITE,  /* appends `bytes` to the last one created */
  CLEW_VAULT_SYNC,   /* its contents are safe */
  CLEW_VAULT_RENAME, /* `name` to `other` */
  CLEW_VAULT_REMOVE, /* `name` */
  CLEW_VAULT_SETTLE, /* all names are safe */
};

struct clew_vault_event {
  enum clew_vault_act act;
  const char *name, *other;
  const void *data;
  size_t bytes;
};

/* For tests: called before each of them; false makes it fail with ENOSPC. */
typedef bool clew_vault_watch(void *context, const struct clew_vault_event *event);

struct clew_vault {
  char *path; /* owned */
  int directory, lock;
  uint64_t steps;          /* so far */
  uint64_t last;           /* the process kills itself before this step (CLEW_DIE_AT); 0: never */
  clew_vault_watch *watch; /* or NULL */
  void *watch_context;
};

/* Opens the directory and locks it; with `create` it is made if it is not there. IO_FAILED and a
 * message when it cannot be, or when another process has it. */
enum clew_status clew_vault_open(struct clew_vault *vault, const char *path, bool create,
                                 struct clew_diag_sink *diags);
/* To read only, also while another process has it: no lock is taken. */
enum clew_status clew_vault_look(struct clew_vault *vault, const char *path,
                                 struct clew_diag_sink *diags);
void clew_vault_close(struct clew_vault *vault);

/* A file that is being written. */
struct clew_vault_file {
  struct clew_vault *vault; /* borrowed */
  char *name, *temporary;   /* owned */
  int fd;
  uint64_t bytes;
  bool failed; /* errno of the first failure is in `error` */
  int error;
};

void clew_vault_begin(struct clew_vault_file *file, struct clew_vault *vault, const char *name);
void clew_vault_write(struct clew_vault_file *file, const void *data, size_t bytes);
/* Puts it in place. False, and errno, when anything failed since `begin`: nothing is there then. */
bool clew_vault_commit(struct clew_vault_file *file);
void clew_vault_abandon(struct clew_vault_file *file);

/* False and errno. A name that is not there is no failure of `remove`. */
bool clew_vault_rename(struct clew_vault *vault, const char *from, const char *to);
bool clew_vault_remove(struct clew_vault *vault, const char *name);
bool clew_vault_settle(struct clew_vault *vault);
/* Removes the files that `is_needed` does not want. */
void clew_vault_sweep(struct clew_vault *vault,
                      bool (*is_needed)(const void *context, const char *name),
                      const void *context);
bool clew_vault_has(const struct clew_vault *vault, const char *name);
/* For reading; -1 and errno. */
int clew_vault_read(const struct clew_vault *vault, const char *name);
/* The whole file, if it is not larger than `limit`. */
enum clew_status clew_vault_read_all(const struct clew_vault *vault, const char *name, size_t limit,
                                     struct clew_text *out, struct clew_diag_sink *diags);

#endif
