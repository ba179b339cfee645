#include "timed/spec.h"

static const char *slot_name(const struct clew_program *program, uint32_t slot) {
  return program->slots[slot].name;
}

static void put_clock(const struct clew_timed_spec *spec, const struct clew_program *program,
                      uint32_t clock, uint32_t slot, struct clew_text *out) {
  if (slot != CLEW_NONE) {
    clew_text_printf(out, "clock(%s)", slot_name(program, slot));
  } else {
    clew_text_put(out, clock == 0 ? "0" : spec->clocks[clock].name);
  }
}

static void put_atom(const struct clew_timed_spec *spec, const struct clew_program *program,
                     const struct clew_timed_atom *atom, struct clew_text *out) {
  put_clock(spec, program, atom->i, atom->i_slot, out);
  if (atom->j != 0 || atom->j_slot != CLEW_NONE) {
    clew_text_put(out, " - ");
    put_clock(spec, program, atom->j, atom->j_slot, out);
  }
  clew_text_put(out, atom->is_strict ? " < " : " <= ");
  if (atom->bound_slot != CLEW_NONE) {
    clew_text_put(out, slot_name(program, atom->bound_slot));
  } else {
    clew_text_printf(out, "%d", atom->bound);
  }
}

static void put_atoms(const struct clew_timed_spec *spec, const struct clew_program *program,
                      struct clew_timed_span span, struct clew_text *out) {
  for (uint32_t i = 0; i < span.count; i++) {
    clew_text_put(out, i == 0 ? " " : ", ");
    put_atom(spec, program, &spec->atoms[span.first + i], out);
  }
}

static void put_number(int32_t value, struct clew_text *out) {
  if (value == CLEW_DBM_NO_CONSTANT) {
    clew_text_put(out, "-");
  } else {
    clew_text_printf(out, "%d", value);
  }
}

/* " x:3/-", below and above */
static void put_limits(const struct clew_timed_spec *spec, struct clew_timed_span span,
                       struct clew_text *out) {
  for (uint32_t i = 0; i < span.count; i++) {
    const struct clew_timed_limit *limit = &spec->limits[span.first + i];
    clew_text_printf(out, " %s:", spec->clocks[limit->clock].name);
    put_number(limit->lower, out);
    clew_text_put(out, "/");
    put_number(limit->upper, out);
    if (limit->slot != CLEW_NONE) {
      clew_text_printf(out, "(slot %u)", limit->slot);
    }
  }
}

static void put_rules(const struct clew_timed_spec *spec, const struct clew_program *program,
                      struct clew_text *out) {
  for (uint32_t i = 0; i < program->families.len; i++) {
    const struct clew_family *family = program->families.data[i];
    for (uint32_t k = 0; k < family->rule_count; k++) {
      const struct clew_rule *rule = &family->rules[k];
      if (spec->rules[rule->index].count > 0) {
        clew_text_printf(out, "rule %u %s:", rule->index, rule->name);
        put_atoms(spec, program, spec->rules[rule->index], out);
        clew_text_put(out, "\n");
      }
    }
  }
}

static void put_location(const struct clew_timed_spec *spec, const struct clew_program *program,
                         const struct clew_timed_process *process, uint32_t number,
                         struct clew_text *out) {
  const struct clew_timed_location *location = &spec->locations[process->locations.first + number];
  if (location->invariant.count + location->limits.count + location->stops.count == 0) {
    return;
  }
  clew_text_printf(out, "location %s %u:",
                   process->slot != CLEW_NONE ? slot_name(program, process->slot) : "-", number);
  put_atoms(spec, program, location->invariant, out);
  for (uint32_t i = 0; i < location->stops.count; i++) {
    const struct clew_timed_stop *stop = &spec->stops[location->stops.first + i];
    clew_text_printf(out, " stop %s", spec->clocks[stop->clock].name);
    if (stop->slot != CLEW_NONE) {
      clew_text_printf(out, " unless %s", slot_name(program, stop->slot));
    }
  }
  clew_text_put(out, " limits");
  put_limits(spec, location->limits, out);
  clew_text_put(out, "\n");
}

static void put_query(const struct clew_timed_spec *spec, const struct clew_program *program,
                      const struct clew_timed_query *query, struct clew_text *out) {
  static const char *const deadlocks[] = {"", " deadlock", " no deadlock"};
  clew_text_printf(out, "query %s\n", program->labels.data[query->label].name);
  for (uint32_t i = 0; i < query->disjuncts.count; i++) {
    const struct clew_timed_disjunct *disjunct = &spec->disjuncts[query->disjuncts.first + i];
    clew_text_printf(out, "  or%s%s", deadlocks[disjunct->deadlock],
                     disjunct->label != CLEW_NONE ? " when" : "");
    put_atoms(spec, program, disjunct->atoms, out);
    clew_text_put(out, "\n");
  }
}

void clew_timed_spec_dump_graph(const struct clew_timed_spec *spec,
                                const struct clew_program *program, struct clew_text *out) {
  clew_text_put(out, "clocks");
  for (uint32_t i = 1; i < spec->clock_count; i++) {
    clew_text_printf(out, " %s", spec->clocks[i].name);
  }
  clew_text_printf(out, "\nlargest %d%s%s%s%s\n", spec->largest,
                   spec->has_diagonals ? " diagonals" : "", spec->has_stops ? " stops" : "",
                   spec->still_slot != CLEW_NONE ? " still" : "",
                   spec->guards != NULL ? " guards" : "");
  put_rules(spec, program, out);
  for (uint32_t i = 0; i < spec->process_count; i++) {
    for (uint32_t k = 0; k < spec->processes[i].locations.count; k++) {
      put_location(spec, program, &spec->processes[i], k, out);
    }
  }
}

void clew_timed_spec_dump(const struct clew_timed_spec *spec, const struct clew_program *program,
                          struct clew_text *out) {
  clew_timed_spec_dump_graph(spec, program, out);
  if (spec->query_limits.count > 0) {
    clew_text_put(out, "queries limits");
    put_limits(spec, spec->query_limits, out);
    clew_text_put(out, "\n");
  }
  for (uint32_t i = 0; i < spec->query_count; i++) {
    put_query(spec, program, &spec->queries[i], out);
  }
}
