/* Time and resource use. */
#ifndef CLEW_BASE_CLOCK_H
#define CLEW_BASE_CLOCK_H

#include <stdint.h>

double clew_clock_wall_s(void); /* monotonic */
double clew_clock_cpu_s(void);  /* user + system, this process without its children */
uint64_t clew_clock_peak_rss_bytes(void);

#endif
