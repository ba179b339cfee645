/* The version of clew: `clew version`, the JSON result, the manual page. */
#ifndef CLEW_REPORT_VERSION_H
#define CLEW_REPORT_VERSION_H

#define CLEW_VERSION "0.1.0"

#endif
