/* Random DVE models, for comparing searches of the same model:
 *
 *   struct clew_text text = {0};
 *   random_dve(&text, seed);
 *
 * Every construct of the language occurs, and everything that can go wrong when a model runs:
 * values out of their types, bad indices, divisions by zero, two partners that write one variable.
 * Most values stay small, so that most models have few states. Most models are accepted. */
#ifndef CLEW_TESTS_RANDOM_DVE_H
#define CLEW_TESTS_RANDOM_DVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"

enum { RD_GLOBALS = 4, RD_LOCALS = 3, RD_CHANNELS = 4, RD_PROCESSES = 4, RD_STATES = 4 };

struct rd_variable {
  char name[8];
  uint32_t size; /* of an array; 0: a scalar */
  bool is_const;
};

struct rd_channel {
  uint32_t arity;
  bool is_buffer;
};

struct rd {
  struct clew_random random;
  struct clew_text *out;
  struct rd_variable variables[RD_GLOBALS + RD_LOCALS]; /* in scope: the global ones first */
  uint32_t global_count, variable_count;
  struct rd_channel channels[RD_CHANNELS];
  uint32_t channel_count;
  uint32_t process_count;
  uint32_t state_counts[RD_PROCESSES];
  bool is_synchronous;
};

static inline uint32_t rd_below(struct rd *g, uint32_t n) {
  return (uint32_t)clew_random_below(&g->random, n);
}

static inline bool rd_chance(struct rd *g, uint32_t percent) {
  return rd_below(g, 100) < percent;
}

/* ---- Expressions ---- */

static inline void rd_expr(struct rd *g, uint32_t depth);

static inline void rd_number(struct rd *g) {
  static const char *const rare[] = {"255", "256", "127", "32767", "32768", "65535", "2147483647"};
  if (rd_chance(g, 6)) {
    clew_text_put(g->out, rare[rd_below(g, sizeof rare / sizeof rare[0])]);
  } else {
    clew_text_printf(g->out, "%u", rd_below(g, 4));
  }
}

static inline bool rd_has(const struct rd_variable *v, bool to_write) {
  return !to_write || !v->is_const;
}

/* A variable, one that may be written if `to_write`; NULL: there is none. */
static inline const struct rd_variable *rd_variable(struct rd *g, bool to_write) {
  uint32_t count = 0, chosen = 0;
  for (uint32_t i = 0; i < g->variable_count; i++) {
    if (rd_has(&g->variables[i], to_write) && rd_below(g, ++count) == 0) {
      chosen = i;
    }
  }
  return count > 0 ? &g->variables[chosen] : NULL;
}

/* Its element, where it is an array: mostly one that there is. */
static inline void rd_place(struct rd *g, const struct rd_variable *v, uint32_t depth) {
  clew_text_put(g->out, v->name);
  if (v->size == 0 || rd_chance(g, 8)) {
    return; /* the bare name of an array is its element 0 */
  }
  clew_text_char(g->out, '[');
  if (depth == 0 || rd_chance(g, 50)) {
    clew_text_printf(g->out, "%u", rd_below(g, v->size));
  } else {
    clew_text_char(g->out, '(');
    rd_expr(g, depth - 1);
    clew_text_printf(g->out, rd_chance(g, 85) ? ") %% %u" : ")", v->size);
  }
  clew_text_char(g->out, ']');
}

static inline void rd_in_state(struct rd *g) {
  uint32_t process = rd_below(g, g->process_count);
  clew_text_printf(g->out, "P%u.s%u", process, rd_below(g, g->state_counts[process]));
}

static inline void rd_leaf(struct rd *g) {
  const struct rd_variable *v = rd_variable(g, false);
  uint32_t kind = rd_below(g, 10);
  if (v != NULL && kind < 6) {
    rd_place(g, v, 0);
  } else if (kind < 7) {
    rd_in_state(g);
  } else if (kind < 8 && rd_chance(g, 20)) {
    clew_text_put(g->out, rd_chance(g, 50) ? "true" : "false");
  } else {
    rd_number(g);
  }
}

