/* Finding the casts of a model.
 *
 * Arrays are grouped by the texts of their indices: those with the same indices, in the same order,
 * are about the same things. The more rules have a parameter with these values, the better a group
 * divides the model; the elements of multisets, which have no identity, are none. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "web/lifelines.h"

enum {
  MOST_EDGES = 4000, /* whose names are read; more of them would tell the same */
  MOST_GROUPS = 500, /* that are asked what they touch */
  MOST_CASTS = 6,
};

typedef CLEW_VEC(char *) texts;

static uint32_t text_place(char *const *list, uint32_t count, const char *text, size_t length) {
  for (uint32_t i = 0; i < count; i++) {
    if (strlen(list[i]) == length && memcmp(list[i], text, length) == 0) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void free_texts(char **list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    clew_free(list[i]);
  }
}

/* ---- Processes ---- */

/* The part of a slot's name that can be that of a process: "Train(0)" of "Train(0).loc". */
static size_t owner_length(const char *name) {
  int depth = 0;
  size_t i = 0;
  for (; name[i] != '\0'; i++) {
    depth += (name[i] == '(') - (name[i] == ')');
    if (depth == 0 && (name[i] == '.' || name[i] == '[')) {
      break;
    }
  }
  return i;
}

/* Adds the processes that edges name; false when an edge names none. */
static bool find_processes(const struct clew_model *model, struct clew_cast *cast) {
  bool all = model->edge_count > 0;
  uint32_t stride = 1 + model->edge_count / MOST_EDGES;
  struct clew_text name = {0};
  for (uint32_t edge = 0; edge < model->edge_count && all; edge += stride) {
    struct clew_edge_words words;
    clew_text_clear(&name);
    model->print_edge(model, edge, &name);
    clew_edge_words_read(clew_text_str(&name), &words);
    all = words.actors.len > 0;
    for (uint32_t i = 0; i < words.actors.len; i++) {
      char *actor = words.actors.data[i];
      size_t length = strlen(actor);
      if (text_place(cast->lines.data, cast->lines.len, actor, length) == CLEW_NONE) {
        clew_vec_push(&cast->lines, clew_strndup(actor, length));
      }
    }
    clew_edge_words_free(&words);
  }
  clew_text_free(&name);
  return all;
}

/* The slot that shows best how a line is: its location, or else the first one whose values have
 * names, or else its first one. */
static void choose_faces(const struct clew_model *model, struct clew_cast *cast) {
  cast->face = clew_alloc(((size_t)cast->lines.len + 1) * sizeof *cast->face);
  for (uint32_t line = 0; line < cast->lines.len; line++) {
    uint32_t best = CLEW_NONE, best_rank = 0;
    for (uint32_t i = 0; i < model->slot_count; i++) {
      const struct clew_slot *slot = &model->slots[i];
      if (cast->line_of[i] != line || slot->hidden || slot->presence != CLEW_NONE) {
        continue;
      }
      size_t length = strlen(slot->name);
      bool is_location = strcmp(slot->name, cast->lines.data[line]) == 0 ||
                         (length > 4 && strcmp(slot->name + length - 4, ".loc") == 0);
      bool has_names = slot->domain->names != NULL && slot->domain->hi - slot->domain->lo > 1;
      uint32_t rank = is_location ? 3 : has_names ? 2 : 1;
      if (rank > best_rank) {
        best = i;
        best_rank = rank;
      }
    }
    cast->face[line] = best;
  }
}

static void cast_free(struct clew_cast *cast) {
  free_texts(cast->lines.data, cast->lines.len);
  clew_vec_free(&cast->lines);
  clew_free(cast->name);
  clew_free(cast->line_of);
  clew_free(cast->face);
}

/* In the order in which the model declares them, not that of their transitions; those without
 * variables come last. */
static void order_lines(const struct clew_model *model, struct clew_cast *cast) {
  uint32_t placed = 0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const char *name = model->slots[i].name;
    uint32_t line = text_place(cast->lines.data, cast->lines.len, name, owner_length(name));
    if (line != CLEW_NONE && line >= placed) {
      char *text = cast->lines.data[line];
      memmove(cast->lines.data + placed + 1, cast->lines.data + placed,
              (line - placed) * sizeof *cast->lines.data);
      cast->lines.data[placed++] = text;
    }
  }
}

