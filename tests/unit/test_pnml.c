/* The PNML front end: mistakes, questions, and random nets with colours.
 *
 * A random net is a description. It is printed as PNML, which clew unfolds; and it is explored as
 * it stands, by trying all values of all variables in each marking. Both must have the same
 * markings, and in each the same successors, as often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "lang/lang.h"
#include "net/symmetry_int.h"
#include "state_set.h"

/* ---- Loading ---- */

static struct clew_model *load_by(const char *text, const char *query, bool asks_symmetry,
                                  enum clew_symmetry_mode mode, struct clew_diag_sink *diags) {
  struct clew_source source = {"net.pnml", text, strlen(text)};
  struct clew_formulas formulas = {.source = {"--query", query, query == NULL ? 0 : strlen(query)},
                                   .option = "--query"};
  struct clew_load_request request = {.source = &source,
                                      .formulas = &formulas,
                                      .formulas_count = query != NULL,
                                      .symmetry = mode,
                                      .asks_symmetry = asks_symmetry};
  struct clew_model *model = NULL;
  enum clew_status status = clew_language_pnml.load(&request, diags, &model);
  assert_int_equal(status == CLEW_OK, model != NULL);
  return model;
}

static struct clew_model *load(const char *text, const char *query, struct clew_diag_sink *diags) {
  return load_by(text, query, false, CLEW_SYMMETRY_OFF, diags);
}

/* ---- Mistakes ---- */

#define NET(type, inside) "<pnml><net id='n' type='" type "'>" inside "</net></pnml>"
#define PLAIN(inside) NET("http://x/ptnet", "<page id='g'>" inside "</page>")
#define SORTS                                                                                      \
  "<declaration><structure><declarations><namedsort id='A' name='A'><cyclicenumeration>"           \
  "<feconstant id='a' name='a'/><feconstant id='b' name='b'/></cyclicenumeration></namedsort>"     \
  "<namedsort id='B' name='B'><finiteintrange start='1' end='3'/></namedsort>"                     \
  "<variabledecl id='x' name='x'><usersort declaration='A'/></variabledecl>"                       \
  "<variabledecl id='y' name='y'><usersort declaration='B'/></variabledecl>"                       \
  "</declarations></structure></declaration>"
#define COLOURED(inside) NET("http://x/symmetricnet", SORTS "<page id='g'>" inside "</page>")
#define PLACE_A                                                                                    \
  "<place id='p'><type><structure><usersort declaration='A'/></structure></type></place>"
#define ARC(term)                                                                                  \
  "<transition id='t'/><arc id='r' source='p' target='t'><hlinscription><structure>" term          \
  "</structure></hlinscription></arc>"

static const struct {
  const char *text, *message;
} MISTAKES[] = {
    {"", "no element found"},
    {"<pnml><net></pnml>", "mismatched tag"},
    {"<html/>", "this is no net: <pnml> with a <net> inside was expected"},
    {"<pnml/>", "this is no net: <pnml> with a <net> inside was expected"},
    {"<toolspecific/>", "this is no net: <pnml> with a <net> inside was expected"},
    {NET("http://x/stochastic", ""), "nets of type 'http://x/stochastic' are not supported"},
    {"<!DOCTYPE p [<!ENTITY a 'b'>]><pnml/>", "models must not declare entities"},
    {PLAIN("<place/>"), "this <place> has no id"},
    {PLAIN("<place id='p'/><place id='p'/>"), "two nodes have the id 'p'"},
    {PLAIN("<gate id='p'/>"), "<gate> is not known here"},
    {PLAIN("<place id='p'><initialMarking><text>two</text></initialMarking></place>"),
     "'two' is not a number of tokens"},
    {PLAIN("<place id='p'><initialMarking><text>-1</text></initialMarking></place>"),
     "'-1' is not a number of tokens"},
    {PLAIN("<place id='p'/><arc id='r' source='p' target='q'/>"),
     "the target of this arc is no place or transition"},
    {PLAIN("<place id='p'/><place id='q'/><arc id='r' source='p' target='q'/>"),
     "this arc is not between a place and a transition"},
    {PLAIN("<place id='p'/><transition id='t'/><arc id='r' source='p' target='t'><type "
           "value='inhibitor'/></arc>"),
     "arcs of type 'inhibitor' are not supported"},
    {PLAIN("<place id='p'/><transition id='t'/><arc id='r' source='p' "
           "target='t'><inscription><text>0</text></inscription></arc>"),
     "the weight of an arc is at least 1"},
    {PLAIN("<referencePlace id='p' ref='p'/><transition id='t'/><arc id='r' source='p' "
           "target='t'/>"),
     "the source of this arc is no place or transition"},
    {PLAIN("<place id='p'><initialMarking><text>2</text></initialMarking></place><toolspecific "
           "tool='nupn'><structure safe='true'><unit id='u'><places>p</places></unit></structure>"
           "</toolspecific>"),
     "the file says that the unit 'u' has at most one token, but at the start it has 2"},
    {PLAIN("<toolspecific tool='nupn'><structure safe='true'><unit "
           "id='u'><places>p</places></unit></structure></toolspecific>"),
     "the unit 'u' has 'p', which is no place"},
    {COLOURED("<place id='p'/>"), "this place has no type"},
    {COLOURED("<place id='p'><type><structure><usersort "
              "declaration='C'/></structure></type></place>"),
     "there is no sort 'C'"},
    {COLOURED("<place id='p'><type><structure><multisetsort/></structure></type></place>"),
     "the sort <multisetsort> is not supported"},
    {COLOURED(PLACE_A "<transition id='t'/><arc id='r' source='p' target='t'/>"),
     "this arc has no inscription"},
    {COLOURED(PLACE_A ARC("<variable refvariable='z'/>")), "there is no variable 'z'"},
    {COLOURED(PLACE_A ARC("<useroperator declaration='c'/>")), "there is no constant 'c'"},
    {COLOURED(PLACE_A ARC("<variable refvariable='y'/>")), "this is not of the sort A"},
    {COLOURED(PLACE_A ARC("<cardinality/>")), "the term <cardinality> is not supported"},
    {COLOURED(PLACE_A ARC("<equality><subterm><variable refvariable='x'/></subterm></equality>")),
     "<equality> needs 2 terms, not 1"},
    {COLOURED(PLACE_A ARC("<equality><subterm><variable refvariable='x'/></subterm><subterm>"
                          "<variable refvariable='x'/></subterm></equality>")),
     "tokens were expected, not a truth"},
    {COLOURED(PLACE_A ARC("<subtract><subterm><useroperator declaration='a'/></subterm><subterm>"
                          "<all><usersort declaration='A'/></all></subterm></subtract>")),
     "this arc would take less than nothing"},
    {COLOURED("<place id='p'><type><structure><usersort declaration='A'/></structure></type>"
              "<hlinitialMarking><structure><variable refvariable='x'/></structure>"
              "</hlinitialMarking></place>"),
     "an initial marking has no variables"},
    {COLOURED("<place id='p'><type><structure><usersort declaration='A'/></structure></type>"
              "<hlinitialMarking><text>a</text></hlinitialMarking></place>"),
     "this <hlinitialMarking> has a text but no structure"},
};

