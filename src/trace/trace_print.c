/* Traces for people: numbered steps, each with what was done and the variables it changed. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "model/timed.h"
#include "trace/plain.h"
#include "trace/times.h"
#include "trace/trace.h"
#include "trace/trace_int.h"
#include "trace/trap.h"

static const char INDENT[] = "        ";

void clew_site_print(const struct clew_model *model, uint32_t site, struct clew_text *out) {
  assert(site < model->site_count);
  const struct clew_site *where = &model->sites[site];
  clew_text_put(out, where->message);
  if (where->position.line > 0) {
    clew_text_printf(out, " (line %u, column %u)", where->position.line, where->position.column);
  }
}

static void print_heading(uint64_t number, const char *name, struct clew_text *out) {
  clew_text_printf(out, "%4llu  ", (unsigned long long)number);
  clew_plain_put(out, name);
  clew_text_char(out, '\n');
}

/* " @ 12.5", where times are known. */
static void put_time(const struct clew_times *times, uint32_t moment, struct clew_text *name) {
  if (times->count > 0) {
    clew_text_put(name, "  @ ");
    clew_time_print(times, moment, name);
  }
}

void clew_step_print(const struct clew_model *model, uint64_t number, const char *name,
                     const uint64_t *previous, const uint64_t *state, struct clew_text *out) {
  assert(state != NULL);
  print_heading(number, name, out);
  size_t before = out->len;
  clew_state_print(model, state, previous, INDENT, out);
  if (out->len == before) {
    clew_text_printf(out, "%s(no change)\n", INDENT);
  }
}

/* "x in [2, 5)", "x > 3", "x = 0"; nothing where it can have any value. */
static bool print_clock(const struct clew_model *model, const uint64_t *state, uint32_t clock,
                        const char *before, struct clew_text *out) {
  int32_t above = model->timed->bound(model, state, clock, 0),
          below = model->timed->bound(model, state, 0, clock);
  bool endless = above == INT32_MAX;
  int32_t most = above >> 1, least = -(below >> 1);
  bool most_open = (above & 1) == 0, least_open = (below & 1) == 0;
  if (endless && least == 0 && !least_open) {
    return false;
  }
  clew_text_printf(out, "%s%s", before, model->timed->clock_names[clock]);
  if (endless) {
    clew_text_printf(out, " %s %d", least_open ? ">" : ">=", least);
  } else if (most == least) {
    clew_text_printf(out, " = %d", least);
  } else {
    clew_text_printf(out, " in %c%d, %d%c", least_open ? '(' : '[', least, most,
                     most_open ? ')' : ']');
  }
  return true;
}

void clew_clocks_print(const struct clew_model *model, const uint64_t *state,
                       struct clew_text *out) {
  bool any = false;
  for (uint32_t i = 1; model->timed != NULL && i < model->timed->clock_count; i++) {
    any = print_clock(model, state, i, any ? ", " : INDENT, out) || any;
  }
  if (any) {
    clew_text_char(out, '\n');
  }
}

void clew_trace_explain(const struct clew_model *model, const struct clew_trace *trace,
                        const uint64_t *last, struct clew_text *out) {
  model = model->reference;
  if (trace->property == CLEW_NONE) {
    return; /* it claims nothing */
  }
  if (trace->property >= model->property_count) {
    return;
  }
  const struct clew_property *property = &model->properties[trace->property];
  struct clew_occasion occasion = {.state = last, .edge = CLEW_NONE, .label = CLEW_NONE};
  if (trace->initial == CLEW_NONE) {
    occasion.is_start = true;
    occasion.edge = trace->fault_edge;
  } else if (trace->fault_edge != CLEW_NONE) {
    occasion.edge = trace->fault_edge;
  } else if (trace->site != CLEW_NONE) {
    uint32_t reader = clew_trace_reader(model, trace);
    occasion.label = reader != CLEW_NONE ? model->properties[reader].label : CLEW_NONE;
  } else if (property->kind == CLEW_PROPERTY_INVARIANT) {
    occasion.label = property->label;
  }
  if (model->explain != NULL && (occasion.edge != CLEW_NONE || occasion.label != CLEW_NONE)) {
    model->explain(model, &occasion, out);
  }
}

/* The values that made it come about, on a line of its own. */
static void print_explanation(const struct clew_model *model, const struct clew_trace *trace,
                              const uint64_t *last, struct clew_text *out) {
  struct clew_text why = {0};
  clew_trace_explain(model, trace, last, &why);
  if (why.len > 0) {
    clew_text_printf(out, "%s%s", INDENT, trace->site == CLEW_NONE ? "because " : "");
    clew_plain_put(out, clew_text_str(&why));
    clew_text_char(out, '\n');
  }
  clew_text_free(&why);
}

void clew_step_print_fault(const struct clew_model *model, uint64_t number, const char *name,
                           uint32_t site, struct clew_text *out) {
  print_heading(number, name, out);
  struct clew_text message = {0};
  clew_site_print(model, site, &message);
  clew_text_printf(out, "%serror: ", INDENT);
  clew_plain_put(out, clew_text_str(&message));
  clew_text_char(out, '\n');
  clew_text_free(&message);
}

/* A fault while the model starts: there is no state to show. */
static void print_failed_start(const struct clew_model *model, const struct clew_trace *trace,
                               struct clew_text *out) {
  if (trace->site >= model->site_count) {
    return;
  }
  struct clew_text name = {0};
  if (trace->fault_edge < model->initial_count) {
    model->print_initial(model, trace->fault_edge, &name);
  } else {
    clew_text_put(&name, "start");
  }
  clew_step_print_fault(model, 0, clew_text_str(&name), trace->site, out);
  clew_text_free(&name);
  print_explanation(model, trace, NULL, out);
}

