/* Time and resource use, from the system. */
#include "base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

double clew_clock_wall_s(void) {
  struct timespec now;
  int failed = clock_gettime(CLOCK_MONOTONIC, &now);
  assert(!failed);
  (void)failed;
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct rusage usage_of_self(void) {
  struct rusage usage;
  int failed = getrusage(RUSAGE_SELF, &usage);
  assert(!failed);
  (void)failed;
  return usage;
}

double clew_clock_cpu_s(void) {
  struct rusage usage = usage_of_self();
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* ru_maxrss survives exec and so includes whatever large program started this one; VmHWM does not,
 * but /proc may be missing. */
uint64_t clew_clock_peak_rss_bytes(void) {
  unsigned long long kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "re");
  if (status != NULL) {
    char line[256];
    while (fgets(line, sizeof line, status) != NULL) {
      if (sscanf(line, "VmHWM: %llu kB", &kilobytes) == 1) {
        break;
      }
    }
    fclose(status);
  }
  if (kilobytes == 0) {
    kilobytes = (unsigned long long)usage_of_self().ru_maxrss;
  }
  return (uint64_t)kilobytes * 1024;
}
