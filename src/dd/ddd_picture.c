/* Pictures and figures of difference decision diagrams. */
#include "dd/ddd_int.h"

void clew_ddd_print_constraint(const struct clew_ddd_space *space, uint32_t value,
                               const char *const *names, struct clew_text *out) {
  const struct constraint *c = constraint_of(space, value);
  if (c->i == 0) { /* 0 - x < -2 */
    clew_text_printf(out, "%s %s %d", names[c->j],
                     clew_bound_is_strict(c->bound) ? ">" : ">=", -clew_bound_constant(c->bound));
    return;
  }
  clew_text_printf(out, "%s", names[c->i]);
  if (c->j > 0) {
    clew_text_printf(out, " - %s", names[c->j]);
  }
  clew_text_printf(out, " %s %d",
                   clew_bound_is_strict(c->bound) ? "<" : "<=", clew_bound_constant(c->bound));
}

void clew_ddd_draw(const struct clew_ddd_space *space, clew_ddd set, const char *const *names,
                   struct clew_text *out) {
  struct clew_dd *dd = space->dd;
  if (set < FIRST_NODE || clew_dd_is_marked(dd, set)) {
    return;
  }
  clew_dd_mark(dd, set);
  struct clew_ldd_node node = node_of(dd, set);
  clew_text_printf(out, "  n%u [shape=ellipse, label=\"", set);
  clew_ddd_print_constraint(space, node.value, names, out);
  clew_text_put(out, "\"];\n");
  for (uint32_t side = 0; side < 2; side++) {
    clew_ddd child = side == 0 ? node.down : node.right;
    const char *style = side == 0 ? "" : " [style=dashed]";
    if (child == CLEW_DDD_TRUE) {
      clew_text_printf(out, "  n%u -> end%s;\n", set, style);
    } else if (child != CLEW_DDD_FALSE) {
      clew_text_printf(out, "  n%u -> n%u%s;\n", set, child, style);
    }
  }
  clew_ddd_draw(space, node.down, names, out);
  clew_ddd_draw(space, node.right, names, out);
}

void clew_ddd_dot(struct clew_ddd_space *space, clew_ddd set, const char *const *names,
                  struct clew_text *out) {
  assert(set != CLEW_DD_NONE);
  clew_dd_marks_clear(space->dd);
  clew_text_put(out, "digraph ddd {\n  node [fontname=\"sans-serif\"];\n"
                     "  end [shape=circle, label=\"\", width=0.15, style=filled];\n");
  clew_ddd_draw(space, set, names, out);
  clew_text_put(out, "}\n");
}

uint64_t clew_ddd_nodes(struct clew_ddd_space *space, clew_ldd set) {
  struct clew_dd *dd = space->dd;
  uint64_t count = 0;
  assert(set != CLEW_DD_NONE);
  clew_dd_marks_clear(dd);
  clew_dd_mark(dd, set);
  (void)clew_dd_marks_close(dd);
  for (clew_ldd id = FIRST_NODE; id <= set; id++) {
    count += clew_dd_is_marked(dd, id) && is_difference(dd, id);
  }
  return count;
}

/* ---- zones of all vectors ---- */

static bool count_zones(struct clew_ddd_space *space, clew_ldd set, uint64_t *zones) {
  struct clew_dd *dd = space->dd;
  for (; set != CLEW_LDD_EMPTY; set = node_of(dd, set).right) {
    if (gives_up(dd)) {
      return false;
    }
    if (set == CLEW_LDD_UNIT || is_difference(dd, set)) {
      *zones += clew_ddd_zones(space, set)->count;
      return true;
    }
    if (!count_zones(space, node_of(dd, set).down, zones)) {
      return false;
    }
  }
  return true;
}

static clew_ldd run_count_zones(struct clew_dd *dd, const struct call *call) {
  uint64_t *zones = call->context;
  *zones = 0;
  return count_zones(dd->clocks, call->a, zones) ? CLEW_LDD_UNIT : CLEW_LDD_EMPTY;
}

bool clew_ddd_count_zones(struct clew_ddd_space *space, clew_ldd set, uint64_t *zones) {
  struct call call = {.run = run_count_zones, .a = set, .context = zones};
  return clew_dd_perform(space->dd, &call) == CLEW_LDD_UNIT;
}
