/* Pictures of diagrams, and whether a diagram is one of vectors of a given length. */
#include "dd/ddd_int.h"

#include "base/alloc.h"

/* ---- the validator ---- */

/* Nodes of every level, from the first on; each node is at one level only. */
bool clew_ldd_validate(const struct clew_dd *dd, clew_ldd set, uint32_t levels, const char **why) {
  if (set == CLEW_LDD_EMPTY) {
    return true;
  }
  unsigned char *seen = clew_alloc_zero((size_t)clew_dd_end(dd), 1);
  CLEW_VEC(clew_ldd) level = {0}, next = {0};
  clew_vec_push(&level, set);
  *why = NULL;
  for (uint32_t i = 0; i <= levels && *why == NULL; i++) {
    clew_vec_clear(&next);
    for (uint32_t j = 0; j < level.len && *why == NULL; j++) {
      clew_ldd id = level.data[j];
      bool ends = id == CLEW_LDD_UNIT || is_difference(dd, id);
      if (id >= clew_dd_end(dd) || ends != (i == levels)) {
        *why = "a vector has another length";
      }
      for (; *why == NULL && !ends && id >= FIRST_NODE && !seen[id]; id = node_of(dd, id).right) {
        struct clew_ldd_node node = node_of(dd, id);
        seen[id] = 1;
        if (node.down == CLEW_LDD_EMPTY || node.right == CLEW_LDD_UNIT ||
            (node.right != CLEW_LDD_EMPTY && node_of(dd, node.right).value <= node.value)) {
          *why = "a list is not sorted, or leads to the empty set";
        }
        clew_vec_push(&next, node.down);
      }
    }
    clew_ldd *data = level.data;
    uint32_t cap = level.cap;
    level.data = next.data, level.len = next.len, level.cap = next.cap;
    next.data = data, next.cap = cap;
  }
  clew_vec_free(&level);
  clew_vec_free(&next);
  clew_free(seen);
  return *why == NULL;
}

/* ---- dot ---- */

struct picture {
  struct clew_dd *dd;
  const struct clew_ldd_names *names;
  struct clew_text *out;
  uint32_t level;
};

static void put_value(const struct picture *picture, uint32_t value) {
  const struct clew_ldd_names *names = picture->names;
  if (names != NULL && names->value != NULL) {
    names->value(names->context, picture->level, value, picture->out);
  } else {
    clew_text_printf(picture->out, "%u", value);
  }
}

/* A list is a row of boxes that begins with node `head`; its values have ports. A list whose end is
 * another list that is drawn leads there. */
static void put_list(const struct picture *picture, clew_ldd head) {
  struct clew_text *out = picture->out;
  clew_text_printf(out, "  n%u [label=\"", head);
  clew_ldd id = head;
  do {
    struct clew_ldd_node node = node_of(picture->dd, id);
    clew_text_printf(out, "%s<p%u> ", id == head ? "" : "|", id);
    put_value(picture, node.value);
    id = node.right;
  } while (id != CLEW_LDD_EMPTY && !clew_dd_is_marked(picture->dd, id));
  clew_text_put(out, "\"];\n");
  clew_ldd last = id;
  for (id = head; id != last; id = node_of(picture->dd, id).right) {
    struct clew_ldd_node node = node_of(picture->dd, id);
    if (node.down == CLEW_LDD_UNIT) {
      clew_text_printf(out, "  n%u:p%u -> end;\n", head, id);
    } else {
      clew_text_printf(out, "  n%u:p%u -> n%u;\n", head, id, node.down);
    }
  }
  if (last != CLEW_LDD_EMPTY) {
    clew_text_printf(out, "  n%u -> n%u [style=dashed, constraint=false];\n", head, last);
  }
}

/* The heads of the lists of a level, each once. */
struct heads {
  CLEW_VEC(clew_ldd) list;
};

static void add_head(struct clew_dd *dd, struct heads *heads, clew_ldd id) {
  if (id >= FIRST_NODE && !clew_dd_is_marked(dd, id)) {
    clew_dd_mark(dd, id);
    clew_vec_push(&heads->list, id);
  }
}

static void put_level(struct picture *picture, const struct heads *heads, struct heads *next) {
  const struct clew_ldd_names *names = picture->names;
  struct clew_text *out = picture->out;
  clew_text_put(out, "  { rank=same; ");
  clew_text_printf(out, "level%u [shape=plaintext, label=\"", picture->level);
  if (names != NULL && names->level != NULL) {
    names->level(names->context, picture->level, out);
  } else {
    clew_text_printf(out, "%u", picture->level);
  }
  clew_text_put(out, "\"];");
  for (uint32_t i = 0; i < heads->list.len; i++) {
    clew_text_printf(out, " n%u;", heads->list.data[i]);
  }
  clew_text_put(out, " }\n");
  for (uint32_t i = 0; i < heads->list.len; i++) {
    put_list(picture, heads->list.data[i]);
  }
  clew_dd_marks_clear(picture->dd);
  for (uint32_t i = 0; i < heads->list.len; i++) {
    clew_ldd id = heads->list.data[i];
    do {
      struct clew_ldd_node node = node_of(picture->dd, id);
      add_head(picture->dd, next, node.down);
      id = node.right;
    } while (id != CLEW_LDD_EMPTY);
  }
}

void clew_ldd_dot(struct clew_dd *dd, clew_ldd set, uint32_t levels,
                  const struct clew_ldd_names *names, struct clew_text *out) {
  assert(set != CLEW_DD_NONE);
  struct picture picture = {.dd = dd, .names = names, .out = out};
  struct heads heads = {0};
  clew_text_put(out, "digraph ldd {\n  node [shape=record, fontname=\"sans-serif\"];\n"
                     "  end [shape=circle, label=\"\", width=0.15, style=filled];\n");
  clew_dd_marks_clear(dd);
  add_head(dd, &heads, set);
  for (uint32_t level = 0; level < levels; level++) {
    struct heads next = {0};
    picture.level = level;
    put_level(&picture, &heads, &next);
    clew_vec_free(&heads.list);
    heads = next;
  }
  clew_dd_marks_clear(dd);
  for (uint32_t i = 0; i < heads.list.len; i++) { /* sets of clock values */
    clew_ddd_draw(dd->clocks, heads.list.data[i], names->clocks, out);
  }
  clew_vec_free(&heads.list);
  for (uint32_t level = 0; level + 1 < levels; level++) {
    clew_text_printf(out, "  level%u -> level%u [style=invis];\n", level, level + 1);
  }
  clew_text_put(out, "}\n");
}
