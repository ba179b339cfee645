/* Control groups of Linux: the limits under which this process runs. */
#ifndef CLEW_BASE_CGROUP_H
#define CLEW_BASE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Calls back with the directory of each group that binds this process for `controller` ("memory",
 * "cpu"): its own group and all groups around it. `version` is 1 or 2. */
void clew_cgroup_each(const char *controller,
                      void (*visit)(void *context, const char *directory, int version),
                      void *context);
/* The first line of a file of such a directory, without its end; false when there is none. */
bool clew_cgroup_line(const char *directory, const char *file, char *line, size_t bytes);

#endif
