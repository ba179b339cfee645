/* State graphs as text: Graphviz and Aldebaran. */
#include <assert.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cli/graph.h"
#include "trace/plain.h"

/* A state with more variables than this is drawn as its number; the rest is in its tooltip. */
enum { DRAWN_SLOTS = 12 };

/* Both formats have quoted strings with the same escapes. Newlines become "\n" in them. */
static void put_quoted(struct clew_text *out, const char *text) {
  assert(text != NULL);
  struct clew_text plain = {0};
  clew_text_char(out, '"');
  for (const char *at = text; *at != '\0';) {
    const char *end = at;
    while (*end != '\0' && *end != '\n') {
      end++;
    }
    struct clew_text line = {0};
    clew_text_put_n(&line, at, (size_t)(end - at));
    clew_text_clear(&plain);
    clew_plain_put(&plain, clew_text_str(&line));
    clew_text_free(&line);
    for (const char *c = clew_text_str(&plain); *c != '\0'; c++) {
      if (*c == '"' || *c == '\\') {
        clew_text_char(out, '\\');
      }
      clew_text_char(out, *c);
    }
    clew_text_put(out, *end == '\n' ? "\\n" : "");
    at = *end == '\n' ? end + 1 : end;
  }
  clew_text_char(out, '"');
  clew_text_free(&plain);
}

static void put_edge_name(const struct clew_graph *graph, bool start,
                          const struct clew_graph_edge *edge, struct clew_text *out) {
  struct clew_text name = {0};
  const struct clew_model *model = graph->model;
  assert(edge->edge < (start ? model->initial_count : model->edge_count));
  if (start) {
    model->print_initial(model, edge->edge, &name);
  } else if (model->print_values == NULL) {
    model->print_edge(model, edge->edge, &name);
  } else {
    uint64_t *state = clew_alloc(model->words * sizeof *state);
    graph->store->type->get(graph->store, edge->from, 1, state);
    clew_model_print_step(model, state, edge->edge, &name);
    clew_free(state);
  }
  put_quoted(out, clew_text_str(&name));
  clew_text_free(&name);
}

/* All invariants, to find the states that violate one. */
static uint64_t *all_properties(const struct clew_model *model) {
  uint32_t words = CLEW_BITSET_WORDS(model->property_count);
  uint64_t *set = clew_alloc_zero((size_t)words + 1, sizeof *set);
  for (uint32_t i = 0; i < model->property_count; i++) {
    clew_bitset_add(set, i);
  }
  return set;
}

static void put_dot_state(const struct clew_graph *graph, uint32_t id, const uint64_t *invariants,
                          struct clew_text *out) {
  const struct clew_model *model = graph->model;
  uint64_t *state = clew_alloc(model->words * sizeof *state);
  graph->store->type->get(graph->store, id, 1, state);
  struct clew_text values = {0};
  clew_state_print(model, state, NULL, "", &values);
  clew_text_printf(out, "  s%u [", id);
  if (model->slot_count <= DRAWN_SLOTS) {
    clew_text_put(out, "label=");
    put_quoted(out, clew_text_str(&values));
  } else {
    clew_text_printf(out, "label=\"%u\", tooltip=", id);
    put_quoted(out, clew_text_str(&values));
  }
  clew_text_free(&values);
  uint32_t site = CLEW_NONE;
  if (model->check(model, invariants, state, &site) != CLEW_NONE) {
    clew_text_put(out, ", style=filled, fillcolor=\"#ffb3b3\"");
  }
  if (clew_bitset_has(graph->stuck, id)) {
    clew_text_put(out, ", peripheries=2");
  }
  clew_text_put(out, "];\n");
  clew_free(state);
}

/* Graphviz. States that violate an invariant are filled, deadlocks have a double border. */
static void write_dot(const struct clew_graph *graph, struct clew_text *out) {
  clew_text_put(out, "digraph clew {\n  node [shape=box, fontname=monospace];\n");
  uint64_t *invariants = all_properties(graph->model);
  uint64_t count = graph->store->type->count(graph->store);
  for (uint32_t id = 0; id < count && !atomic_load(graph->model->stop); id++) {
    put_dot_state(graph, id, invariants, out);
  }
  clew_free(invariants);
  for (uint32_t i = 0; i < graph->initial.len; i++) {
    const struct clew_graph_edge *edge = &graph->initial.data[i];
    clew_text_printf(out, "  i%u [shape=point];\n  i%u -> s%u [label=", i, i, edge->to);
    put_edge_name(graph, true, edge, out);
    clew_text_put(out, "];\n");
  }
  for (uint32_t i = 0; i < graph->edges.len; i++) {
    const struct clew_graph_edge *edge = &graph->edges.data[i];
    clew_text_printf(out, "  s%u -> s%u [label=", edge->from, edge->to);
    put_edge_name(graph, false, edge, out);
    clew_text_put(out, "];\n");
  }
  clew_text_put(out, "}\n");
}

/* Aldebaran, which has one initial state: if the model has not, state 0 is an artificial one from
 * which the others are reached. */
static void write_aut(const struct clew_graph *graph, struct clew_text *out) {
  uint64_t count = graph->store->type->count(graph->store);
  bool single = graph->initial.len > 0;
  for (uint32_t i = 0; i < graph->initial.len; i++) {
    single = single && graph->initial.data[i].to == graph->initial.data[0].to;
  }
  /* The first initial state has id 0; an artificial one in front shifts all the others. */
  assert(graph->initial.len == 0 || graph->initial.data[0].to == 0);
  uint32_t shift = single ? 0 : 1;
  uint64_t transitions = (uint64_t)graph->edges.len + (single ? 0 : graph->initial.len);
  clew_text_printf(out, "des (0, %llu, %llu)\n", (unsigned long long)transitions,
                   (unsigned long long)(count + shift));
  for (uint32_t i = 0; !single && i < graph->initial.len; i++) {
    clew_text_put(out, "(0, ");
    put_edge_name(graph, true, &graph->initial.data[i], out);
    clew_text_printf(out, ", %u)\n", graph->initial.data[i].to + 1);
  }
  for (uint32_t i = 0; i < graph->edges.len; i++) {
    const struct clew_graph_edge *edge = &graph->edges.data[i];
    clew_text_printf(out, "(%u, ", edge->from + shift);
    put_edge_name(graph, false, edge, out);
    clew_text_printf(out, ", %u)\n", edge->to + shift);
  }
}

const struct clew_graph_format clew_graph_formats[] = {
    {".dot", write_dot},
    {".aut", write_aut},
    {NULL, NULL},
};