static void test_mistakes(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; i++) {
    struct clew_diag_sink diags = {0};
    struct clew_model *model = load(MISTAKES[i].text, NULL, &diags);
    if (model != NULL || diags.len == 0 ||
        strcmp(diags.data[0].message, MISTAKES[i].message) != 0) {
      fail_msg("%s: '%s', not '%s'", MISTAKES[i].text,
               diags.len > 0 ? diags.data[0].message : "nothing", MISTAKES[i].message);
    }
    clew_diag_sink_free(&diags);
  }
}

/* ---- Questions ---- */

#define TWO                                                                                        \
  PLAIN("<place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/>"     \
        "<transition id='t'/><arc id='r' source='p' target='t'/><arc id='s' source='t' "           \
        "target='q'/>")

static const struct {
  const char *query, *message; /* NULL: it is fine */
} QUESTIONS[] = {
    {"E<> q >= 1", NULL},
    {"A[] p + q = 1 and (not is-fireable(t) or p != 0)", NULL},
    {"EF tokens-count(p, \"q\") == 1 && true", NULL},
    {"sup: tokens-count(p, q)", NULL},
    {"E<> deadlock", NULL},
    {"A[] not deadlock", NULL},
    {"OneSafe", NULL},
    {"QuasiLiveness", NULL},
    {"Liveness", NULL},
    {"StableMarking", NULL},
    {"ReachabilityDeadlock", NULL},
    {"q >= 1", "a question begins with E<>, A[] or sup:, or is one of OneSafe, StableMarking, "
               "QuasiLiveness, Liveness, ReachabilityDeadlock"},
    {"E<> r >= 1", "the net has no place 'r'"},
    {"E<> is-fireable(p)", "the net has no transition 'p'"},
    {"E<> p", "a truth was expected, not a number"},
    {"sup: p = 1", "a number was expected"},
    {"E<> (p = 1", "')' was expected here"},
    {"E<> p = 1 q", "the end of the question was expected here"},
    {"E<> p = (q = 1)", "only numbers can be compared"},
    {"E<> not p", "a comparison is missing: this is a number"},
    {"<property-set><property><id>a</id><formula><exists-path><finally><is-fireable><transition>t"
     "</transition></is-fireable></finally></exists-path></formula></property></property-set>",
     NULL},
    {"<property-set><property><id>a</id><formula><all-paths><globally><integer-le><tokens-count>"
     "<place>z</place></tokens-count><integer-constant>1</integer-constant></integer-le>"
     "</globally></all-paths></formula></property></property-set>",
     "the net has no place 'z'"},
    {"<formulas/>", "a <property-set> was expected, not <formulas>"},
};

static void test_questions(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < sizeof QUESTIONS / sizeof QUESTIONS[0]; i++) {
    struct clew_diag_sink diags = {0};
    struct clew_model *model = load(TWO, QUESTIONS[i].query, &diags);
    const char *said = diags.len > 0 ? diags.data[0].message : NULL, *wanted = QUESTIONS[i].message;
    if ((said == NULL) != (wanted == NULL) || (said != NULL && strcmp(said, wanted) != 0)) {
      fail_msg("%s: '%s', not '%s'", QUESTIONS[i].query, said, wanted);
    }
    if (model != NULL) {
      model->close(model);
    }
    clew_diag_sink_free(&diags);
  }
}

