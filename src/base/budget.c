/* The memory contract: one atomic counter that never exceeds its limit.
 *
 * Invariant: used <= peak <= limit, except that `peak` may lag behind for the moment between the
 * two atomic steps of a take. */
#include "base/budget.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

void clew_budget_init(struct clew_budget *budget, uint64_t limit_bytes) {
  assert(budget != NULL);
  budget->limit_bytes = limit_bytes;
  atomic_init(&budget->used_bytes, 0);
  atomic_init(&budget->peak_bytes, 0);
}

bool clew_budget_take(struct clew_budget *budget, uint64_t bytes) {
  uint64_t used = atomic_load(&budget->used_bytes);
  do {
    assert(used <= budget->limit_bytes);
    if (bytes > budget->limit_bytes - used) {
      return false;
    }
  } while (!atomic_compare_exchange_weak(&budget->used_bytes, &used, used + bytes));
  uint64_t peak = atomic_load(&budget->peak_bytes);
  while (peak < used + bytes &&
         !atomic_compare_exchange_weak(&budget->peak_bytes, &peak, used + bytes)) {
  }
  return true;
}

void clew_budget_give(struct clew_budget *budget, uint64_t bytes) {
  uint64_t used = atomic_fetch_sub(&budget->used_bytes, bytes);
  assert(used >= bytes);
  (void)used;
}

uint64_t clew_budget_used(const struct clew_budget *budget) {
  return atomic_load(&budget->used_bytes);
}

uint64_t clew_budget_left(const struct clew_budget *budget) {
  uint64_t used = clew_budget_used(budget);
  assert(used <= budget->limit_bytes);
  return budget->limit_bytes - used;
}

/* Lowers *limit to the number in this file, if there is one ("max" means none). */
static void apply_limit_file(const char *path, uint64_t *limit) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return;
  }
  char line[64];
  uint64_t bytes;
  if (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (clew_text_parse_u64(line, &bytes) && bytes > 0 && bytes < *limit) {
      *limit = bytes;
    }
  }
  fclose(file);
}

/* A group is also bound by the limits of all groups around it. In a container the group named by
 * /proc may not be visible, but the mounted root then is the container's own. */
static void apply_group_limits(const char *root, char *group, const char *file, uint64_t *limit) {
  struct clew_text path = {0};
  for (;;) {
    clew_text_clear(&path);
    clew_text_printf(&path, "%s%s/%s", root, group, file);
    apply_limit_file(clew_text_str(&path), limit);
    char *slash = strrchr(group, '/');
    if (slash == NULL) {
      break;
    }
    *slash = '\0';
  }
  clew_text_free(&path);
}

static bool list_has(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',' ? 1 : 0) {
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

/* Each line of /proc/self/cgroup is "hierarchy:controllers:group"; version 2 names no controller.
 */
static void apply_cgroups(uint64_t *limit) {
  FILE *groups = fopen("/proc/self/cgroup", "re");
  if (groups == NULL) {
    return;
  }
  char line[4096];
  while (fgets(line, sizeof line, groups) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) {
      continue;
    }
    controllers++;
    *group++ = '\0';
    if (*controllers == '\0') {
      apply_group_limits("/sys/fs/cgroup", group, "memory.max", limit);
    } else if (list_has(controllers, "memory")) {
      apply_group_limits("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", limit);
    }
  }
  fclose(groups);
}

uint64_t clew_budget_default_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  /* A system that does not tell is assumed to be small. */
  uint64_t limit = UINT64_C(1) << 30;
  if (pages > 0 && page_bytes > 0) {
    limit = (uint64_t)pages * (uint64_t)page_bytes;
  }
  apply_cgroups(&limit);
  assert(limit > 0);
  return limit / 4 * 3;
}