/* What comes after the last state: the transition, or the property, that fails. */
static void print_fault(const struct clew_model *model, const struct clew_trace *trace,
                        const uint64_t *last, const struct clew_times *times,
                        struct clew_text *out) {
  assert(trace->site < model->site_count);
  struct clew_text name = {0};
  if (trace->fault_edge != CLEW_NONE) {
    clew_model_print_step(model, last, trace->fault_edge, &name);
  } else {
    uint32_t reader = clew_trace_reader(model, trace);
    reader = reader != CLEW_NONE ? reader : trace->property;
    clew_text_printf(&name, "checking \"%s\"", model->properties[reader].name);
  }
  put_time(times, trace->edge_count + 1, &name);
  clew_step_print_fault(model, (uint64_t)trace->edge_count + 1, clew_text_str(&name), trace->site,
                        out);
  clew_text_free(&name);
  print_explanation(model, trace, last, out);
}

/* A walk that somebody saved is about no property. */
static bool is_liveness(const struct clew_model *model, const struct clew_trace *trace) {
  return trace->property < model->property_count &&
         model->properties[trace->property].kind == CLEW_PROPERTY_LIVENESS;
}

/* Why the goal of a liveness property is out of reach. */
static void print_trap(const struct clew_model *model, const struct clew_trace *trace,
                       const uint64_t *last, struct clew_text *out) {
  const struct clew_property *property = &model->properties[trace->property];
  struct clew_trap trap;
  clew_trap_explore(model, last, property->label, CLEW_TRAP_STATES, &trap);
  clew_trap_print(model, &trap, property->name, "      ", out);
  clew_trap_free(&trap);
}

/* The violation comes after a delay in the last state. */
static void print_wait(const struct clew_trace *trace, const struct clew_times *times,
                       struct clew_text *out) {
  uint32_t last = trace->edge_count;
  if (times->count > 0 && times->values[last + 1] > times->values[last]) {
    clew_text_put(out, "      time passes  @ ");
    clew_time_print(times, last + 1, out);
    clew_text_char(out, '\n');
  }
}

/* How a run without end goes on. */
static void print_run(const struct clew_model *model, const struct clew_trace *trace,
                      struct clew_text *out) {
  if (trace->loop_to != CLEW_NONE) {
    clew_text_printf(out, "      steps %u to %u can be repeated for ever\n", trace->loop_to + 1,
                     trace->edge_count);
  } else {
    clew_text_printf(out, "      nothing else has to happen%s\n",
                     model->timed != NULL ? ": time diverges, or the run cannot go on" : "");
  }
}

/* The values that a step hands over, inside the brackets that name the channel. */
static void put_sent(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     struct clew_text *name) {
  if (model->print_sent == NULL || name->len == 0 || name->data[name->len - 1] != ')') {
    return;
  }
  struct clew_text sent = {0};
  model->print_sent(model, state, edge, &sent);
  if (sent.len > 0) {
    name->len--;
    clew_text_put(name, clew_text_str(&sent));
    clew_text_char(name, ')');
  }
  clew_text_free(&sent);
}

/* Where the rule is in the text. */
static void put_line(const struct clew_model *model, uint32_t edge, struct clew_text *name) {
  uint32_t line = clew_model_edge_line(model, edge);
  if (line > 0) {
    clew_text_printf(name, "  [line %u]", line);
  }
}

void clew_trace_print(const struct clew_model *model, const struct clew_trace *trace,
                      unsigned style, struct clew_text *out) {
  model = model->reference;
  if (trace->initial == CLEW_NONE) {
    print_failed_start(model, trace, out);
    return;
  }
  uint32_t failed_step;
  uint64_t *states = clew_trace_states(model, trace, &failed_step);
  if (states == NULL) {
    clew_text_printf(out, "step %u of the trace is not possible\n", failed_step);
    return;
  }
  struct clew_times times;
  struct clew_text name = {0};
  (void)clew_times_find(model, trace, states, (style & CLEW_TRACE_LATEST) != 0, &times);
  for (uint32_t i = 0; i <= trace->edge_count; i++) {
    clew_text_clear(&name);
    if (i == 0) {
      model->print_initial(model, trace->initial, &name);
    } else {
      clew_model_print_step(model, states + (size_t)(i - 1) * model->words, trace->edges[i - 1],
                            &name);
    }
    const uint64_t *state = states + (size_t)i * model->words;
    if (i > 0) {
      put_sent(model, state - model->words, trace->edges[i - 1], &name);
    }
    if (i > 0 && (style & CLEW_TRACE_FULL) != 0) {
      put_line(model, trace->edges[i - 1], &name);
    }
    put_time(&times, i, &name);
    const uint64_t *previous =
        i == 0 || (style & CLEW_TRACE_FULL) != 0 ? NULL : state - model->words;
    clew_step_print(model, i, clew_text_str(&name), previous, state, out);
    if ((style & CLEW_TRACE_FULL) != 0) {
      clew_clocks_print(model, state, out);
    }
  }
  clew_text_free(&name);
  const uint64_t *last = states + (size_t)trace->edge_count * model->words;
  if (trace->site != CLEW_NONE) {
    print_fault(model, trace, last, &times, out);
  } else if (clew_trace_is_run(model, trace)) {
    print_run(model, trace, out);
  } else if (is_liveness(model, trace)) {
    print_trap(model, trace, last, out);
  } else {
    print_wait(trace, &times, out);
    print_explanation(model, trace, last, out);
  }
  clew_free(states);
  clew_times_free(&times);
}
