/* Control groups. A group is also bound by the limits of all groups around it. In a container the
 * group named by /proc may not be visible, but the mounted root then is the container's own. */
#include "base/cgroup.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool clew_cgroup_line(const char *directory, const char *file, char *line, size_t bytes) {
  assert(bytes > 0);
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/%s", directory, file);
  FILE *stream = fopen(clew_text_str(&path), "re");
  clew_text_free(&path);
  if (stream == NULL) {
    return false;
  }
  bool found = fgets(line, (int)bytes, stream) != NULL;
  if (found) {
    line[strcspn(line, "\n")] = '\0';
  }
  fclose(stream);
  return found;
}

/* From the group up to the root; `group` is cut off bit by bit. */
static void visit_outwards(const char *root, char *group, int version,
                           void (*visit)(void *context, const char *directory, int version),
                           void *context) {
  struct clew_text path = {0};
  for (;;) {
    clew_text_clear(&path);
    clew_text_printf(&path, "%s%s", root, group);
    visit(context, clew_text_str(&path), version);
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
void clew_cgroup_each(const char *controller,
                      void (*visit)(void *context, const char *directory, int version),
                      void *context) {
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
      visit_outwards("/sys/fs/cgroup", group, 2, visit, context);
    } else if (list_has(controllers, controller)) {
      char root[64];
      snprintf(root, sizeof root, "/sys/fs/cgroup/%s", controller);
      visit_outwards(root, group, 1, visit, context);
    }
  }
  fclose(groups);
}