static void add_processes(const struct clew_model *model, struct clew_casts *casts) {
  struct clew_cast cast = {.name = clew_strdup("processes"), .is_processes = true};
  bool ok = find_processes(model, &cast) && cast.lines.len <= CLEW_CAST_MOST_LINES;
  if (!ok) {
    cast_free(&cast);
    return;
  }
  order_lines(model, &cast);
  cast.line_of = clew_alloc(((size_t)model->slot_count + 1) * sizeof *cast.line_of);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const char *name = model->slots[i].name;
    cast.line_of[i] = text_place(cast.lines.data, cast.lines.len, name, owner_length(name));
  }
  choose_faces(model, &cast);
  clew_vec_push(&casts->list, cast);
}

/* ---- Arrays ---- */

/* Arrays with the same indices. */
struct family {
  texts bases, indices;
  uint64_t score;
};
typedef CLEW_VEC(struct family) families;

/* The next index of a slot's name from *at on: its place and length. False: there is none. */
static bool next_index(const char *name, size_t *at, size_t *open, size_t *length) {
  const char *from = strchr(name + *at, '[');
  if (from == NULL) {
    return false;
  }
  const char *to = strchr(from, ']');
  if (to == NULL) {
    return false;
  }
  *open = (size_t)(from - name);
  *length = (size_t)(to - from) - 1;
  *at = (size_t)(to - name) + 1;
  return true;
}

/* The name up to `open`, without the indices in it: "a[][" is the second dimension of a. */
static void base_of(const char *name, size_t open, struct clew_text *out) {
  clew_text_clear(out);
  bool inside = false;
  for (size_t i = 0; i < open; i++) {
    if (name[i] == ']') {
      inside = false;
    }
    if (!inside) {
      clew_text_char(out, name[i]);
    }
    inside = inside || name[i] == '[';
  }
}

static struct family *family_of_base(families *all, const struct clew_text *base) {
  for (uint32_t i = 0; i < all->len; i++) {
    if (text_place(all->data[i].bases.data, all->data[i].bases.len, clew_text_str(base),
                   base->len) != CLEW_NONE) {
      return &all->data[i];
    }
  }
  return NULL;
}

static void collect_arrays(const struct clew_model *model, families *all) {
  struct clew_text base = {0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    size_t at = 0, open, length;
    while (!slot->hidden && slot->presence == CLEW_NONE &&
           next_index(slot->name, &at, &open, &length)) {
      base_of(slot->name, open, &base);
      struct family *family = family_of_base(all, &base);
      if (family == NULL) {
        clew_vec_push(all, (struct family){0});
        family = &clew_vec_last(all);
        clew_vec_push(&family->bases, clew_strndup(clew_text_str(&base), base.len));
      }
      if (family->indices.len <= CLEW_CAST_MOST_LINES &&
          text_place(family->indices.data, family->indices.len, slot->name + open + 1, length) ==
              CLEW_NONE) {
        clew_vec_push(&family->indices, clew_strndup(slot->name + open + 1, length));
      }
      family->score++;
    }
  }
  clew_text_free(&base);
}

static bool same_indices(const struct family *a, const struct family *b) {
  bool same = a->indices.len == b->indices.len;
  for (uint32_t i = 0; same && i < a->indices.len; i++) {
    same = strcmp(a->indices.data[i], b->indices.data[i]) == 0;
  }
  return same;
}

static void family_free(struct family *family) {
  free_texts(family->bases.data, family->bases.len);
  free_texts(family->indices.data, family->indices.len);
  clew_vec_free(&family->bases);
  clew_vec_free(&family->indices);
}

/* Joins families of the same indices. */
static void join_families(families *all) {
  for (uint32_t i = 0; i < all->len; i++) {
    for (uint32_t k = i + 1; k < all->len;) {
      struct family *to = &all->data[i], *from = &all->data[k];
      if (!same_indices(to, from)) {
        k++;
        continue;
      }
      for (uint32_t b = 0; b < from->bases.len; b++) {
        clew_vec_push(&to->bases, from->bases.data[b]);
      }
      from->bases.len = 0;
      to->score += from->score;
      family_free(from);
      *from = all->data[--all->len];
    }
  }
}

/* Whether an edge that touches these slots touches an element of the family with this index. */
static bool touches(const struct clew_model *model, families *all, const struct family *family,
                    const char *index, const struct clew_access *access) {
  struct clew_text base = {0};
  bool found = false;
  for (uint32_t i = 0; i < model->slot_count && !found; i++) {
    const struct clew_slot *slot = &model->slots[i];
    size_t at = 0, open, length;
    if (!clew_bitset_has(access->read, i) && !clew_bitset_has(access->may_write, i)) {
      continue;
    }
    while (!found && next_index(slot->name, &at, &open, &length)) {
      base_of(slot->name, open, &base);
      found = strlen(index) == length && memcmp(index, slot->name + open + 1, length) == 0 &&
              family_of_base(all, &base) == family;
    }
  }
  clew_text_free(&base);
  return found;
}

