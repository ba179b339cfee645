/* Private to lang/pnml/: a net as the file has it.
 *
 *   read.c    pages, places, transitions, arcs, declarations
 *   term.c    inscriptions and conditions of nets with colours
 *   unfold.c  their bindings, and the net without colours
 *   query.c   properties in XML
 *   ask.c     questions as text
 *   pnml.c    all of it, and messages
 *
 * Everything lives in one arena. Colours of a sort are numbers from 0 on; those of a product count
 * the last part fastest. */
#ifndef CLEW_LANG_PNML_PNML_INT_H
#define CLEW_LANG_PNML_PNML_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "lang/lang.h"
#include "lang/name_table.h"
#include "lang/xml.h"
#include "net/net.h"

enum pnml_sort_kind { PNML_DOT, PNML_ENUMERATION, PNML_RANGE, PNML_PRODUCT };

struct pnml_sort {
  const char *name;
  enum pnml_sort_kind kind;
  uint64_t size;
  int64_t least;                /* RANGE */
  const char *const *constants; /* ENUMERATION: names */
  const uint32_t *parts;        /* PRODUCT: sorts */
  uint32_t part_count;
};

struct pnml_variable {
  const char *name;
  uint32_t sort;
};

enum pnml_op {
  /* one colour */
  PNML_VARIABLE,
  PNML_CONSTANT,
  PNML_SUCCESSOR,
  PNML_PREDECESSOR,
  PNML_TUPLE, /* also of several colours, where its parts are */
  /* a multiset */
  PNML_ALL,
  PNML_TIMES, /* `number` times the argument */
  PNML_ADD,
  PNML_SUBTRACT,
  PNML_EMPTY,
  /* a truth */
  PNML_EQUAL,
  PNML_UNEQUAL,
  PNML_LESS,
  PNML_AT_MOST,
  PNML_GREATER,
  PNML_AT_LEAST,
  PNML_AND,
  PNML_OR,
  PNML_NOT,
  PNML_IMPLY,
};

struct pnml_term {
  enum pnml_op op;
  uint32_t sort;   /* of VARIABLE, CONSTANT, SUCCESSOR, PREDECESSOR, ALL; CLEW_NONE elsewhere */
  uint64_t number; /* CONSTANT: the colour; VARIABLE: which; TIMES: how often */
  const struct pnml_term **args;
  uint32_t arg_count;
  uint32_t offset; /* in the file */
};

struct pnml_place {
  const char *id, *name; /* name: as it is shown */
  uint32_t sort;
  uint64_t tokens;                 /* without colours */
  const struct pnml_term *marking; /* with colours; NULL: none */
  uint32_t offset;
};

struct pnml_transition {
  const char *id, *name;
  const struct pnml_term *condition; /* NULL: true */
  uint32_t offset;
};

struct pnml_arc {
  uint32_t place, transition;
  bool takes;
  uint64_t weight;              /* without colours */
  const struct pnml_term *term; /* with colours */
  uint32_t offset;
};

/* What an id stands for: each a number and one more, 0 for nothing. */
struct pnml_id {
  struct clew_name name;
  uint32_t place, transition, sort, variable;
  uint32_t constant_sort, constant;
  const struct clew_xml *stands_for; /* a reference to a node of another page */
};

struct pnml_claim {
  const char *name;
  const uint32_t *places;
  uint32_t count;
};

struct pnml {
  const struct clew_load_request *request;
  struct clew_diag_sink *diags;
  struct clew_arena *arena;
  struct clew_name_table ids,
      shown; /* shown: names of places and transitions, as people know them */
  bool failed, has_colours;
  CLEW_VEC(struct pnml_sort) sorts;
  CLEW_VEC(struct pnml_variable) variables;
  CLEW_VEC(struct pnml_place) places;
  CLEW_VEC(struct pnml_transition) transitions;
  CLEW_VEC(struct pnml_arc) arcs;
  CLEW_VEC(struct pnml_claim) claims;
  /* The net without colours, and where the parts of a place or transition are in it. */
  struct clew_net *net;
  uint32_t *first_place, *first_transition; /* one more at the end */
  CLEW_VEC(struct clew_label) labels;
  CLEW_VEC(const struct clew_net_term *) label_terms;
  CLEW_VEC(struct clew_measure) measures;
  CLEW_VEC(const struct clew_net_term *) measure_terms;
  CLEW_VEC(struct clew_property) properties;
  CLEW_VEC(struct clew_unchecked) unchecked;
};

void clew_pnml_fail(struct pnml *n, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct pnml_id *clew_pnml_id(struct pnml *n, const char *id);

bool clew_pnml_read(struct pnml *n, const struct clew_xml *root);
void clew_pnml_read_declarations(struct pnml *n, const struct clew_xml *declarations);
/* The sort that this element is, made if it has no name; CLEW_NONE and a message: it is none. */
uint32_t clew_pnml_sort(struct pnml *n, const struct clew_xml *element);
const struct pnml_term *clew_pnml_term(struct pnml *n, const struct clew_xml *element);
bool clew_pnml_number(const char *text, uint64_t *value);

/* A net without colours. */
void clew_pnml_unfold(struct pnml *n);
/* One that never had any. */
void clew_pnml_convert(struct pnml *n);
/* "(a,1)", or nothing for dots. */
void clew_pnml_print_colour(const struct pnml *n, uint32_t sort, uint64_t colour, bool is_part,
                            struct clew_text *out);

/* Everything that the request asks. */
void clew_pnml_ask(struct pnml *n);
void clew_pnml_read_properties(struct pnml *n, const struct clew_formulas *formulas);
void clew_pnml_read_question(struct pnml *n, const struct clew_formulas *formulas);
const struct clew_net_term *clew_pnml_parse(struct pnml *n, const struct clew_source *source,
                                            size_t skip);

/* Terms of questions. */
struct clew_net_term *clew_pnml_net_term(struct pnml *n, enum clew_net_op op, uint32_t args);
const struct clew_net_term *clew_pnml_not(struct pnml *n, const struct clew_net_term *term);
/* Lists of what places and transitions of the file have become, joined. */
struct clew_net_term *clew_pnml_over(struct pnml *n, enum clew_net_op op, const uint32_t *numbers,
                                     uint32_t count);
/* The place or transition of an id or a name; CLEW_NONE: there is none. */
uint32_t clew_pnml_find_place(struct pnml *n, const char *text);
uint32_t clew_pnml_find_transition(struct pnml *n, const char *text);

/* Properties, as they are found. `option` asked for them. */
void clew_pnml_add_state_property(struct pnml *n, const char *name, const char *option,
                                  const struct clew_net_term *term, enum clew_query_kind kind);
void clew_pnml_add_measure(struct pnml *n, const char *name, const char *option,
                           const struct clew_net_term *term);
void clew_pnml_add_deadlock(struct pnml *n, const char *name, const char *option, bool seeks);
void clew_pnml_add_unchecked(struct pnml *n, const char *name, const char *why);

#endif
