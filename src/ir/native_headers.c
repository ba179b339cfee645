/* The headers that emitted C includes, as bytes of this binary: an installed clew compiles models
 * without its source tree. The assembler reads them (paths are relative to the root of the project,
 * where make runs); they are also included here, so that this object depends on them and that they
 * are compiled with all our warnings. */
#include <assert.h>

#include "ir/canon_rt.h"
#include "ir/native_abi.h"
#include "ir/native_int.h"
#include "ir/native_rt.h"
#include "model/succs.h"

#define EMBED(symbol, path)                                                                        \
  __asm__(".pushsection .rodata\n"                                                                 \
          ".global " #symbol "_start\n" #symbol "_start:\n"                                        \
          ".incbin \"" path "\"\n"                                                                 \
          ".global " #symbol "_end\n" #symbol "_end:\n"                                            \
          ".byte 0\n"                                                                              \
          ".popsection\n");                                                                        \
  extern const char symbol##_start[] __attribute__((visibility("hidden")));                        \
  extern const char symbol##_end[] __attribute__((visibility("hidden")))

EMBED(clew_header_succs, "src/model/succs.h");
EMBED(clew_header_abi, "src/ir/native_abi.h");
EMBED(clew_header_rt, "src/ir/native_rt.h");
EMBED(clew_header_canon, "src/ir/canon_rt.h");
EMBED(clew_header_tables, "src/ir/canon_tables.h");

struct clew_native_header clew_native_header_get(uint32_t i) {
  assert(i < CLEW_NATIVE_HEADERS);
  switch (i) {
  case 0:
    return (struct clew_native_header){"model/succs.h", clew_header_succs_start,
                                       (size_t)(clew_header_succs_end - clew_header_succs_start)};
  case 1:
    return (struct clew_native_header){"ir/native_abi.h", clew_header_abi_start,
                                       (size_t)(clew_header_abi_end - clew_header_abi_start)};
  case 2:
    return (struct clew_native_header){"ir/canon_rt.h", clew_header_canon_start,
                                       (size_t)(clew_header_canon_end - clew_header_canon_start)};
  case 3:
    return (struct clew_native_header){"ir/canon_tables.h", clew_header_tables_start,
                                       (size_t)(clew_header_tables_end - clew_header_tables_start)};
  default:
    return (struct clew_native_header){"ir/native_rt.h", clew_header_rt_start,
                                       (size_t)(clew_header_rt_end - clew_header_rt_start)};
  }
}