/* Formulas about runs are told, not forgotten. */
static void test_unchecked(void **unused) {
  (void)unused;
  struct clew_diag_sink diags = {0};
  struct clew_model *model = load(
      TWO,
      "<property-set><property><id>a</id><formula><all-paths><finally><is-fireable><transition>t"
      "</transition></is-fireable></finally></all-paths></formula></property></property-set>",
      &diags);
  assert_non_null(model);
  assert_int_equal(model->unchecked_count, 1);
  assert_string_equal(model->unchecked[0].name, "a");
  model->close(model);
}

/* Transitions without arcs, and without variables among colours, can always fire. */
static void test_bare_transitions(void **unused) {
  (void)unused;
  static const char *const texts[] = {PLAIN("<place id='p'/><transition id='t'/>"),
                                      COLOURED(PLACE_A "<transition id='t'/>")};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct clew_diag_sink diags = {0};
    struct clew_model *model = load(texts[i], NULL, &diags);
    assert_non_null(model);
    struct clew_succs succs;
    uint64_t start[4] = {0};
    assert_true(model->words <= 4 && clew_model_start(model, 0, start));
    clew_succs_open(&succs, model->words, model->cover_count);
    model->next(model, start, &succs);
    assert_int_equal(succs.count, 1);
    assert_memory_equal(succs.states, start, model->words * sizeof *start);
    clew_succs_close(&succs);
    model->close(model);
  }
}

/* ---- Random nets with colours: what they are ---- */

enum { DOT, A, B, AB, SORTS_USED };
enum { VARIABLES = 3, MOST_PLACES = 4, MOST_RULES = 3, MOST_SUMMANDS = 2, MOST_COLOURS = 9 };
/* x and z are of sort A, y is of sort B. */
static const char *const VARIABLE[VARIABLES] = {"x", "y", "z"};
static const uint32_t SORT_OF[VARIABLES] = {A, B, A};

/* Of a simple sort. */
struct atom {
  enum { VAR, SUCC, PRED, CONST, EVERY } kind;
  uint32_t number;
};

struct summand {
  uint32_t times;
  struct atom parts[2]; /* the second for AB only */
};

struct arc {
  uint32_t place, count;
  struct summand summands[MOST_SUMMANDS];
};

struct rule {
  struct arc takes[2], gives[2];
  uint32_t take_count, give_count;
  uint32_t guard; /* 0: none; x = z, x != z, x < z, x = succ z, y > its first or x = z */
};

struct net {
  uint32_t size[SORTS_USED];
  uint32_t place_sort[MOST_PLACES], place_count;
  uint32_t tokens[MOST_PLACES][MOST_COLOURS];
  struct rule rules[MOST_RULES];
  uint32_t rule_count;
};

static uint32_t below(struct clew_random *random, uint32_t bound) {
  return (uint32_t)clew_random_below(random, bound);
}

static struct atom random_atom(struct clew_random *random, const struct net *net, uint32_t sort) {
  struct atom atom = {VAR, 0};
  uint32_t kind = below(random, 10);
  atom.kind = kind < 5 ? VAR : kind < 6 ? SUCC : kind < 7 ? PRED : kind < 9 ? CONST : EVERY;
  atom.number = atom.kind == CONST ? below(random, net->size[sort])
                : sort == B        ? 1
                                   : (uint32_t[]){0, 2}[below(random, 2)];
  return atom;
}

static struct arc random_arc(struct clew_random *random, const struct net *net) {
  struct arc arc = {.place = below(random, net->place_count)};
  uint32_t sort = net->place_sort[arc.place];
  arc.count = 1 + (below(random, 4) == 0);
  for (uint32_t i = 0; i < arc.count; i++) {
    struct summand *s = &arc.summands[i];
    s->times = 1 + (below(random, 6) == 0);
    s->parts[0] =
        sort == DOT ? (struct atom){CONST, 0} : random_atom(random, net, sort == AB ? A : sort);
    s->parts[1] = sort == AB ? random_atom(random, net, B) : (struct atom){CONST, 0};
  }
  return arc;
}

static void random_net(struct clew_random *random, struct net *net) {
  *net = (struct net){.size = {1, 1 + below(random, 3), 1 + below(random, 3), 0}};
  net->size[AB] = net->size[A] * net->size[B];
  net->place_count = 1 + below(random, MOST_PLACES);
  for (uint32_t p = 0; p < net->place_count; p++) {
    net->place_sort[p] = below(random, SORTS_USED);
    for (uint32_t c = 0; c < net->size[net->place_sort[p]]; c++) {
      net->tokens[p][c] = below(random, 3) == 0 ? 1 : 0;
    }
  }
  net->rule_count = 1 + below(random, MOST_RULES);
  for (uint32_t r = 0; r < net->rule_count; r++) {
    struct rule *rule = &net->rules[r];
    rule->take_count = 1 + below(random, 2) - (below(random, 8) == 0);
    rule->give_count = below(random, 3);
    rule->guard = below(random, 10) < 5 ? 0 : 1 + below(random, 5);
    for (uint32_t i = 0; i < rule->take_count; i++) {
      rule->takes[i] = random_arc(random, net);
    }
    for (uint32_t i = 0; i < rule->give_count; i++) {
      rule->gives[i] = random_arc(random, net);
    }
  }
}

