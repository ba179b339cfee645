/* Random Murphi models that every checker of the language takes, to compare one with another:
 *
 *   struct clew_text text = {0};
 *   random_plain_murphi(&text, seed);
 *
 * No unions, no multisets, no undefined values; every variable has a value from the start. What is
 * left can go wrong by values out of range, bad indices, divisions by zero, assertions and
 * invariants. */
#ifndef CLEW_TESTS_RANDOM_PLAIN_H
#define CLEW_TESTS_RANDOM_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"

struct rp {
  struct clew_random random;
  struct clew_text *out;
  const char *element; /* a name of type S in scope, besides s */
  const char *number;  /* a name of a number in scope that must not be written, or NULL */
  bool fixed;          /* in a loop over S: what other iterations write must not be read */
  bool functions;      /* may be called */
};

static inline uint32_t rp_below(struct rp *g, uint32_t n) {
  return (uint32_t)clew_random_below(&g->random, n);
}

static inline bool rp_chance(struct rp *g, uint32_t percent) {
  return rp_below(g, 100) < percent;
}

static inline void rp_put(struct rp *g, const char *text) {
  clew_text_put(g->out, text);
}

static inline const char *rp_any(struct rp *g, const char *const *texts, uint32_t count) {
  return texts[rp_below(g, count)];
}

/* ---- Expressions ---- */

static inline void rp_bool(struct rp *g, uint32_t depth);

static inline const char *rp_element(struct rp *g) {
  return g->element != NULL && rp_chance(g, 60) ? g->element : "s";
}

static inline void rp_num(struct rp *g, uint32_t depth) {
  static const char *const ops[] = {"+", "-", "+", "-", "*", "/", "%"};
  uint32_t kind = rp_below(g, depth > 0 ? 12 : 7);
  if (kind < 2) {
    clew_text_printf(g->out, "%u", rp_below(g, 4));
  } else if (kind < 4) {
    rp_put(g, g->number != NULL && rp_chance(g, 40) ? g->number : rp_chance(g, 50) ? "n" : "m");
  } else if (kind == 4 && !g->fixed) {
    clew_text_printf(g->out, "an[%s]", rp_element(g));
  } else if (kind < 7) {
    rp_put(g, "r.a");
  } else if (kind < 10) {
    rp_put(g, "(");
    rp_num(g, depth - 1);
    clew_text_printf(g->out, " %s ", rp_any(g, ops, rp_chance(g, 85) ? 5 : 7));
    rp_num(g, depth - 1);
    rp_put(g, ")");
  } else if (kind == 10 && g->functions) {
    rp_put(g, "fn(");
    rp_num(g, 0);
    rp_put(g, ")");
  } else {
    rp_put(g, "(");
    rp_bool(g, depth - 1);
    rp_put(g, " ? ");
    rp_num(g, depth - 1);
    rp_put(g, " : ");
    rp_num(g, depth - 1);
    rp_put(g, ")");
  }
}

static inline void rp_compare(struct rp *g, uint32_t depth) {
  static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">="};
  rp_num(g, depth);
  clew_text_printf(g->out, " %s ", rp_any(g, ops, 6));
  rp_num(g, depth);
}

static inline void rp_quantified(struct rp *g, uint32_t depth) {
  const char *element = g->element, *number = g->number;
  bool over_s = rp_chance(g, 60);
  clew_text_printf(g->out, "(%s %s do ", rp_chance(g, 50) ? "forall" : "exists",
                   over_s ? "q: S" : "j: 0..2");
  g->element = over_s ? "q" : element;
  g->number = over_s ? number : "j";
  rp_bool(g, depth);
  rp_put(g, " end)");
  g->element = element;
  g->number = number;
}

static inline void rp_bool(struct rp *g, uint32_t depth) {
  static const char *const ops[] = {"&", "|", "->"};
  static const char *const leaves[] = {"b", "r.b", "ab[0]", "ab[1]", "e = e0", "e != e1"};
  uint32_t kind = rp_below(g, depth > 0 ? 10 : 4);
  if (kind < 2) {
    clew_text_printf(g->out, "(%s)", rp_any(g, leaves, 6));
  } else if (kind < 4) {
    rp_put(g, "(");
    rp_compare(g, 0);
    rp_put(g, ")");
  } else if (kind == 4) {
    clew_text_printf(g->out, "(%s = s)", rp_element(g));
  } else if (kind == 5) {
    rp_put(g, "!");
    rp_bool(g, depth - 1);
  } else if (kind == 6) {
    rp_quantified(g, depth - 1);
  } else if (kind == 7) {
    rp_put(g, "ab[");
    rp_num(g, 0);
    rp_put(g, "]");
  } else {
    rp_put(g, "(");
    rp_bool(g, depth - 1);
    clew_text_printf(g->out, " %s ", rp_any(g, ops, 3));
    rp_bool(g, depth - 1);
    rp_put(g, ")");
  }
}

/* ---- Statements ---- */

static inline void rp_statements(struct rp *g, uint32_t count, uint32_t depth);

/* Mostly in range. */
static inline void rp_value(struct rp *g) {
  if (rp_chance(g, 35)) {
    clew_text_printf(g->out, "%u", rp_below(g, 4));
  } else if (rp_chance(g, 60)) {
    rp_put(g, "(");
    rp_num(g, 0);
    clew_text_printf(g->out, " + %u) %% 4", 1 + rp_below(g, 3));
  } else {
    rp_num(g, 1);
  }
}

