/* Texts of small nets of CPN Tools, and loading them. */
#ifndef CLEW_TESTS_CPN_TEXT_H
#define CLEW_TESTS_CPN_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lang/lang.h"

#define NET(declarations, page)                                                                    \
  "<workspaceElements><cpnet><globbox>" declarations "</globbox><page id='g'>"                     \
  "<pageattr name='Top'/>" page "</page></cpnet></workspaceElements>"
#define COLOURS                                                                                    \
  "<color><id>INT</id><int/></color><color><id>S</id><string/></color>"                            \
  "<color><id>B</id><bool/></color><color><id>E</id><enum><id>a</id><id>b</id></enum></color>"     \
  "<color><id>P</id><product><id>INT</id><id>S</id></product></color>"                             \
  "<color><id>L</id><list><id>INT</id></list></color>"                                             \
  "<color><id>T</id><int><with><ml>0</ml><ml>3</ml></with></int></color>"                          \
  "<color><id>R</id><record><recordfield><id>x</id><id>INT</id></recordfield>"                     \
  "<recordfield><id>y</id><id>S</id></recordfield></record></color>"                               \
  "<color><id>LATE</id><int/><timed/></color><color><id>REAL</id><real/></color>"                  \
  "<color><id>U</id><union><unionfield><id>NO</id></unionfield><unionfield><id>YES</id>"           \
  "<type><id>INT</id></type></unionfield></union></color>"                                         \
  "<color><id>IX</id><index><ml>1</ml><ml>3</ml><id>ix</id></index></color>"                       \
  "<var><type><id>INT</id></type><id>n</id><id>m</id></var>"                                       \
  "<var><type><id>S</id></type><id>s</id></var><var><type><id>T</id></type><id>t</id></var>"
#define PLACE(id, type, marking)                                                                   \
  "<place id='" id "'><text>" id "</text><type><text>" type                                        \
  "</text></type><initmark><text>" marking "</text></initmark></place>"
#define TRANS(id, inside) "<trans id='" id "'><text>" id "</text>" inside "</trans>"
#define GUARD(text) "<cond><text>" text "</text></cond>"
#define ARC(way, t, p, text)                                                                       \
  "<arc orientation='" way "'><transend idref='" t "'/><placeend idref='" p                        \
  "'/><annot><text>" text "</text></annot></arc>"
#define TAKE(t, p, text) ARC("PtoT", t, p, text)
#define GIVE(t, p, text) ARC("TtoP", t, p, text)
#define COLOURED(page) NET(COLOURS, page)

/* NULL, and a message, where it is refused. */
static inline struct clew_model *cpn_load(const char *text, const char *goal,
                                          struct clew_override *param,
                                          struct clew_diag_sink *diags) {
  struct clew_source source = {"net.cpn", text, strlen(text)};
  struct clew_query query = {.kind = CLEW_QUERY_INVARIANT,
                             .source = {"--invariant", goal, goal == NULL ? 0 : strlen(goal)},
                             .option = "--invariant"};
  struct clew_load_request request = {.source = &source,
                                      .queries = &query,
                                      .query_count = goal != NULL,
                                      .overrides = param,
                                      .override_count = param != NULL};
  struct clew_model *model = NULL;
  enum clew_status status = clew_language_cpn.load(&request, diags, &model);
  assert_int_equal(status == CLEW_OK, model != NULL);
  return model;
}

#endif