/* ---- As PNML ---- */

static const char *const SORT_NAME[SORTS_USED] = {"D", "A", "B", "AB"};

static void put_atom(struct clew_text *out, uint32_t sort, struct atom atom) {
  if (sort == DOT) {
    clew_text_put(out, "<dotconstant/>");
  } else if (atom.kind == CONST) {
    clew_text_printf(out, "<useroperator declaration='%s%u'/>", SORT_NAME[sort], atom.number);
  } else if (atom.kind == EVERY) {
    clew_text_printf(out, "<all><usersort declaration='%s'/></all>", SORT_NAME[sort]);
  } else {
    const char *around = atom.kind == SUCC ? "successor" : atom.kind == PRED ? "predecessor" : NULL;
    if (around != NULL) {
      clew_text_printf(out, "<%s><subterm>", around);
    }
    clew_text_printf(out, "<variable refvariable='%s'/>", VARIABLE[atom.number]);
    if (around != NULL) {
      clew_text_printf(out, "</subterm></%s>", around);
    }
  }
}

static void put_summand(struct clew_text *out, uint32_t sort, const struct summand *s) {
  clew_text_printf(out,
                   "<numberof><subterm><numberconstant value='%u'><positive/></numberconstant>"
                   "</subterm><subterm>",
                   s->times);
  if (sort == AB) {
    clew_text_put(out, "<tuple><subterm>");
    put_atom(out, A, s->parts[0]);
    clew_text_put(out, "</subterm><subterm>");
    put_atom(out, B, s->parts[1]);
    clew_text_put(out, "</subterm></tuple>");
  } else {
    put_atom(out, sort, s->parts[0]);
  }
  clew_text_put(out, "</subterm></numberof>");
}

static void put_arc(struct clew_text *out, const struct net *net, const struct arc *arc, uint32_t r,
                    bool takes) {
  uint32_t sort = net->place_sort[arc->place];
  if (takes) {
    clew_text_printf(out, "<arc source='p%u' target='t%u'>", arc->place, r);
  } else {
    clew_text_printf(out, "<arc source='t%u' target='p%u'>", r, arc->place);
  }
  clew_text_put(out, "<hlinscription><structure>");
  clew_text_put(out, arc->count > 1 ? "<add>" : "");
  for (uint32_t i = 0; i < arc->count; i++) {
    clew_text_put(out, arc->count > 1 ? "<subterm>" : "");
    put_summand(out, sort, &arc->summands[i]);
    clew_text_put(out, arc->count > 1 ? "</subterm>" : "");
  }
  clew_text_put(out, arc->count > 1 ? "</add>" : "");
  clew_text_put(out, "</structure></hlinscription></arc>");
}

#define SUB(term) "<subterm>" term "</subterm>"
#define VX SUB("<variable refvariable='x'/>")
#define VY SUB("<variable refvariable='y'/>")
#define VZ SUB("<variable refvariable='z'/>")
static const char *const GUARDS[] = {
    "",
    "<equality>" VX VZ "</equality>",
    "<inequality>" VX VZ "</inequality>",
    "<lessthan>" VX VZ "</lessthan>",
    "<equality>" VX SUB("<successor>" VZ "</successor>") "</equality>",
    "<or>" SUB("<greaterthan>" VY SUB("<useroperator declaration='B0'/>") "</greaterthan>")
        SUB("<equality>" VX VZ "</equality>") "</or>",
};

static void put_sort(struct clew_text *out, const struct net *net, uint32_t sort) {
  clew_text_printf(out, "<namedsort id='%s' name='%s'><cyclicenumeration>", SORT_NAME[sort],
                   SORT_NAME[sort]);
  for (uint32_t c = 0; c < net->size[sort]; c++) {
    clew_text_printf(out, "<feconstant id='%s%u' name='%u'/>", SORT_NAME[sort], c, c);
  }
  clew_text_put(out, "</cyclicenumeration></namedsort>");
}

static void put_place(struct clew_text *out, const struct net *net, uint32_t p) {
  uint32_t sort = net->place_sort[p], marked = 0;
  clew_text_printf(out,
                   "<place id='p%u'><type><structure><usersort declaration='%s'/></structure>"
                   "</type>",
                   p, SORT_NAME[sort]);
  for (uint32_t c = 0; c < net->size[sort]; c++) {
    marked += net->tokens[p][c];
  }
  if (marked > 0) {
    clew_text_put(out, "<hlinitialMarking><structure><add>");
    for (uint32_t c = 0; c < net->size[sort]; c++) {
      if (net->tokens[p][c] > 0) {
        struct summand s = {1,
                            {{CONST, sort == AB ? c / net->size[B] : c},
                             {CONST, sort == AB ? c % net->size[B] : 0}}};
        clew_text_put(out, "<subterm>");
        put_summand(out, sort, &s);
        clew_text_put(out, "</subterm>");
      }
    }
    clew_text_put(out, "</add></structure></hlinitialMarking>");
  }
  clew_text_put(out, "</place>");
}