static inline void rp_assign(struct rp *g) {
  static const char *const numbers[] = {"n", "m", "r.a"}, *const bools[] = {"b", "r.b", "ab[0]"};
  static const char *const enums[] = {"e0", "e1", "e2", "e"};
  uint32_t kind = rp_below(g, 10);
  if (kind < 4) {
    clew_text_printf(g->out, "%s := ", rp_any(g, numbers, 3));
    rp_value(g);
  } else if (kind < 6) {
    clew_text_printf(g->out, "an[%s] := ", rp_element(g));
    rp_value(g);
  } else if (kind < 8) {
    clew_text_printf(g->out, "%s := ", rp_any(g, bools, 3));
    rp_bool(g, 1);
  } else if (kind == 8) {
    clew_text_printf(g->out, "e := %s", rp_any(g, enums, 4));
  } else {
    clew_text_printf(g->out, "s := %s", rp_element(g));
  }
  rp_put(g, ";\n");
}

/* Each iteration writes a place of its own. */
static inline void rp_loop_over_s(struct rp *g) {
  const char *element = g->element;
  g->element = "x";
  g->fixed = true;
  rp_put(g, "for x: S do\nif x != s then an[x] := ");
  rp_value(g);
  rp_put(g, "; end;\nend;\n");
  g->fixed = false;
  g->element = element;
}

static inline void rp_statement(struct rp *g, uint32_t depth) {
  uint32_t kind = depth == 0 ? 0 : rp_below(g, 12);
  if (kind < 6) {
    rp_assign(g);
  } else if (kind < 8) {
    rp_put(g, "if ");
    rp_bool(g, 1);
    rp_put(g, " then\n");
    rp_statements(g, 1, depth - 1);
    rp_put(g, "else\n");
    rp_statements(g, 1, depth - 1);
    rp_put(g, "end;\n");
  } else if (kind == 8) {
    rp_loop_over_s(g);
  } else if (kind == 9) {
    const char *number = g->number;
    rp_put(g, "for k := 0 to 1 do\n");
    g->number = "k";
    rp_statements(g, 1, depth - 1);
    g->number = number;
    rp_put(g, "end;\n");
  } else if (kind == 10) {
    rp_put(g, "switch e\ncase e0:\n");
    rp_statements(g, 1, depth - 1);
    rp_put(g, "case e1, e2:\n");
    rp_statements(g, 1, depth - 1);
    rp_put(g, "end;\n");
  } else if (rp_chance(g, 30)) {
    rp_put(g, "assert ");
    rp_bool(g, 2);
    rp_put(g, ";\n");
  } else {
    rp_put(g, "pr(");
    rp_put(g, rp_chance(g, 50) ? "n" : "m");
    clew_text_printf(g->out, ", %s);\n", rp_element(g));
  }
}

static inline void rp_statements(struct rp *g, uint32_t count, uint32_t depth) {
  for (uint32_t i = 0; i < count; i++) {
    rp_statement(g, depth);
  }
}

/* ---- The model ---- */

static inline void rp_declarations(struct rp *g) {
  clew_text_printf(g->out, "type\nS: scalarset(%u);\nN: 0..3;\nE: enum {e0, e1, e2};\n",
                   2 + rp_below(g, 2));
  rp_put(g, "var\nn: N; m: N; b: boolean; e: E; s: S;\nan: array [S] of N;\n"
            "ab: array [0..1] of boolean;\nr: record a: N; b: boolean; end;\n");
  rp_put(g, "function fn(v: N): N;\nbegin\nif b then return v; end;\nreturn ");
  g->number = "v";
  rp_value(g);
  g->number = NULL;
  rp_put(g, ";\nend;\nprocedure pr(var w: N; z: S);\nbegin\nif z = s then w := ");
  g->element = "z";
  rp_value(g);
  g->element = NULL;
  rp_put(g, "; end;\nend;\n");
}

static inline void rp_rule(struct rp *g, uint32_t number) {
  uint32_t kind = rp_below(g, 3);
  rp_put(g, kind == 0 ? "ruleset i: S do\n" : kind == 1 ? "ruleset h: 0..1 do\n" : "");
  g->element = kind == 0 ? "i" : NULL;
  g->number = kind == 1 ? "h" : NULL;
  clew_text_printf(g->out, "rule \"r%u\" ", number);
  rp_bool(g, 2);
  rp_put(g, " ==>\nbegin\n");
  rp_statements(g, 1 + rp_below(g, 3), 2);
  rp_put(g, kind < 2 ? "end;\nend;\n" : "end;\n");
  g->element = g->number = NULL;
}

/* Appends the model of this number. */
static inline void random_plain_murphi(struct clew_text *out, uint64_t seed) {
  struct rp g = {.out = out};
  clew_random_seed(&g.random, seed);
  clew_text_printf(out, "-- seed %llu\n", (unsigned long long)seed);
  rp_declarations(&g);
  g.functions = true;
  clew_text_printf(out, "ruleset i: S do startstate\nbegin\n");
  clew_text_printf(out, "n := %u; m := 0; b := %s; e := e0; s := i; r.a := 0; r.b := false;\n",
                   rp_below(&g, 4), rp_chance(&g, 50) ? "true" : "false");
  rp_put(&g, "ab[0] := false; ab[1] := true;\nfor x: S do an[x] := 0; end;\nend; end;\n");
  for (uint32_t i = 0, rules = 3 + rp_below(&g, 5); i < rules; i++) {
    rp_rule(&g, i);
  }
  if (rp_chance(&g, 50)) {
    rp_put(&g, "invariant \"inv\" ");
    rp_bool(&g, 1);
    rp_put(&g, " | ");
    rp_bool(&g, 2);
    rp_put(&g, ";\n");
  }
}

#endif