/* An edge that has a parameter with an index of the family and uses it so is worth more than any
 * number of slots. A parameter of another type may have the same values: it does not count. */
static void score_edge(const struct clew_model *model, families *all,
                       const struct clew_edge_words *words, const struct clew_access *access) {
  const uint64_t worth = 1000;
  for (uint32_t i = 0; i < all->len; i++) {
    struct family *family = &all->data[i];
    for (uint32_t v = 0; v < words->values.len; v++) {
      const char *value = words->values.data[v];
      if (text_place(family->indices.data, family->indices.len, value, strlen(value)) !=
              CLEW_NONE &&
          touches(model, all, family, value, access)) {
        family->score += worth;
        break;
      }
    }
  }
}

static void score_edges(const struct clew_model *model, families *all) {
  uint32_t stride = 1 + model->group_count / MOST_GROUPS;
  size_t words = CLEW_BITSET_WORDS(model->slot_count) + 1;
  uint64_t *bits = clew_alloc_zero(3 * words, sizeof *bits);
  struct clew_access access = {
      .read = bits, .may_write = bits + words, .must_write = bits + 2 * words};
  struct clew_text name = {0};
  for (uint32_t i = 0; i < model->group_count && all->len > 0; i += stride) {
    struct clew_group group;
    struct clew_edge_words edge;
    memset(bits, 0, 3 * words * sizeof *bits);
    model->group(model, i, &group);
    model->access(model, i, &access);
    clew_text_clear(&name);
    model->print_edge(model, group.first_edge, &name);
    clew_edge_words_read(clew_text_str(&name), &edge);
    score_edge(model, all, &edge, &access);
    clew_edge_words_free(&edge);
  }
  clew_text_free(&name);
  clew_free(bits);
}

/* "at, flag" */
static char *family_name(const struct family *family) {
  enum { SHOWN = 3 };
  struct clew_text name = {0};
  for (uint32_t i = 0; i < family->bases.len && i < SHOWN; i++) {
    clew_text_printf(&name, "%s%s", i > 0 ? ", " : "", family->bases.data[i]);
  }
  clew_text_put(&name, family->bases.len > SHOWN ? ", …" : "");
  char *copy = clew_strndup(clew_text_str(&name), name.len);
  clew_text_free(&name);
  return copy;
}

static void add_family(const struct clew_model *model, families *all, struct family *family,
                       struct clew_casts *casts) {
  struct clew_cast cast = {.name = family_name(family)};
  struct clew_text base = {0};
  for (uint32_t i = 0; i < family->indices.len; i++) {
    clew_vec_push(&cast.lines, clew_strdup(family->indices.data[i]));
  }
  cast.line_of = clew_alloc(((size_t)model->slot_count + 1) * sizeof *cast.line_of);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    size_t at = 0, open, length;
    cast.line_of[i] = CLEW_NONE;
    while (cast.line_of[i] == CLEW_NONE && next_index(slot->name, &at, &open, &length)) {
      base_of(slot->name, open, &base);
      if (family_of_base(all, &base) == family) {
        cast.line_of[i] =
            text_place(cast.lines.data, cast.lines.len, slot->name + open + 1, length);
      }
    }
  }
  clew_text_free(&base);
  choose_faces(model, &cast);
  clew_vec_push(&casts->list, cast);
}

void clew_casts_find(const struct clew_model *model, struct clew_casts *casts) {
  *casts = (struct clew_casts){0};
  families all = {0};
  add_processes(model, casts);
  collect_arrays(model, &all);
  join_families(&all);
  score_edges(model, &all);
  while (casts->list.len < MOST_CASTS) {
    struct family *best = NULL;
    for (uint32_t i = 0; i < all.len; i++) {
      struct family *family = &all.data[i];
      bool fits = family->indices.len >= 2 && family->indices.len <= CLEW_CAST_MOST_LINES;
      if (fits && family->score > 0 && (best == NULL || family->score > best->score)) {
        best = family;
      }
    }
    if (best == NULL) {
      break;
    }
    add_family(model, &all, best, casts);
    best->score = 0;
  }
  for (uint32_t i = 0; i < all.len; i++) {
    family_free(&all.data[i]);
  }
  clew_vec_free(&all);
}

void clew_casts_free(struct clew_casts *casts) {
  for (uint32_t i = 0; i < casts->list.len; i++) {
    cast_free(&casts->list.data[i]);
  }
  clew_vec_free(&casts->list);
}
