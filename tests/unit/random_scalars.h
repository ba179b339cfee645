/* Random networks of timed automata with scalar sets, as text in .xta.
 *
 * Names tell what is renamed, so that a test can rename states by itself: P(i), Q(i) and indices
 * of a, nx, m, h are values of S, and so are the values of own, nx and w; R(j), indices of tt and
 * the values of ot are values of T. Some models do things in an order that nothing gives, begin
 * local variables with a value, or end in run-time errors: clew has to notice where that tells
 * values apart. */
#ifndef CLEW_TESTS_RANDOM_SCALARS_H
#define CLEW_TESTS_RANDOM_SCALARS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"

enum { RS_S = 3, RS_T = 2, RS_QUERIES = 3 };

struct rs {
  struct clew_random random;
  struct clew_text *out;
  bool broadcasts; /* mostly */
  bool may_fail;   /* indices out of range */
  bool has_q, has_r, has_relation, has_clocks, in_p, in_q, in_r;
  const char *names[8]; /* of S: variables in scope */
  uint32_t name_count;
  uint32_t depth;
};

static inline uint32_t rs_below(struct rs *r, uint32_t bound) {
  return (uint32_t)clew_random_below(&r->random, bound);
}
static inline bool rs_chance(struct rs *r, uint32_t percent) {
  return rs_below(r, 100) < percent;
}
static inline void rs_put(struct rs *r, const char *text) {
  clew_text_put(r->out, text);
}

static inline void rs_push(struct rs *r, const char *name) {
  r->names[r->name_count++] = name;
}

/* A value of S. */
static inline void rs_scalar(struct rs *r) {
  r->depth++;
  uint32_t choice = r->depth > 3 ? 4 + rs_below(r, 3) : rs_below(r, 7);
  if (choice == 0) {
    rs_put(r, "nx[");
    rs_scalar(r);
    rs_put(r, "]");
  } else if (choice <= 2 && r->in_p) {
    rs_put(r, "w");
  } else if (choice <= 4 && r->name_count > 0) {
    rs_put(r, r->names[rs_below(r, r->name_count)]);
  } else {
    rs_put(r, "own");
  }
  r->depth--;
}

static inline void rs_condition(struct rs *r);

/* A small number. */
static inline void rs_number(struct rs *r) {
  static const char *const plain[] = {"0", "1", "2", "n", "b[0]", "b[1]"};
  r->depth++;
  uint32_t choice = r->depth > 4 ? 0 : rs_below(r, 9);
  switch (choice) {
  case 1:
    rs_put(r, "a[");
    rs_scalar(r);
    rs_put(r, "]");
    break;
  case 2:
    rs_put(r, r->in_p ? "v" : "n");
    break;
  case 3:
    rs_put(r, "(sum (s : S) a[s])");
    break;
  case 4:
    rs_put(r, "(");
    rs_condition(r);
    rs_put(r, " ? ");
    rs_number(r);
    rs_put(r, " : ");
    rs_number(r);
    rs_put(r, ")");
    break;
  case 5:
    rs_put(r, r->in_r ? "tt[j]" : "tt[ot]");
    break;
  case 6:
    if (r->may_fail && rs_chance(r, 50)) { /* where n is 2 */
      rs_put(r, "b[(n + ");
      rs_number(r);
      rs_put(r, ") % 3]");
      break;
    }
    rs_put(r, "b[0]");
    break;
  default:
    rs_put(r, plain[rs_below(r, 6)]);
  }
  r->depth--;
}

static inline void rs_condition(struct rs *r) {
  static const char *const ops[] = {" == ", " != ", " < ", " >= "};
  r->depth++;
  uint32_t choice = r->depth > 4 ? rs_below(r, 3) : rs_below(r, 9);
  switch (choice) {
  case 0:
  case 1:
    rs_put(r, "(");
    rs_scalar(r);
    rs_put(r, ops[rs_below(r, 2)]);
    rs_scalar(r);
    rs_put(r, ")");
    break;
  case 3:
    if (r->has_relation) {
      rs_put(r, "m[");
      rs_scalar(r);
      rs_put(r, "][");
      rs_scalar(r);
      rs_put(r, "]");
      break;
    }
    rs_put(r, "(n == 1)");
    break;
  case 4:
    rs_put(r, rs_chance(r, 50) ? "(forall (q : S) " : "(exists (q : S) ");
    rs_push(r, "q");
    rs_condition(r);
    r->name_count--;
    rs_put(r, ")");
    break;
  case 5:
    rs_put(r, "!");
    rs_condition(r);
    break;
  case 6:
  case 7:
    rs_put(r, "(");
    rs_condition(r);
    rs_put(r, rs_chance(r, 50) ? " && " : " || ");
    rs_condition(r);
    rs_put(r, ")");
    break;
  default:
    rs_put(r, "(");
    rs_number(r);
    rs_put(r, ops[rs_below(r, 4)]);
    rs_number(r);
    rs_put(r, ")");
  }
  r->depth--;
}