static void put_net(struct clew_text *out, const struct net *net) {
  clew_text_put(out, "<pnml><net id='n' type='http://x/symmetricnet'><declaration><structure>"
                     "<declarations><namedsort id='D' name='D'><dot/></namedsort>");
  clew_text_put(out, "<namedsort id='AB' name='AB'><productsort><usersort declaration='A'/>"
                     "<usersort declaration='B'/></productsort></namedsort>");
  put_sort(out, net, A);
  put_sort(out, net, B);
  for (uint32_t v = 0; v < VARIABLES; v++) {
    clew_text_printf(out,
                     "<variabledecl id='%s' name='%s'><usersort declaration='%s'/>"
                     "</variabledecl>",
                     VARIABLE[v], VARIABLE[v], SORT_NAME[SORT_OF[v]]);
  }
  clew_text_put(out, "</declarations></structure></declaration><page id='g'>");
  for (uint32_t p = 0; p < net->place_count; p++) {
    put_place(out, net, p);
  }
  for (uint32_t r = 0; r < net->rule_count; r++) {
    const struct rule *rule = &net->rules[r];
    clew_text_printf(out, "<transition id='t%u'>", r);
    if (rule->guard != 0) {
      clew_text_printf(out, "<condition><structure>%s</structure></condition>",
                       GUARDS[rule->guard]);
    }
    clew_text_put(out, "</transition>");
    for (uint32_t i = 0; i < rule->take_count; i++) {
      put_arc(out, net, &rule->takes[i], r, true);
    }
    for (uint32_t i = 0; i < rule->give_count; i++) {
      put_arc(out, net, &rule->gives[i], r, false);
    }
  }
  clew_text_put(out, "</page></net></pnml>");
}

/* ---- As it stands ---- */

struct marking {
  uint32_t tokens[MOST_PLACES][MOST_COLOURS];
};

struct markings {
  CLEW_VEC(struct marking) list;
};

static bool uses(const struct rule *rule, const struct net *net, uint32_t variable) {
  static const bool in_guard[][VARIABLES] = {{false, false, false}, {true, false, true},
                                             {true, false, true},   {true, false, true},
                                             {true, false, true},   {true, true, true}};
  bool used = in_guard[rule->guard][variable];
  for (uint32_t k = 0; k < rule->take_count + rule->give_count; k++) {
    const struct arc *arc =
        k < rule->take_count ? &rule->takes[k] : &rule->gives[k - rule->take_count];
    uint32_t sort = net->place_sort[arc->place];
    for (uint32_t i = 0; i < arc->count; i++) {
      for (uint32_t part = 0; part < (sort == AB ? 2U : sort == DOT ? 0U : 1U); part++) {
        const struct atom *atom = &arc->summands[i].parts[part];
        used = used || (atom->kind <= PRED && atom->number == variable);
      }
    }
  }
  return used;
}

static bool guard_holds(const struct net *net, uint32_t guard, const uint32_t *value) {
  switch (guard) {
  case 1:
    return value[0] == value[2];
  case 2:
    return value[0] != value[2];
  case 3:
    return value[0] < value[2];
  case 4:
    return value[0] == (value[2] + 1) % net->size[A];
  case 5:
    return value[1] > 0 || value[0] == value[2];
  default:
    return true;
  }
}

/* The colours that an atom stands for, from *first, *count of them. */
static void colours_of(const struct net *net, uint32_t sort, struct atom atom,
                       const uint32_t *value, uint32_t *first, uint32_t *count) {
  uint32_t size = net->size[sort];
  *count = atom.kind == EVERY ? size : 1;
  *first = atom.kind == EVERY   ? 0
           : atom.kind == CONST ? atom.number
           : atom.kind == SUCC  ? (value[atom.number] + 1) % size
           : atom.kind == PRED  ? (value[atom.number] + size - 1) % size
                                : value[atom.number];
}

static void add_tokens(const struct net *net, const struct arc *arc, const uint32_t *value,
                       struct marking *sum) {
  uint32_t sort = net->place_sort[arc->place], first, count, first2 = 0, count2 = 1;
  for (uint32_t i = 0; i < arc->count; i++) {
    const struct summand *s = &arc->summands[i];
    colours_of(net, sort == AB ? A : sort, s->parts[0], value, &first, &count);
    if (sort == AB) {
      colours_of(net, B, s->parts[1], value, &first2, &count2);
    }
    for (uint32_t c = first; c < first + count; c++) {
      for (uint32_t d = first2; d < first2 + count2; d++) {
        sum->tokens[arc->place][sort == AB ? c * net->size[B] + d : c] += s->times;
      }
    }
  }
}

