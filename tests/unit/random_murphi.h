/* Random Murphi models: small ones that use most of the language around scalarsets, with many ways
 * to go wrong.
 *
 *   struct clew_text text = {0};
 *   random_murphi(&text, seed);
 *
 * The same seed gives the same model. A model has one or two scalarsets of two or three values,
 * unions, arrays and records over them, multisets, undefined values, functions that return from
 * loops, procedures with var parameters, recursion, aliases, quantifiers, priorities, and all kinds
 * of claims. Nearly all are accepted; most can be reduced by symmetry, in spite of loops: these
 * write places of their own or accumulate, except in models that are drawn to be wild. */
#ifndef CLEW_TESTS_RANDOM_MURPHI_H
#define CLEW_TESTS_RANDOM_MURPHI_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"

enum rm_type { RM_BOOL, RM_NUM, RM_S, RM_T, RM_U, RM_BAG_S, RM_BAG_R, RM_BAG_N };

enum { RM_SCOPE = 24 };

struct rm_bound {
  char name[4];
  enum rm_type type; /* RM_BAG_*: a position in that multiset */
};

struct rm {
  struct clew_text *out;
  struct clew_random random;
  uint32_t variables;              /* of rm_variables: those that are declared */
  bool two, wild;                  /* there is T; loops may depend on their order */
  bool tame;                       /* little can go wrong */
  bool pure;                       /* nothing may be written, not even by what is called */
  bool locals;                     /* lb, ln, ls are in scope */
  bool functions;                  /* may be called */
  struct rm_bound scope[RM_SCOPE]; /* read-only names */
  uint32_t scope_count;
  uint32_t names; /* given out so far */
};

/* The first ones are always there. %S, %T, %U: an expression of that type. */
struct rm_variable {
  const char *name, *type;
  struct {
    const char *text;
    enum rm_type type;
  } places[6];
};

static const struct rm_variable rm_variables[] = {
    {"b0", "boolean", {{"b0", RM_BOOL}}},
    {"n", "0..3", {{"n", RM_NUM}}},
    {"sv", "S", {{"sv", RM_S}}},
    {"as", "array [S] of boolean", {{"as[%S]", RM_BOOL}}},
    {"an", "array [S] of 0..2", {{"an[%S]", RM_NUM}}},
    {"ap", "array [S] of S", {{"ap[%S]", RM_S}}},
    {"uv", "U", {{"uv", RM_U}}},
    {"r", "R", {{"r.p", RM_S}, {"r.q", RM_NUM}, {"r.f", RM_BOOL}, {"r.u", RM_U}}},
    {"ar", "array [S] of R", {{"ar[%S].p", RM_S}, {"ar[%S].q", RM_NUM}, {"ar[%S].f", RM_BOOL}}},
    {"ss", "array [S] of array [S] of boolean", {{"ss[%S][%S]", RM_BOOL}}},
    {"au", "array [U] of boolean", {{"au[%U]", RM_BOOL}}},
    {"bs", "multiset [2] of S", {{NULL, RM_BAG_S}}},
    {"br", "multiset [2] of R", {{NULL, RM_BAG_R}}},
    {"bn", "multiset [3] of 0..2", {{NULL, RM_BAG_N}}},
    {"tv", "T", {{"tv", RM_T}}},
    {"ta", "array [T] of boolean", {{"ta[%T]", RM_BOOL}}},
    {"tn", "array [T] of S", {{"tn[%T]", RM_S}}},
    {"st", "array [S] of T", {{"st[%S]", RM_T}}},
};

enum { RM_ALWAYS = 4, RM_FIRST_T = 14, RM_VARIABLES = sizeof rm_variables / sizeof *rm_variables };

static void rm_bool(struct rm *g, uint32_t depth);
static void rm_stmts(struct rm *g, uint32_t depth);

/* ---- Drawing and writing --------------------------------------------------------------------- */

static uint32_t rm_below(struct rm *g, uint32_t n) {
  return (uint32_t)clew_random_below(&g->random, n);
}

static bool rm_chance(struct rm *g, uint32_t percent) {
  return rm_below(g, 100) < percent;
}

static void rm_put(struct rm *g, const char *text) {
  clew_text_put(g->out, text);
}

static const char *rm_one_of(struct rm *g, const char *const *list, uint32_t count) {
  return list[rm_below(g, count)];
}