/* An assignment, without what ends it. */
static inline void rs_assignment(struct rs *r, bool sets_clocks) {
  switch (rs_below(r, sets_clocks && r->has_clocks ? 13 : 11)) {
  case 0:
    rs_put(r, "own = ");
    rs_scalar(r);
    return;
  case 1:
    rs_put(r, "nx[");
    rs_scalar(r);
    rs_put(r, "] = ");
    rs_scalar(r);
    return;
  case 2:
  case 3:
    rs_put(r, "a[");
    rs_scalar(r);
    rs_put(r, "] = (");
    rs_number(r);
    rs_put(r, ") % 2");
    return;
  case 4:
    if (r->has_relation) {
      rs_put(r, "m[");
      rs_scalar(r);
      rs_put(r, "][");
      rs_scalar(r);
      rs_put(r, "] = ");
      rs_condition(r);
      return;
    }
    rs_put(r, "n = 1");
    return;
  case 5:
    rs_put(r, r->in_p ? "w = " : "own = ");
    rs_scalar(r);
    return;
  case 6:
    rs_put(r, r->in_p ? "v = (" : "n = (");
    rs_number(r);
    rs_put(r, ") % 3");
    return;
  case 7:
    rs_put(r, rs_chance(r, 30) ? "n++" : rs_chance(r, 50) ? "b[0] = 1" : "b[1] = (b[1] + 1) % 2");
    return;
  case 8:
    rs_put(r, r->in_r ? "tt[j] = 1" : "tt[ot] = 1 - tt[ot]");
    return;
  case 9:
    rs_put(r, r->in_r ? "ot = j" : "n = 0");
    return;
  case 10:
    rs_put(r, "n = (n + ");
    rs_number(r);
    rs_put(r, ") % 3");
    return;
  case 11:
    rs_put(r, r->in_p ? "x = 0" : "g = 0");
    return;
  default:
    rs_put(r, "h[");
    rs_scalar(r);
    rs_put(r, "] = 0");
  }
}

static inline void rs_statement(struct rs *r) {
  r->depth++;
  switch (r->depth > 3 ? 0 : rs_below(r, 6)) {
  case 1:
    rs_put(r, "if (");
    rs_condition(r);
    rs_put(r, ") { ");
    rs_statement(r);
    rs_put(r, "} ");
    break;
  case 2:
    rs_put(r, "for (e : S) { ");
    rs_push(r, "e");
    rs_statement(r);
    r->name_count--;
    rs_put(r, "} ");
    break;
  case 3:
    rs_put(r, "for (e : S) { a[e] = 0; if (nx[e] == own) { k += 1; } } ");
    break;
  case 4:
    rs_put(r, "for (e : S) { if (");
    rs_push(r, "e");
    rs_condition(r);
    r->name_count--;
    rs_put(r, rs_chance(r, 50) ? ") { k = 1; } } " : ") return; } ");
    break;
  default:
    rs_assignment(r, false);
    rs_put(r, "; ");
  }
  r->depth--;
}

static inline void rs_function(struct rs *r) {
  bool in_p = r->in_p;
  r->in_p = false;
  rs_put(r, "void f(S i) { int k = 0; ");
  rs_put(r, rs_chance(r, 15) ? "S z; " : "S z = i; ");
  rs_push(r, "i");
  rs_push(r, "z");
  for (uint32_t i = rs_below(r, 3) + 1; i > 0; i--) {
    rs_statement(r);
  }
  rs_put(r, "n = (n + k) % 3; }\n");
  r->name_count -= 2;
  r->in_p = in_p;
}

static inline void rs_clock(struct rs *r) {
  static const char *const ops[] = {" >= ", " <= ", " == "};
  rs_put(r, rs_chance(r, 60) && r->in_p ? "x" : rs_chance(r, 50) && !r->in_r ? "h[i]" : "g");
  rs_put(r, ops[rs_below(r, 3)]);
  clew_text_printf(r->out, "%u", rs_below(r, 3));
}