static void fire_all(const struct net *net, const struct rule *rule, const struct marking *from,
                     struct markings *out) {
  uint32_t value[VARIABLES], most[VARIABLES];
  for (uint32_t v = 0; v < VARIABLES; v++) {
    most[v] = uses(rule, net, v) ? net->size[SORT_OF[v]] : 1;
  }
  for (value[0] = 0; value[0] < most[0]; value[0]++) {
    for (value[1] = 0; value[1] < most[1]; value[1]++) {
      for (value[2] = 0; value[2] < most[2]; value[2]++) {
        struct marking taken = {0}, given = {0}, to = *from;
        bool enabled = guard_holds(net, rule->guard, value);
        for (uint32_t i = 0; i < rule->take_count; i++) {
          add_tokens(net, &rule->takes[i], value, &taken);
        }
        for (uint32_t i = 0; i < rule->give_count; i++) {
          add_tokens(net, &rule->gives[i], value, &given);
        }
        for (uint32_t p = 0; p < MOST_PLACES; p++) {
          for (uint32_t c = 0; c < MOST_COLOURS; c++) {
            enabled = enabled && to.tokens[p][c] >= taken.tokens[p][c];
            to.tokens[p][c] += given.tokens[p][c] - taken.tokens[p][c];
          }
        }
        if (enabled) {
          clew_vec_push(&out->list, to);
        }
      }
    }
  }
}

/* ---- Both ---- */

static int compare_markings(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct marking));
}

static void sort_markings(struct markings *markings) {
  if (markings->list.len > 0) {
    qsort(markings->list.data, markings->list.len, sizeof(struct marking), compare_markings);
  }
}

/* A state of the model in terms of the description: places are known by their names. */
static struct marking translate(const struct net *net, const struct clew_model *model,
                                const uint64_t *state) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  struct marking marking = {0};
  for (uint32_t i = 0; i < impl->net->place_count; i++) {
    unsigned p = 0, c = 0, d = 0;
    const char *name = impl->net->places[i].name;
    int read = sscanf(name, "p%u(%u,%u)", &p, &c, &d);
    assert_true(p < net->place_count);
    uint32_t sort = net->place_sort[p];
    assert_int_equal(read, sort == DOT ? 1 : sort == AB ? 3 : 2);
    marking.tokens[p][sort == AB ? c * net->size[B] + d : c] =
        (uint32_t)clew_net_tokens(impl, i, state);
  }
  return marking;
}

enum { MOST_STATES = 60, COLOURED_NETS = 1500 };

static void explore(const struct net *net, const struct clew_model *model) {
  CLEW_VEC(uint64_t *) states = {0};
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  model->init(model, &succs);
  uint64_t *first = clew_alloc_zero(model->words, 8);
  memcpy(first, succs.states, model->words * 8);
  clew_vec_push(&states, first);
  struct marking start = {0}, found = translate(net, model, first);
  memcpy(start.tokens, net->tokens, sizeof start.tokens);
  assert_memory_equal(&found, &start, sizeof start);
  for (uint32_t i = 0; i < states.len; i++) {
    struct marking from = translate(net, model, states.data[i]);
    struct markings wanted = {0}, got = {0};
    clew_succs_clear(&succs);
    succs.resume = 0;
    model->next(model, states.data[i], &succs);
    for (uint32_t r = 0; r < net->rule_count; r++) {
      fire_all(net, &net->rules[r], &from, &wanted);
    }
    for (uint32_t k = 0; k < succs.count; k++) {
      const uint64_t *to = succs.states + (size_t)k * model->words;
      clew_vec_push(&got.list, translate(net, model, to));
      bool seen = states.len >= MOST_STATES;
      for (uint32_t s = 0; s < states.len && !seen; s++) {
        seen = memcmp(states.data[s], to, model->words * 8) == 0;
      }
      if (!seen) {
        uint64_t *copy = clew_alloc_zero(model->words, 8);
        memcpy(copy, to, model->words * 8);
        clew_vec_push(&states, copy);
      }
    }
    sort_markings(&wanted);
    sort_markings(&got);
    assert_int_equal(got.list.len, wanted.list.len);
    if (got.list.len > 0) {
      assert_memory_equal(got.list.data, wanted.list.data, got.list.len * sizeof(struct marking));
    }
    clew_vec_free(&wanted.list);
    clew_vec_free(&got.list);
  }
  for (uint32_t i = 0; i < states.len; i++) {
    clew_free(states.data[i]);
  }
  clew_vec_free(&states);
  clew_succs_close(&succs);
}

static void test_random_colours(void **unused) {
  (void)unused;
  uint32_t edges = 0;
  for (uint64_t seed = 0; seed < COLOURED_NETS; seed++) {
    struct clew_random random;
    struct net net;
    struct clew_text text = {0};
    struct clew_diag_sink diags = {0};
    clew_random_seed(&random, seed);
    random_net(&random, &net);
    put_net(&text, &net);
    struct clew_model *model = load(clew_text_str(&text), NULL, &diags);
    if (model == NULL) {
      fail_msg("seed %llu: %s", (unsigned long long)seed, diags.data[0].message);
    }
    edges += model->edge_count;
    explore(&net, model);
    model->close(model);
    clew_text_free(&text);
    clew_diag_sink_free(&diags);
  }
  assert_true(edges > COLOURED_NETS);
}

/* ---- Symmetric colours ---- */

enum { MOST_REACHED = 1500, SYMMETRIC_NETS = 1500 };