static inline void rd_binary(struct rd *g, uint32_t depth) {
  static const char *const usual[] = {"+", "-", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
  static const char *const rare[] = {"*", "/", "%", "<<", ">>", "&", "|", "^", "imply", "&&", "||"};
  enum { USUAL = sizeof usual / sizeof usual[0], RARE = sizeof rare / sizeof rare[0] };
  bool braces = rd_chance(g, 80); /* otherwise precedence decides */
  const char *op = rd_chance(g, 75) ? usual[rd_below(g, USUAL)] : rare[rd_below(g, RARE)];
  clew_text_put(g->out, braces ? "(" : "");
  rd_expr(g, depth - 1);
  clew_text_printf(g->out, " %s ", op);
  rd_expr(g, depth - 1);
  clew_text_put(g->out, braces ? ")" : "");
}

static inline void rd_expr(struct rd *g, uint32_t depth) {
  static const char *const prefixes[] = {"not ", "-", "~"};
  const struct rd_variable *v = rd_variable(g, false);
  uint32_t kind = depth == 0 ? 9 : rd_below(g, 10);
  if (kind < 5) {
    rd_binary(g, depth);
  } else if (kind == 5) {
    clew_text_put(g->out, prefixes[rd_below(g, rd_chance(g, 60) ? 1 : 3)]);
    clew_text_char(g->out, '('); /* also where it is not needed: "--" and "-1" mean the same */
    rd_expr(g, depth - 1);
    clew_text_char(g->out, ')');
  } else if (kind == 6 && v != NULL) {
    rd_place(g, v, depth);
  } else {
    rd_leaf(g);
  }
}

/* Something that is often true and often false. */
static inline void rd_condition(struct rd *g) {
  static const char *const compare[] = {"==", "!=", "<", ">", "<="};
  const struct rd_variable *v = rd_variable(g, false);
  if (v == NULL || rd_chance(g, 30)) {
    rd_expr(g, 2);
    return;
  }
  rd_place(g, v, 1);
  clew_text_printf(g->out, " %s %u", compare[rd_below(g, 5)], rd_below(g, 4));
}

/* ---- Declarations ---- */

static inline void rd_initial(struct rd *g, bool is_int) {
  static const char *const edges[] = {"-32768", "-1", "-3", "32766", "32767"};
  if (rd_chance(g, 75)) {
    clew_text_printf(g->out, "%u", rd_below(g, 3));
  } else if (is_int) {
    clew_text_put(g->out, edges[rd_below(g, 5)]);
  } else {
    clew_text_printf(g->out, "%u", 253 + rd_below(g, 3));
  }
}

static inline void rd_declare(struct rd *g, const char *prefix, const char *indent) {
  struct rd_variable *v = &g->variables[g->variable_count];
  bool is_int = rd_chance(g, 35);
  *v = (struct rd_variable){.is_const = rd_chance(g, 12)};
  v->size = rd_chance(g, 30) ? 1 + rd_below(g, 3) : 0;
  struct clew_text name = {0};
  clew_text_printf(&name, "%s%u", prefix, g->variable_count);
  for (size_t i = 0; i < name.len && i + 1 < sizeof v->name; i++) {
    v->name[i] = name.data[i];
  }
  clew_text_free(&name);
  clew_text_printf(g->out, "%s%s%s %s", indent, v->is_const ? "const " : "",
                   is_int ? "int" : "byte", v->name);
  if (v->size > 0) {
    clew_text_printf(g->out, "[%u]", v->size);
  }
  if (v->is_const || rd_chance(g, 50)) {
    clew_text_put(g->out, v->size > 0 ? " = {" : " = ");
    for (uint32_t i = 0; i < (v->size > 0 ? v->size : 1); i++) {
      clew_text_put(g->out, i > 0 ? ", " : "");
      rd_initial(g, is_int);
    }
    clew_text_put(g->out, v->size > 0 ? "}" : "");
  }
  clew_text_put(g->out, ";\n");
  g->variable_count++;
}

static inline void rd_declare_channel(struct rd *g) {
  struct rd_channel *channel = &g->channels[g->channel_count];
  bool is_typed = rd_chance(g, 60);
  uint32_t capacity = is_typed && rd_chance(g, 60) ? 1 + rd_below(g, 2) : 0;
  channel->arity = is_typed ? 1 + rd_below(g, 2) : rd_below(g, 2);
  channel->is_buffer = capacity > 0;
  if (is_typed) {
    clew_text_put(g->out, "channel {");
    for (uint32_t i = 0; i < channel->arity; i++) {
      clew_text_printf(g->out, "%s%s", i > 0 ? ", " : "", rd_chance(g, 60) ? "byte" : "int");
    }
    clew_text_printf(g->out, "} c%u[%u];\n", g->channel_count, capacity);
  } else {
    clew_text_printf(g->out, "channel c%u;\n", g->channel_count);
  }
  g->channel_count++;
}

/* ---- Processes ---- */

static inline void rd_sync(struct rd *g, uint32_t process) {
  uint32_t number = rd_below(g, g->channel_count);
  const struct rd_channel *channel = &g->channels[number];
  /* Each process mostly does one of the two, its neighbours the other: partners find each other. */
  bool sends = rd_chance(g, (process + number) % 2 == 0 ? 80 : 20);
  bool receives = !sends && (channel->arity == 0 || rd_variable(g, true) != NULL);
  clew_text_printf(g->out, " sync c%u%s", number, receives ? "?" : "!");
  bool braces = channel->arity > 1;
  clew_text_put(g->out, braces ? "{" : "");
  for (uint32_t i = 0; i < channel->arity; i++) {
    clew_text_put(g->out, i > 0 ? ", " : "");
    if (receives) {
      rd_place(g, rd_variable(g, true), 1);
    } else if (rd_chance(g, 60)) {
      rd_number(g);
    } else {
      rd_expr(g, 1);
    }
  }
  clew_text_put(g->out, braces ? "};" : ";");
}

static inline void rd_effect(struct rd *g, const struct rd_variable *v) {
  rd_place(g, v, 1);
  clew_text_put(g->out, " = ");
  uint32_t kind = rd_below(g, 20);
  if (kind < 5) {
    rd_number(g);
  } else if (kind < 12) {
    clew_text_char(g->out, '(');
    rd_place(g, v, 0);
    clew_text_printf(g->out, " + %u) %% %u", 1 + rd_below(g, 2), 2 + rd_below(g, 4));
  } else if (kind < 17) {
    clew_text_char(g->out, '(');
    rd_expr(g, 1);
    clew_text_printf(g->out, ") %% %u", 2 + rd_below(g, 3));
  } else {
    rd_expr(g, 2);
  }
}

/* `percent`: how probable a guard is, and a synchronisation. */
static inline void rd_transition(struct rd *g, uint32_t process, uint32_t from, uint32_t percent) {
  clew_text_printf(g->out, "s%u -> s%u {", from, rd_below(g, g->state_counts[process]));
  if (rd_chance(g, percent)) {
    clew_text_put(g->out, " guard ");
    rd_condition(g);
    clew_text_char(g->out, ';');
  }
  if (g->channel_count > 0 && rd_chance(g, percent)) {
    rd_sync(g, process);
  }
  uint32_t effects = rd_variable(g, true) != NULL ? rd_below(g, 3) : 0;
  for (uint32_t i = 0; i < effects; i++) {
    clew_text_put(g->out, i == 0 ? " effect " : ", ");
    rd_effect(g, rd_variable(g, true));
  }
  clew_text_put(g->out, effects > 0 ? "; }" : " }");
}

static inline void rd_asserts(struct rd *g, uint32_t process) {
  uint32_t count = 1 + rd_below(g, 2);
  clew_text_put(g->out, "  assert ");
  for (uint32_t i = 0; i < count; i++) {
    clew_text_printf(g->out, "%ss%u: ", i > 0 ? ", " : "", rd_below(g, g->state_counts[process]));
    rd_condition(g);
  }
  clew_text_put(g->out, ";\n");
}

static inline void rd_process(struct rd *g, uint32_t process) {
  uint32_t states = g->state_counts[process], transitions = states + rd_below(g, 5);
  clew_text_printf(g->out, "process P%u {\n", process);
  g->variable_count = g->global_count;
  for (uint32_t i = rd_below(g, RD_LOCALS); i > 0; i--) {
    rd_declare(g, "x", "  ");
  }
  clew_text_put(g->out, "  state ");
  for (uint32_t i = 0; i < states; i++) {
    clew_text_printf(g->out, "%ss%u", i > 0 ? ", " : "", i);
  }
  clew_text_put(g->out, ";\n  init s0;\n");
  if (rd_chance(g, 20)) {
    clew_text_printf(g->out, "  commit s%u;\n", rd_below(g, states));
  }
  if (rd_chance(g, 35)) {
    rd_asserts(g, process);
  }
  clew_text_put(g->out, "  trans\n");
  for (uint32_t i = 0; i < transitions; i++) {
    clew_text_put(g->out, "    ");
    bool first = i < states; /* each state can be left, mostly */
    rd_transition(g, process, first ? i : rd_below(g, states), first ? 10 : 50);
    clew_text_put(g->out, i + 1 < transitions ? ",\n" : ";\n");
  }
  clew_text_put(g->out, "}\n");
}

/* Appends the model of this number. */
static inline void random_dve(struct clew_text *out, uint64_t seed) {
  struct rd g = {.out = out};
  clew_random_seed(&g.random, seed);
  g.is_synchronous = rd_chance(&g, 12);
  g.process_count = 1 + (rd_chance(&g, 85) ? 1 + rd_below(&g, RD_PROCESSES - 1) : 0);
  for (uint32_t i = 0; i < g.process_count; i++) {
    g.state_counts[i] = 1 + rd_below(&g, RD_STATES);
  }
  clew_text_printf(out, "// seed %llu\n", (unsigned long long)seed);
  for (uint32_t i = 1 + rd_below(&g, RD_GLOBALS); i > 0; i--) {
    rd_declare(&g, "g", "");
  }
  g.global_count = g.variable_count;
  for (uint32_t i = rd_below(&g, RD_CHANNELS); i > 0; i--) {
    rd_declare_channel(&g);
  }
  for (uint32_t i = 0; i < g.process_count; i++) {
    rd_process(&g, i);
  }
  bool has_property = g.process_count > 1 && rd_chance(&g, 2);
  clew_text_printf(out, "system %s", g.is_synchronous ? "sync" : "async");
  if (has_property) {
    clew_text_printf(out, " property P%u", g.process_count - 1);
  }
  clew_text_put(out, ";\n");
}

#endif