static inline void rs_edge(struct rs *r, uint32_t locations, bool is_last) {
  uint32_t from = rs_below(r, locations), to = rs_below(r, locations);
  bool selects = rs_chance(r, 30);
  clew_text_printf(r->out, "  l%u -> l%u { ", from, to);
  if (selects) {
    rs_put(r, "select s : S; ");
    rs_push(r, "s");
  }
  if (rs_chance(r, 70)) {
    rs_put(r, "guard ");
    bool both = rs_chance(r, 40);
    if (r->has_clocks && rs_chance(r, 50)) {
      rs_clock(r);
      rs_put(r, both ? " && " : "; ");
    } else {
      both = true;
    }
    if (both) {
      rs_condition(r);
      rs_put(r, "; ");
    }
  }
  static const char *const syncs[] = {"c[i]!",   "c[own]?",  "c[i]?", "bc!", "bc?", "bs[i]?",
                                      "c[own]!", "bs[own]!", "u!",    "u?",  "bc?", "bc?"};
  static const char *const plain[] = {"bc!", "bc?", "u!", "u?", "c[own]!", "bs[own]!"};
  if (rs_chance(r, r->broadcasts ? 80 : 50)) {
    uint32_t few = r->broadcasts ? 2 : 6;
    clew_text_printf(r->out, "sync %s; ",
                     r->in_r         ? plain[rs_below(r, few)]
                     : r->broadcasts ? syncs[3 + rs_below(r, 2)]
                                     : syncs[rs_below(r, 12)]);
  }
  if (rs_chance(r, 75)) {
    rs_put(r, "assign ");
    for (uint32_t i = rs_below(r, 2); i < 2; i++) {
      if (rs_chance(r, 20)) {
        rs_put(r, "f(");
        rs_scalar(r);
        rs_put(r, ")");
      } else {
        rs_assignment(r, true);
      }
      rs_put(r, i == 1 ? "; " : ", ");
    }
  }
  r->name_count -= selects;
  rs_put(r, is_last ? "};\n" : "},\n");
}

static inline void rs_process(struct rs *r, const char *head, const char *locals) {
  uint32_t locations = rs_below(r, 2) + 2, edges = rs_below(r, 3) + 2;
  clew_text_printf(r->out, "process %s {\n  %s\n  state ", head, locals);
  for (uint32_t i = 0; i < locations; i++) {
    clew_text_printf(r->out, "l%u", i);
    if (r->has_clocks && rs_chance(r, 20) && i > 0) {
      rs_put(r, r->in_p ? " { x <= 2 }" : " { g <= 2 }");
    } else if (r->may_fail && rs_chance(r, 20) && i > 0) {
      rs_put(r, " { ");
      rs_condition(r);
      rs_put(r, " }");
    }
    rs_put(r, i + 1 < locations ? ", " : ";\n");
  }
  if (rs_chance(r, 15)) {
    rs_put(r, rs_chance(r, 50) ? "  commit l1;\n" : "  urgent l1;\n");
  }
  rs_put(r, "  init l0;\n  trans\n");
  for (uint32_t i = 0; i < edges; i++) {
    rs_edge(r, locations, i + 1 == edges);
  }
  rs_put(r, "}\n");
}

static inline void random_scalars(struct clew_text *out, uint64_t seed) {
  struct rs r = {.out = out};
  clew_random_seed(&r.random, seed);
  r.broadcasts = rs_chance(&r, 25);
  r.may_fail = rs_chance(&r, 25);
  r.has_q = rs_chance(&r, 30);
  r.has_r = rs_chance(&r, 30);
  r.has_relation = rs_chance(&r, 30);
  r.has_clocks = rs_chance(&r, 70);
  rs_put(&r, "typedef scalar[3] S; typedef scalar[2] T;\nS own; T ot; int[0,2] n; int[0,1] a[S]; S "
             "nx[S]; int[0,2] b[2]; int[0,1] tt[T];\n");
  rs_put(&r, r.has_relation ? "bool m[S][S];\n" : "");
  rs_put(&r, r.has_clocks ? "clock g, h[S];\n" : "");
  rs_put(&r, "chan c[S]; broadcast chan bc, bs[S]; urgent chan u;\n");
  if (rs_chance(&r, 10)) {
    rs_put(&r, "const int t[S] = {0, 0, 1};\n");
  }
  rs_function(&r);
  r.in_p = true;
  rs_push(&r, "i");
  rs_process(&r, "P(const S i)",
             r.has_clocks ? "int[0,2] v; S w; clock x;" : "int[0,2] v; S w = i;");
  r.in_p = false;
  if (r.has_q) {
    rs_process(&r, "Q(const S i)", "");
  }
  r.name_count--;
  r.in_r = true;
  if (r.has_r) {
    rs_process(&r, "R(const T j)", "");
  }
  r.in_r = false;
  clew_text_printf(out, "system P%s%s;\n", r.has_q ? ", Q" : "", r.has_r ? ", R" : "");
}

/* Query `number` of the model, which tells no values apart. */
static inline void random_scalars_query(struct clew_text *out, uint64_t seed, uint32_t number) {
  struct rs r = {.out = out};
  clew_random_seed(&r.random, seed * 7 + number + 1);
  rs_put(&r,
         number == 0 ? "A[] forall (i : S) (P(i).l1 imply " : "E<> exists (i : S) (P(i).l1 && ");
  rs_push(&r, "i");
  if (number == 2) {
    rs_put(&r, "P(i).v < 2 && ");
  }
  rs_condition(&r);
  rs_put(&r, ")");
}

#endif