static void make_atom_symmetric(struct atom *atom, uint32_t sort) {
  atom->kind = atom->kind == EVERY ? EVERY : VAR;
  atom->number = sort == B ? 1 : atom->number == 2 ? 2 : 0;
}

static void make_arc_symmetric(const struct net *net, struct arc *arc) {
  uint32_t sort = net->place_sort[arc->place];
  for (uint32_t i = 0; i < arc->count && sort != DOT; i++) {
    make_atom_symmetric(&arc->summands[i].parts[0], sort == AB ? A : sort);
    make_atom_symmetric(&arc->summands[i].parts[1], B);
  }
}

/* Colours are compared and enumerated only, and all of them are there at the start, or none. */
static void make_symmetric(struct net *net) {
  for (uint32_t p = 0; p < net->place_count; p++) {
    for (uint32_t c = 0; c < net->size[net->place_sort[p]]; c++) {
      net->tokens[p][c] = net->tokens[p][0];
    }
  }
  for (uint32_t r = 0; r < net->rule_count; r++) {
    struct rule *rule = &net->rules[r];
    rule->guard = rule->guard > 2 ? 0 : rule->guard;
    for (uint32_t i = 0; i < 2; i++) {
      make_arc_symmetric(net, &rule->takes[i]);
      make_arc_symmetric(net, &rule->gives[i]);
    }
  }
}

/* All reachable states, each with its parent; false: they are too many, or one fails. */
struct reached {
  struct state_set set;
  CLEW_VEC(uint32_t) parents;
  CLEW_VEC(uint32_t) edges;
  uint32_t stuck;
};

static void reach_one(struct reached *r, const uint64_t *state, uint32_t parent, uint32_t edge) {
  uint64_t hash = clew_hash_words(state, r->set.words, 0);
  if (state_set_find(&r->set, hash, state) == STATE_SET_NONE) {
    (void)state_set_add(&r->set, hash, state);
    clew_vec_push(&r->parents, parent);
    clew_vec_push(&r->edges, edge);
  }
}

static bool reach(const struct clew_model *model, struct reached *r) {
  struct clew_succs succs;
  bool fine = true;
  *r = (struct reached){0};
  state_set_open(&r->set, model->words);
  clew_succs_open(&succs, model->words, model->cover_count);
  model->init(model, &succs);
  reach_one(r, succs.states, CLEW_NONE, 0);
  uint64_t *now = clew_alloc_zero(model->words, sizeof *now);
  for (uint32_t i = 0; i < state_set_count(&r->set) && fine; i++) {
    memcpy(now, state_set_at(&r->set, i), model->words * sizeof *now);
    clew_succs_clear(&succs);
    succs.resume = 0;
    model->next(model, now, &succs);
    for (uint32_t k = 0; k < succs.count; k++) {
      reach_one(r, succs.states + (size_t)k * model->words, i, succs.edges[k]);
    }
    r->stuck += succs.stuck;
    fine = succs.fault_count == 0 && state_set_count(&r->set) < MOST_REACHED;
  }
  clew_free(now);
  clew_succs_close(&succs);
  return fine;
}

static void forget(struct reached *r) {
  state_set_close(&r->set);
  clew_vec_free(&r->parents);
  clew_vec_free(&r->edges);
}

/* The least of all markings that renamings of members lead to, by trying all of them. */
struct brute {
  const struct clew_net_symmetry *sym;
  const uint64_t *tokens;
  uint64_t *least, *now;
  uint32_t names[64];
  bool any;
};

static void try_names(struct brute *b) {
  const struct clew_net *net = b->sym->net;
  memset(b->now, 0, net->place_count * sizeof *b->now);
  for (uint32_t p = 0; p < net->place_count; p++) {
    uint32_t elements[CLEW_NET_MOST_PARTS], count = net->first_part[p + 1] - net->first_part[p];
    for (uint32_t i = 0; i < count; i++) {
      const struct clew_net_part *part = &net->parts[net->first_part[p] + i];
      uint32_t member = clew_net_member(b->sym, part);
      elements[i] =
          member == CLEW_NONE ? part->element : b->sym->members.data[b->names[member]].element;
    }
    uint32_t to = clew_net_find_colour(b->sym, net->origins[p], elements, count);
    assert_int_not_equal(to, CLEW_NONE);
    b->now[to] = b->tokens[p];
  }
  size_t bytes = net->place_count * sizeof *b->now;
  if (!b->any || memcmp(b->now, b->least, bytes) < 0) {
    memcpy(b->least, b->now, bytes);
    b->any = true;
  }
}

/* All permutations of each class, member by member. */
static void permute(struct brute *b, uint32_t class, uint32_t first, uint32_t at) {
  if (class == b->sym->ends.len) {
    try_names(b);
    return;
  }
  uint32_t end = b->sym->ends.data[class];
  if (at == end) {
    permute(b, class + 1, end, end);
    return;
  }
  for (uint32_t i = at; i < end; i++) {
    uint32_t kept = b->names[at];
    b->names[at] = b->names[i];
    b->names[i] = kept;
    permute(b, class, first, at + 1);
    b->names[i] = b->names[at];
    b->names[at] = kept;
  }
}