#define RM_ONE_OF(g, ...)                                                                          \
  rm_one_of(g, (const char *const[]){__VA_ARGS__},                                                 \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Brings a new name into scope; the caller takes it out again. */
static const char *rm_bind(struct rm *g, enum rm_type type) {
  struct rm_bound *bound = &g->scope[g->scope_count++];
  bound->name[0] = "xyzwvk"[g->names % 6];
  bound->name[1] = (char)('0' + g->names / 6 % 10);
  bound->name[2] = '\0';
  bound->type = type;
  g->names++;
  return bound->name;
}

/* A name of this type in scope, or NULL; the last ones are likelier. */
static const char *rm_bound_name(struct rm *g, enum rm_type type) {
  const char *found = NULL;
  for (uint32_t i = 0; i < g->scope_count; i++) {
    if (g->scope[i].type == type && (found == NULL || rm_chance(g, 60))) {
      found = g->scope[i].name;
    }
  }
  return found;
}

static bool rm_declared(const struct rm *g, const char *name) {
  for (uint32_t i = 0; i < RM_VARIABLES; i++) {
    if (strcmp(rm_variables[i].name, name) == 0) {
      return (g->variables >> i & 1) != 0;
    }
  }
  return false;
}

/* ---- Places and values ----------------------------------------------------------------------- */

static void rm_value(struct rm *g, enum rm_type type, uint32_t depth);

static void rm_expand(struct rm *g, const char *pattern, uint32_t depth) {
  for (; *pattern != '\0'; pattern++) {
    if (*pattern != '%') {
      clew_text_char(g->out, *pattern);
      continue;
    }
    pattern++;
    rm_value(g, *pattern == 'S' ? RM_S : *pattern == 'T' ? RM_T : RM_U, depth);
  }
}

/* A place of this type in a declared variable; false (and nothing) when there is none. */
static bool rm_place(struct rm *g, enum rm_type type, uint32_t depth) {
  const char *found[3 * RM_VARIABLES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < RM_VARIABLES; i++) {
    for (uint32_t j = 0; j < 6 && rm_variables[i].places[j].text != NULL; j++) {
      if ((g->variables >> i & 1) != 0 && rm_variables[i].places[j].type == type &&
          (depth > 0 || strchr(rm_variables[i].places[j].text, '%') == NULL)) {
        found[count++] = rm_variables[i].places[j].text;
      }
    }
  }
  const char *local = type == RM_BOOL ? "lb" : type == RM_NUM ? "ln" : type == RM_S ? "ls" : NULL;
  if (g->locals && local != NULL && (count == 0 || rm_chance(g, 25))) {
    rm_put(g, local);
    return true;
  }
  if (count > 0) {
    rm_expand(g, found[rm_below(g, count)], depth - (depth > 0));
  }
  return count > 0;
}

/* A place in an element whose position is in scope; false when there is none. */
static bool rm_element(struct rm *g, enum rm_type type) {
  const char *s = rm_bound_name(g, RM_BAG_S), *r = rm_bound_name(g, RM_BAG_R);
  const char *n = rm_bound_name(g, RM_BAG_N);
  if (s != NULL && type == RM_S) {
    clew_text_printf(g->out, "bs[%s]", s);
  } else if (n != NULL && type == RM_NUM) {
    clew_text_printf(g->out, "bn[%s]", n);
  } else if (r != NULL && (type == RM_S || type == RM_NUM || type == RM_BOOL)) {
    clew_text_printf(g->out, "br[%s].%s", r, type == RM_S ? "p" : type == RM_NUM ? "q" : "f");
  } else {
    return false;
  }
  return true;
}

static void rm_simple_num(struct rm *g, uint32_t depth) {
  const char *name = rm_bound_name(g, RM_NUM);
  if (rm_chance(g, 30) && rm_element(g, RM_NUM)) {
    return;
  }
  if (name != NULL && rm_chance(g, 60)) {
    rm_put(g, name);
  } else if (rm_chance(g, 30) || !rm_place(g, RM_NUM, depth)) {
    clew_text_printf(g->out, "%u", rm_below(g, 3));
  }
}

static void rm_num(struct rm *g, uint32_t depth) {
  uint32_t kind = depth == 0 ? 0 : rm_below(g, 8);
  if (kind < 5) {
    rm_simple_num(g, depth);
  } else if (kind == 5) {
    rm_put(g, "(");
    rm_num(g, depth - 1);
    rm_put(g, g->tame ? " % 2 + " : RM_ONE_OF(g, " + ", " - ", " * ", " / ", " % "));
    if (g->tame) {
      clew_text_printf(g->out, "%u", rm_below(g, 2));
    } else {
      rm_num(g, depth - 1);
    }
    rm_put(g, ")");
  } else if (kind == 6 && g->functions && !g->tame) {
    rm_put(g, "g0(");
    rm_value(g, RM_S, 0);
    rm_put(g, ")");
  } else {
    rm_put(g, "(");
    rm_bool(g, depth - 1);
    rm_put(g, " ? ");
    rm_num(g, depth - 1);
    rm_put(g, " : ");
    rm_num(g, depth - 1);
    rm_put(g, ")");
  }
}

static void rm_value(struct rm *g, enum rm_type type, uint32_t depth) {
  if (type == RM_BOOL) {
    rm_bool(g, depth);
  } else if (type == RM_NUM) {
    rm_num(g, depth);
  } else if (type == RM_U && rm_chance(g, 60)) {
    rm_put(g, RM_ONE_OF(g, "e0", "e1"));
  } else if (type == RM_U && rm_chance(g, 50) && rm_declared(g, "uv")) {
    rm_put(g, "uv");
  } else {
    type = type == RM_U ? RM_S : type;
    const char *name = rm_bound_name(g, type);
    if (rm_chance(g, 30) && rm_element(g, type)) {
      return;
    }
    if (name != NULL && rm_chance(g, 75)) {
      rm_put(g, name);
    } else if (!rm_place(g, type, depth)) {
      rm_put(g, type == RM_T ? "tv" : "sv");
    }
  }
}

/* ---- Conditions ------------------------------------------------------------------------------ */

static enum rm_type rm_set(struct rm *g) {
  uint32_t kind = rm_below(g, 10);
  return kind < 6 || (kind < 8 && !g->two) ? RM_S : kind < 8 ? RM_T : RM_U;
}

static const char *rm_type_name(enum rm_type type) {
  return type == RM_S ? "S" : type == RM_T ? "T" : type == RM_U ? "U" : "0..2";
}

static void rm_quantifier(struct rm *g, uint32_t depth) {
  bool range = rm_chance(g, 10);
  enum rm_type type = range ? RM_NUM : rm_set(g);
  const char *op = RM_ONE_OF(g, "exists", "forall");
  const char *name = rm_bind(g, type == RM_U ? RM_U : type);
  clew_text_printf(g->out, "%s %s: %s do ", op, name, rm_type_name(type));
  if (type == RM_U) {
    clew_text_printf(g->out, "%s = ", name);
    rm_value(g, RM_U, depth - 1);
    rm_put(g, RM_ONE_OF(g, " & ", " | "));
  }
  rm_bool(g, depth - 1);
  rm_put(g, " end");
  g->scope_count--;
}

static bool rm_bag(struct rm *g, enum rm_type *type, const char **name) {
  static const char *const names[] = {"bs", "br", "bn"};
  uint32_t at = rm_below(g, 3);
  for (uint32_t i = 0; i < 3; i++, at = (at + 1) % 3) {
    if (rm_declared(g, names[at])) {
      *type = at == 0 ? RM_BAG_S : at == 1 ? RM_BAG_R : RM_BAG_N;
      *name = names[at];
      return true;
    }
  }
  return false;
}

static bool rm_count(struct rm *g, uint32_t depth) {
  enum rm_type type;
  const char *bag;
  if (!rm_bag(g, &type, &bag)) {
    return false;
  }
  const char *name = rm_bind(g, type);
  clew_text_printf(g->out, "multisetcount(%s: %s, ", name, bag);
  if (rm_chance(g, 25)) {
    rm_put(g, "true");
  } else {
    rm_bool(g, depth - 1);
  }
  clew_text_printf(g->out, ") %s %u", RM_ONE_OF(g, "=", ">", "<="), rm_below(g, 2));
  g->scope_count--;
  return true;
}

static void rm_comparison(struct rm *g, uint32_t depth) {
  enum rm_type type = rm_chance(g, 30) ? RM_NUM : rm_set(g);
  if (type == RM_U && rm_declared(g, "uv") && rm_chance(g, 30)) {
    rm_put(g, "ismember(uv, S)");
    return;
  }
  if (type == RM_U && rm_declared(g, "uv")) {
    rm_put(g, "uv");
  } else {
    type = type == RM_U ? RM_S : type;
    rm_value(g, type, depth);
  }
  rm_put(g, type == RM_NUM ? RM_ONE_OF(g, " = ", " < ", " >= ") : RM_ONE_OF(g, " = ", " != "));
  rm_value(g, type, depth);
}

/* Something about the value that is bound last; false when there is none. */
static bool rm_about(struct rm *g) {
  if (g->scope_count == 0 || !rm_chance(g, 50)) {
    return false;
  }
  const struct rm_bound *last = &g->scope[g->scope_count - 1];
  if (last->type == RM_S) {
    clew_text_printf(g->out, rm_chance(g, 70) ? "as[%s]" : "sv = %s", last->name);
  } else if (last->type == RM_T && rm_declared(g, "ta")) {
    clew_text_printf(g->out, "ta[%s]", last->name);
  } else {
    return last->type >= RM_BAG_S && rm_element(g, RM_BOOL);
  }
  return true;
}

static void rm_leaf(struct rm *g, uint32_t depth) {
  uint32_t kind = rm_below(g, 10);
  if (rm_about(g)) {
    return;
  }
  if (kind < 5 && rm_chance(g, 40) && rm_element(g, RM_BOOL)) {
    return;
  }
  if (kind < 5 && rm_place(g, RM_BOOL, depth)) {
    return;
  }
  if (kind == 5) {
    rm_put(g, RM_ONE_OF(g, "true", "false"));
    return;
  }
  if (kind == 6) {
    rm_put(g, "isundefined(");
    if (!rm_place(g, RM_ONE_OF(g, "S", "N")[0] == 'S' ? RM_S : RM_NUM, depth)) {
      rm_put(g, "sv");
    }
    rm_put(g, ")");
    return;
  }
  rm_comparison(g, depth);
}

static void rm_bool(struct rm *g, uint32_t depth) {
  uint32_t kind = depth == 0 || g->scope_count > RM_SCOPE - 4 ? 9 : rm_below(g, 10);
  rm_put(g, "(");
  switch (kind) {
  case 0:
  case 1:
  case 2:
    rm_quantifier(g, depth);
    break;
  case 3:
  case 4:
    rm_bool(g, depth - 1);
    rm_put(g, RM_ONE_OF(g, " & ", " | ", " -> "));
    rm_bool(g, depth - 1);
    break;
  case 5:
    rm_put(g, "!");
    rm_bool(g, depth - 1);
    break;
  case 6:
    if (g->functions) {
      rm_put(g, RM_ONE_OF(g, "f0(", "f1("));
      rm_value(g, RM_S, 0);
      rm_put(g, ")");
    } else {
      rm_leaf(g, depth);
    }
    break;
  case 7:
    if (!rm_count(g, depth)) {
      rm_leaf(g, depth);
    }
    break;
  default:
    rm_leaf(g, depth);
  }
  rm_put(g, ")");
}

/* ---- Statements ------------------------------------------------------------------------------ */

/* Of any type: reads whatever is in scope. */
static void rm_assign(struct rm *g, uint32_t depth) {
  static const enum rm_type types[] = {RM_BOOL, RM_BOOL, RM_NUM, RM_NUM, RM_S, RM_S, RM_U, RM_T};
  enum rm_type type = types[rm_below(g, g->two ? 8 : 7)];
  if (!rm_place(g, type, 1)) {
    type = RM_BOOL;
    rm_put(g, "b0");
  }
  rm_put(g, " := ");
  if (!g->tame && rm_chance(g, 8)) {
    rm_put(g, "undefined");
  } else {
    rm_value(g, type, depth);
  }
  rm_put(g, ";\n");
}

/* In a loop over S or T: a place of the iteration's own. */
static void rm_own_assign(struct rm *g, const char *name, enum rm_type type, uint32_t depth) {
  static const struct {
    const char *variable, *pattern;
    enum rm_type index, type;
  } own[] = {{"as", "as[%s]", RM_S, RM_BOOL},   {"an", "an[%s]", RM_S, RM_NUM},
             {"ap", "ap[%s]", RM_S, RM_S},      {"ar", "ar[%s].q", RM_S, RM_NUM},
             {"ar", "ar[%s].f", RM_S, RM_BOOL}, {"st", "st[%s]", RM_S, RM_T},
             {"ta", "ta[%s]", RM_T, RM_BOOL},   {"tn", "tn[%s]", RM_T, RM_S},
             {"au", "au[%s]", RM_U, RM_BOOL}};
  uint32_t count = sizeof own / sizeof *own, at = rm_below(g, count);
  for (uint32_t i = 0; i < count; i++, at = (at + 1) % count) {
    if (own[at].index == type && rm_declared(g, own[at].variable)) {
      char place[32];
      strcpy(place, own[at].pattern);
      *strchr(place, '%') = '\0';
      clew_text_printf(g->out, "%s%s%s := ", place, name, strchr(own[at].pattern, '%') + 2);
      if (!g->tame && rm_chance(g, 10)) {
        rm_put(g, "undefined");
      } else if (own[at].type == RM_BOOL && rm_chance(g, 50)) {
        clew_text_printf(g->out, "!%s%s%s", place, name, strchr(own[at].pattern, '%') + 2);
      } else {
        rm_value(g, own[at].type, rm_chance(g, 70) ? 0 : depth);
      }
      rm_put(g, ";\n");
      return;
    }
  }
}

/* Brings something of each iteration into one variable. */
static void rm_accumulate(struct rm *g, uint32_t depth) {
  if (g->tame) {
    rm_put(g, rm_chance(g, 50) ? "b0 := b0 | " : "b0 := b0 & ");
    rm_bool(g, depth);
    rm_put(g, ";\n");
    return;
  }
  switch (rm_below(g, 9)) {
  case 8:
    rm_put(g, "acc(");
    rm_value(g, RM_S, 0);
    rm_put(g, ");\n");
    return;
  case 0:
    rm_put(g, "n := n + (");
    rm_bool(g, depth);
    rm_put(g, " ? 1 : 0);\n");
    return;
  case 1:
    rm_put(g, rm_chance(g, 50) ? "b0 := b0 | " : "b0 := b0 & ");
    rm_bool(g, depth);
    rm_put(g, ";\n");
    return;
  case 2:
    rm_put(g, "b0 := ");
    rm_bool(g, depth);
    rm_put(g, " | b0;\n");
    return;
  case 3: {
    const char *name = rm_declared(g, "an") ? rm_bound_name(g, RM_S) : NULL;
    if (name != NULL) {
      clew_text_printf(g->out, "if an[%s] %s n then n := an[%s]; end;\n", name,
                       RM_ONE_OF(g, "<", ">"), name);
    } else {
      rm_put(g, "b0 := true;\n");
    }
    return;
  }
  case 4:
    rm_put(g, "if !b0 & ");
    rm_bool(g, depth);
    rm_put(g, " then b0 := true; end;\n");
    return;
  case 5:
    rm_put(g, "if ");
    rm_bool(g, depth);
    rm_put(g, " then b0 := false; end;\n");
    return;
  case 6:
    rm_put(g, "if isundefined(n) & ");
    rm_bool(g, depth);
    clew_text_printf(g->out, " then n := %u; end;\n", rm_below(g, 3));
    return;
  default:
    rm_put(g, "if ");
    rm_bool(g, depth);
    rm_put(g, " then n := 1 + n; end;\n");
  }
}

static bool rm_bag_stmt(struct rm *g, uint32_t depth, bool in_loop) {
  enum rm_type type;
  const char *bag;
  if (!rm_bag(g, &type, &bag)) {
    return false;
  }
  if (g->tame && !in_loop) {
    clew_text_printf(g->out, "if multisetcount(j: %s, true) < 2 then ", bag);
    if (type == RM_BAG_R) {
      rm_put(g, "b0 := true;");
    } else {
      rm_put(g, "multisetadd(");
      rm_value(g, type == RM_BAG_S ? RM_S : RM_NUM, 0);
      clew_text_printf(g->out, ", %s);", bag);
    }
    rm_put(g, " end;\n");
    return true;
  }
  const char *position = rm_bound_name(g, type);
  uint32_t kind = in_loop && rm_chance(g, 90) ? 0 : rm_below(g, 5);
  if (kind == 4 && position != NULL) { /* the position is used again */
    clew_text_printf(g->out, "multisetremove(%s, %s);\n", position, bag);
    rm_bag_stmt(g, 0, false);
    rm_put(g, "if ");
    rm_bool(g, 0);
    rm_put(g, " then b0 := true; end;\n");
  } else if (kind == 1 && position != NULL) {
    clew_text_printf(g->out, "multisetremove(%s, %s);\n", position, bag);
  } else if (kind == 2) {
    const char *name = rm_bind(g, type);
    clew_text_printf(g->out, "multisetremovepred(%s: %s, ", name, bag);
    if (rm_chance(g, 30)) {
      clew_text_printf(g->out, "multisetcount(j: %s, true) > 1", bag);
    } else {
      rm_bool(g, depth);
    }
    rm_put(g, ");\n");
    g->scope_count--;
  } else if (kind == 3 && rm_chance(g, 40)) {
    clew_text_printf(g->out, "undefine %s;\n", bag);
  } else if (type != RM_BAG_R || rm_declared(g, "r")) {
    rm_put(g, "multisetadd(");
    if (type == RM_BAG_R) {
      rm_put(g, "r");
    } else {
      rm_value(g, type == RM_BAG_S ? RM_S : RM_NUM, 0);
    }
    clew_text_printf(g->out, ", %s);\n", bag);
  }
  return true;
}

static void rm_claim(struct rm *g, uint32_t depth, bool in_loop) {
  uint32_t kind = rm_below(g, 8);
  if (g->tame && kind != 1) {
    rm_put(g, "assert n < 4 | ");
    rm_bool(g, depth);
    rm_put(g, ";\n");
  } else if (kind == 0) {
    rm_put(g, "if ");
    rm_bool(g, depth);
    rm_put(g, " then error \"met\"; end;\n");
  } else if ((kind == 1 && !in_loop) || (in_loop && g->wild && rm_chance(g, 30))) {
    rm_put(g, "assume ");
    rm_bool(g, depth);
    rm_put(g, ";\n");
  } else if (kind == 2) {
    rm_put(g, "cover ");
    rm_bool(g, depth);
    rm_put(g, ";\n");
  } else {
    rm_put(g, "assert ");
    rm_bool(g, depth);
    rm_put(g, " -> ");
    rm_bool(g, depth);
    rm_put(g, " \"claim\";\n");
  }
}

/* What a loop over a scalarset may do in any order, unless the model is wild. */
static void rm_loop_body(struct rm *g, const char *name, enum rm_type type, uint32_t depth) {
  uint32_t kind = rm_below(g, g->wild ? 9 : 7);
  switch (kind) {
  case 0:
  case 1:
    rm_own_assign(g, name, type, depth);
    return;
  case 2:
  case 3:
    rm_accumulate(g, depth);
    return;
  case 4:
    rm_bag_stmt(g, depth, true);
    return;
  case 5:
    rm_claim(g, depth, true);
    return;
  case 6:
    rm_put(g, "if ");
    rm_bool(g, depth);
    rm_put(g, " then\n");
    rm_own_assign(g, name, type, 0);
    rm_put(g, "end;\n");
    return;
  default:
    rm_assign(g, depth);
  }
}

static void rm_loop(struct rm *g, uint32_t depth) {
  enum rm_type type = rm_set(g);
  const char *name = rm_bind(g, type);
  clew_text_printf(g->out, "for %s: %s do\n", name, rm_type_name(type));
  rm_loop_body(g, name, type, depth);
  if (rm_chance(g, 20)) {
    rm_loop_body(g, name, type, 0);
  }
  rm_put(g, "end;\n");
  g->scope_count--;
}

static void rm_switch(struct rm *g, uint32_t depth) {
  rm_put(g, "switch sv\ncase ");
  rm_value(g, RM_S, 0);
  rm_put(g, ":\n");
  rm_assign(g, 0);
  rm_put(g, "else\n");
  rm_stmts(g, depth);
  rm_put(g, "end;\n");
}

static void rm_branch(struct rm *g, uint32_t depth) {
  rm_put(g, "if ");
  rm_bool(g, depth);
  rm_put(g, " then\n");
  rm_stmts(g, depth);
  if (rm_chance(g, 40)) {
    rm_put(g, "elsif ");
    rm_bool(g, 0);
    rm_put(g, " then\n");
    rm_assign(g, 0);
  }
  if (rm_chance(g, 40)) {
    rm_put(g, "else\n");
    rm_stmts(g, depth);
  }
  rm_put(g, "end;\n");
}

static void rm_rare_stmt(struct rm *g, uint32_t depth) {
  switch (rm_below(g, 9)) {
  case 8:
    rm_accumulate(g, depth);
    return;
  case 0:
    rm_put(g, "while n < 2 do\nn := n + 1;\n");
    rm_assign(g, 0);
    rm_put(g, "end;\n");
    return;
  case 1:
    rm_put(g, "alias al: ");
    rm_put(g, rm_declared(g, "as") ? "as[sv]" : "b0");
    rm_put(g, " do\nal := ");
    rm_bool(g, depth);
    rm_put(g, ";\n");
    rm_assign(g, 0);
    rm_put(g, "end;\n");
    return;
  case 2:
    clew_text_printf(g->out, "%s;\n",
                     g->tame ? "n := 1" : RM_ONE_OF(g, "undefine sv", "undefine b0", "undefine n"));
    return;
  case 3:
    clew_text_printf(g->out, "clear %s;\n", g->wild ? RM_ONE_OF(g, "sv", "n") : "n");
    return;
  case 4:
    rm_put(g, "p0(b0, ");
    rm_value(g, RM_S, 1);
    rm_put(g, ");\n");
    return;
  case 5:
    rm_put(g, "put \"text\";\nb0 := rec(2);\n");
    return;
  case 6:
    rm_put(g, "if ");
    rm_bool(g, depth);
    rm_put(g, " then return; end;\n");
    return;
  default:
    rm_put(g, "for x: S do if ");
    g->scope[g->scope_count++] = (struct rm_bound){"x", RM_S};
    rm_bool(g, depth);
    g->scope_count--;
    rm_put(g, " then return; end; end;\n");
  }
}

static void rm_stmt(struct rm *g, uint32_t depth) {
  uint32_t kind = depth == 0 || g->scope_count > RM_SCOPE - 4 ? rm_below(g, 4) : rm_below(g, 14);
  if (kind < 4) {
    rm_assign(g, depth);
  } else if (kind < 7) {
    rm_loop(g, depth - 1);
  } else if (kind == 7) {
    rm_branch(g, depth - 1);
  } else if (kind == 8) {
    rm_switch(g, depth - 1);
  } else if (kind == 9) {
    rm_claim(g, depth - 1, false);
  } else if (kind < 12) {
    if (!rm_bag_stmt(g, depth - 1, false)) {
      rm_assign(g, depth);
    }
  } else {
    rm_rare_stmt(g, depth - 1);
  }
}

static void rm_stmts(struct rm *g, uint32_t depth) {
  for (uint32_t count = 1 + rm_below(g, 2); count > 0; count--) {
    rm_stmt(g, depth);
  }
}

/* ---- Declarations ---------------------------------------------------------------------------- */

static void rm_types(struct rm *g) {
  clew_text_printf(g->out, "type\nS: scalarset(%u);\n", 2 + rm_below(g, 2));
  if (g->two) {
    clew_text_printf(g->out, "T: scalarset(%u);\n", 2 + rm_chance(g, 25));
  }
  rm_put(g, "E: enum {e0, e1};\n");
  rm_put(g, g->two && rm_chance(g, 30) ? "U: union {S, E, T};\n" : "U: union {S, E};\n");
  rm_put(g, "R: record p: S; q: 0..2; f: boolean; u: U; end;\nvar\n");
  for (uint32_t i = 0; i < RM_VARIABLES; i++) {
    if ((g->variables >> i & 1) != 0) {
      clew_text_printf(g->out, "%s: %s;\n", rm_variables[i].name, rm_variables[i].type);
    }
  }
}

/* f0 and f1 answer a question, in different ways; g0 counts; rec calls itself; p0 writes. */
static void rm_function(struct rm *g, const char *name) {
  clew_text_printf(g->out, "function %s(q: S): boolean;\nvar lv: boolean;\nbegin\n", name);
  g->scope[g->scope_count++] = (struct rm_bound){"q", RM_S};
  enum rm_type type = g->two && rm_chance(g, 30) ? RM_T : RM_S;
  const char *value = RM_ONE_OF(g, "true", "false");
  g->scope[g->scope_count++] = (struct rm_bound){"s", type};
  if (rm_chance(g, 70)) {
    clew_text_printf(g->out, "for s: %s do\nif ", rm_type_name(type));
    rm_bool(g, 1);
    clew_text_printf(g->out, " then return %s; end;\n", value);
    if (rm_chance(g, 30)) {
      rm_put(g, "lv := ");
      rm_bool(g, 0);
      rm_put(g, ";\nif lv then return ");
      rm_put(g, g->wild ? "!lv" : value);
      rm_put(g, "; end;\n");
    }
    if (rm_chance(g, 20)) {
      rm_put(g, "cover ");
      rm_bool(g, 0);
      rm_put(g, ";\n");
    }
    rm_put(g, "end;\n");
  } else {
    rm_put(g, "lv := false;\n");
    clew_text_printf(g->out, "for s: %s do lv := lv | ", rm_type_name(type));
    rm_bool(g, 1);
    rm_put(g, "; end;\nif lv then return true; end;\n");
  }
  g->scope_count--;
  rm_put(g, "return ");
  rm_bool(g, 1);
  rm_put(g, ";\nend;\n");
  g->scope_count--;
}

static void rm_functions(struct rm *g) {
  g->pure = true;
  rm_function(g, "f0");
  rm_function(g, "f1");
  g->scope[g->scope_count++] = (struct rm_bound){"q", RM_S};
  rm_put(g, "function g0(q: S): 0..3;\nvar lc: 0..3;\nbegin\nlc := 0;\nfor s: S do if s != q & ");
  g->scope[g->scope_count++] = (struct rm_bound){"s", RM_S};
  rm_bool(g, 1);
  g->scope_count--;
  rm_put(g, " then lc := lc + 1; end; end;\nreturn lc;\nend;\n");
  g->scope_count--;
  rm_put(g, "function rec(k: 0..2): boolean;\nbegin\nif k = 0 then return ");
  rm_bool(g, 1);
  rm_put(g, "; end;\nreturn rec(k - 1) & ");
  rm_bool(g, 1);
  rm_put(g, ";\nend;\n");
  g->pure = false;
  g->scope[g->scope_count++] = (struct rm_bound){"q", RM_S};
  rm_put(g, "procedure p0(var w: boolean; q: S);\nbegin\nw := ");
  rm_bool(g, 1);
  rm_put(g, ";\n");
  rm_assign(g, 1);
  rm_put(g, "end;\nprocedure acc(q: S);\nbegin\nb0 := b0 | ");
  rm_bool(g, 0);
  rm_put(g, ";\nend;\n");
  g->scope_count--;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void rm_start(struct rm *g) {
  bool any = g->tame || rm_chance(g, 80);
  const char *around = !any ? "" : g->two ? "ruleset z: S; t: T do " : "ruleset z: S do ";
  clew_text_printf(g->out, "%sstartstate\n", around);
  if (g->tame || rm_chance(g, 97)) {
    rm_put(g, "b0 := false; n := 0;\n");
  }
  rm_put(g, !any ? "" : g->two ? "sv := z; tv := t;\n" : "sv := z;\n");
  static const char *const resets[][2] = {
      {"as", "for s: S do as[s] := false; end;\n"},
      {"an", "for s: S do an[s] := 0; end;\n"},
      {"ap", "for s: S do ap[s] := s; end;\n"},
      {"uv", "uv := e0;\n"},
      {"r", "r.q := 0; r.f := true; r.u := e1; r.p := sv;\n"},
      {"ar", "for s: S do ar[s].p := s; ar[s].q := 1; ar[s].f := false; end;\n"},
      {"ss", "for s: S; t: S do ss[s][t] := s = t; end;\n"},
      {"au", "for u: U do au[u] := true; end;\n"},
      {"ta", "for t: T do ta[t] := true; end;\n"},
      {"tn", "for t: T do tn[t] := sv; end;\n"},
      {"st", "for s: S do st[s] := tv; end;\n"},
      {"bs", "multisetadd(sv, bs);\n"}};
  for (uint32_t i = 0; i < sizeof resets / sizeof *resets; i++) {
    if (rm_declared(g, resets[i][0]) && (g->tame || rm_chance(g, i == 11 ? 40 : 60))) {
      rm_put(g, resets[i][1]);
    }
  }
  rm_put(g, any ? "end; end;\n" : "end;\n");
}

/* What is around a rule; returns the number of `end`s. */
static uint32_t rm_surroundings(struct rm *g) {
  uint32_t ends = 0;
  enum rm_type type;
  const char *bag;
  while (ends < 2 && rm_chance(g, 60)) {
    if (rm_chance(g, 35) && rm_bag(g, &type, &bag)) {
      clew_text_printf(g->out, "choose %s: %s do\n", rm_bind(g, type), bag);
      if (ends == 0 && rm_chance(g, 40)) {
        clew_text_printf(g->out, "choose %s: %s do\n", rm_bind(g, type), bag);
        ends++;
      }
    } else {
      type = rm_set(g);
      clew_text_printf(g->out, "ruleset %s: %s do\n", rm_bind(g, type), rm_type_name(type));
    }
    ends++;
  }
  return ends;
}

static void rm_rule(struct rm *g, uint32_t number) {
  uint32_t scope = g->scope_count, ends = rm_surroundings(g);
  rm_put(g, "rule ");
  if (rm_chance(g, 10)) {
    clew_text_printf(g->out, "%u ", rm_below(g, 2));
  }
  clew_text_printf(g->out, "\"r%u\" ", number);
  if (rm_chance(g, 40)) {
    rm_put(g, "true");
  } else {
    rm_bool(g, rm_below(g, 3));
  }
  rm_put(g, " ==>\n");
  if (rm_chance(g, 30)) {
    rm_put(g, "var lb: boolean; ln: 0..2; ls: S;\nbegin\nlb := true; ln := 1; ls := sv;\n");
    g->locals = true;
  } else {
    rm_put(g, "begin\n");
  }
  rm_stmts(g, 1 + rm_below(g, 3));
  g->locals = false;
  for (uint32_t i = 0; i <= ends; i++) {
    rm_put(g, "end;\n");
  }
  g->scope_count = scope;
}

/* Rules whose parts would rarely meet by chance. %: a condition. */
static const struct {
  const char *variable, *text;
  bool wild; /* depends on an order */
} rm_specials[] = {
    {"bs",
     "choose i: bs do choose j: bs do rule bs[i] = sv & i != j ==>\nmultisetremove(i, bs);\n"
     "multisetremove(j, bs);\nmultisetadd(sv, bs);\nb0 := bs[i] = sv;\nend; end; end;\n",
     true},
    {"bs", "rule % ==>\nmultisetremovepred(i: bs, multisetcount(j: bs, bs[j] != sv) > 0);\nend;\n",
     true},
    {"bs", "rule % ==>\nmultisetremovepred(i: bs, multisetcount(j: bs, true) > 1);\nend;\n", true},
    {"bs", "rule % ==>\nfor s: S do multisetremovepred(i: bs, bs[i] != s & as[s]); end;\nend;\n",
     true},
    {"bs", "ruleset s: S do rule % ==>\nmultisetadd(s, bs);\nend; end;\n", false},
    {"bs", "choose i: bs do invariant as[bs[i]] | %; end;\n", false},
    {"bs",
     "choose i: bs do rule % ==>\nas[bs[i]] := !as[bs[i]];\nmultisetremove(i, bs);\nend; end;\n",
     false},
    {"br",
     "ruleset s: S do rule % ==>\nvar e: R; begin\ne.p := s; if % then e.f := true; end;\n"
     "multisetadd(e, br);\nend; end;\n",
     false},
    {"br", "rule % ==>\nfor s: S do multisetremovepred(i: br, br[i].p = s & br[i].f); end;\nend;\n",
     true},
    {"br", "choose i: br do invariant br[i].f | %; end;\n", false},
    {"as", "rule % ==>\nfor s: S do if as[s] then assume false; end; assert s != sv; end;\nend;\n",
     true},
    {"as", "rule % ==>\nfor s: S do b0 := b0 | as[s]; end;\nend;\n", false},
    {"as", "rule % ==>\nfor s: S do if !b0 & as[s] then b0 := true; end; end;\nend;\n", false},
    {"as", "ruleset s: S do rule % ==>\nas[s] := %;\nend; end;\n", false},
    {"as", "ruleset s: S do rule % ==>\nundefine as[s];\nend; end;\n", false},
    {"as", "ruleset s: S do invariant as[s] -> %; end;\n", false},
    {"as", "rule f0(sv) ==>\nb0 := !b0;\nend;\n", false},
};

static void rm_special(struct rm *g) {
  uint32_t count = sizeof rm_specials / sizeof *rm_specials, at = rm_below(g, count);
  while (!rm_declared(g, rm_specials[at].variable) || (rm_specials[at].wild && !g->wild)) {
    at = (at + 1) % count;
  }
  for (const char *text = rm_specials[at].text; *text != '\0'; text++) {
    if (*text == '%') {
      rm_bool(g, rm_chance(g, 70) ? 0 : 1);
    } else {
      clew_text_char(g->out, *text);
    }
  }
}

static void rm_property(struct rm *g, uint32_t number) {
  uint32_t scope = g->scope_count, ends = rm_chance(g, 40) ? rm_surroundings(g) : 0;
  uint32_t kind = rm_below(g, 10);
  clew_text_printf(g->out, "%s \"p%u\" ",
                   g->tame || kind < 7 ? "invariant"
                   : kind < 8          ? "cover"
                                       : "assert",
                   number);
  rm_put(g, g->tame ? "n < 4 | " : "");
  rm_bool(g, 2);
  rm_put(g, kind < 7 ? " -> " : " | ");
  rm_bool(g, 1);
  rm_put(g, ";\n");
  for (uint32_t i = 0; i < ends; i++) {
    rm_put(g, "end;\n");
  }
  g->scope_count = scope;
}

static void random_murphi(struct clew_text *out, uint64_t seed) {
  struct rm g = {.out = out};
  clew_random_seed(&g.random, seed);
  g.two = rm_chance(&g, 40);
  g.wild = rm_chance(&g, 25);
  g.tame = rm_chance(&g, 40);
  g.variables = (1U << RM_ALWAYS) - 1;
  for (uint32_t i = 2 + rm_below(&g, 3); i > 0; i--) {
    g.variables |= 1U << (RM_ALWAYS + rm_below(&g, RM_FIRST_T - RM_ALWAYS));
  }
  if (g.two) {
    g.variables |= 1U << RM_FIRST_T | 1U << (RM_FIRST_T + rm_below(&g, RM_VARIABLES - RM_FIRST_T));
  }
  rm_types(&g);
  rm_functions(&g);
  g.functions = true;
  rm_start(&g);
  for (uint32_t i = 0, count = 2 + rm_below(&g, 6); i < count; i++) {
    rm_rule(&g, i);
    if (!g.tame && rm_chance(&g, 40)) {
      rm_special(&g);
    }
  }
  if (g.tame) {
    rm_put(&g, "rule \"toggle\" b0 := !b0; end;\n");
  }
  for (uint32_t i = 0, count = rm_below(&g, g.tame ? 2 : 3); i < count; i++) {
    rm_property(&g, i);
  }
}

#endif