/* The orbits of all states that are reachable without symmetry. */
static uint32_t count_orbits(const struct clew_net_symmetry *sym, const struct reached *all) {
  uint32_t places = sym->net->place_count;
  struct state_set orbits;
  state_set_open(&orbits, places);
  uint64_t *room = clew_alloc_zero((size_t)places * 3, sizeof *room);
  for (uint32_t i = 0; i < state_set_count(&all->set); i++) {
    struct brute b = {.sym = sym, .tokens = room, .least = room + places, .now = room + 2 * places};
    clew_net_unpack(sym->impl, state_set_at(&all->set, i), room);
    assert_true(sym->members.len <= 64);
    for (uint32_t m = 0; m < sym->members.len; m++) {
      b.names[m] = m;
    }
    permute(&b, 0, 0, 0);
    uint64_t hash = clew_hash_words(b.least, places, 0);
    if (state_set_find(&orbits, hash, b.least) == STATE_SET_NONE) {
      (void)state_set_add(&orbits, hash, b.least);
    }
  }
  uint32_t count = state_set_count(&orbits);
  clew_free(room);
  state_set_close(&orbits);
  return count;
}

/* The path to the last state of the reduced model is one of the model below. */
static void lower_last(const struct clew_model *model, const struct reached *r) {
  uint32_t edges[MOST_REACHED], count = 0, at = state_set_count(&r->set) - 1;
  for (uint32_t i = at; r->parents.data[i] != CLEW_NONE; i = r->parents.data[i]) {
    edges[count++] = r->edges.data[i];
  }
  for (uint32_t i = 0; i < count / 2; i++) {
    uint32_t edge = edges[i];
    edges[i] = edges[count - 1 - i];
    edges[count - 1 - i] = edge;
  }
  struct clew_path path = {
      .edges = edges, .edge_count = count, .fault_edge = CLEW_NONE, .site = CLEW_NONE};
  model->lower(model, &path);
  uint64_t *state = clew_alloc_zero((size_t)model->words * 2, sizeof *state),
           *next = state + model->words;
  assert_true(clew_model_start(model->under, 0, state));
  for (uint32_t i = 0; i < count; i++) {
    uint32_t site;
    assert_true(model->reference->fire(model->reference, state, edges[i], next, &site));
    memcpy(state, next, model->words * sizeof *state);
  }
  clew_net_canonical(clew_net_impl_of(model->under)->symmetry, state);
  uint64_t *wanted = next;
  memcpy(wanted, state_set_at(&r->set, at), model->words * sizeof *wanted);
  clew_net_canonical(clew_net_impl_of(model->under)->symmetry, wanted);
  assert_memory_equal(state, wanted, model->words * sizeof *state);
  clew_free(state);
}

/* Whether there was something to reduce. */
static bool compare_reduced(const char *text, uint64_t seed) {
  struct clew_diag_sink diags = {0};
  struct clew_model *exact = load_by(text, NULL, true, CLEW_SYMMETRY_CANONICAL, &diags);
  struct clew_model *fast = load_by(text, NULL, true, CLEW_SYMMETRY_FAST, &diags);
  struct reached all = {0}, few = {0}, more = {0};
  bool is_reduced = false;
  assert_true(exact != NULL && fast != NULL);
  if (exact->reduction != NULL && reach(exact->under, &all)) {
    assert_true(reach(exact, &few) && reach(fast, &more));
    uint32_t orbits = count_orbits(clew_net_impl_of(exact->under)->symmetry, &all);
    uint32_t full = state_set_count(&all.set), quick = state_set_count(&more.set);
    if (state_set_count(&few.set) != orbits || quick < orbits || quick > full) {
      fail_msg("seed %llu: %u states, %u fast, for %u orbits of %u states",
               (unsigned long long)seed, state_set_count(&few.set), quick, orbits, full);
    }
    assert_int_equal(few.stuck > 0, all.stuck > 0);
    lower_last(exact, &few);
    lower_last(fast, &more);
    is_reduced = orbits < full;
  }
  if (all.set.heads != NULL) {
    forget(&all);
  }
  if (few.set.heads != NULL) {
    forget(&few);
    forget(&more);
  }
  exact->close(exact);
  fast->close(fast);
  clew_diag_sink_free(&diags);
  return is_reduced;
}

static void test_random_symmetry(void **unused) {
  (void)unused;
  uint32_t reduced = 0;
  for (uint64_t seed = 0; seed < SYMMETRIC_NETS; seed++) {
    struct clew_random random;
    struct net net;
    struct clew_text text = {0};
    clew_random_seed(&random, seed);
    random_net(&random, &net);
    if (seed % 4 != 0) { /* the others have constants, orders and successors */
      make_symmetric(&net);
    }
    put_net(&text, &net);
    reduced += compare_reduced(clew_text_str(&text), seed);
    clew_text_free(&text);
  }
  if (reduced < SYMMETRIC_NETS / 20) {
    fail_msg("only %u nets were reduced", reduced);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_questions),
      cmocka_unit_test(test_unchecked),      cmocka_unit_test(test_bare_transitions),
      cmocka_unit_test(test_random_colours), cmocka_unit_test(test_random_symmetry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
