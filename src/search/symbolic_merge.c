/* The relations of all groups of a top level as one.
 *
 * Saturation applies the groups of a level to many sets. Most of these products are empty: of the
 * groups that read a level few have rows for the value that it has. One relation with the rows of
 * all of them is asked once, and shares what groups have in common. Its rows have two numbers for
 * each level that one of the groups touches (dd/saturate.h).
 *
 * It follows the relations of the groups: what they have learnt since the last time is added. */
#include <assert.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

enum { BATCH_ROWS = 1024 };

/* ---- rows ---- */

/* A row of the group as one of all groups; both are in the order of levels. */
static void mix_row(const struct symbolic_merged *merged, const struct symbolic_group *group,
                    const uint32_t *row, uint32_t *out) {
  uint32_t part = 0;
  for (uint32_t i = 0; i < merged->level_count; i++, out += 2) {
    if (part == group->part_count) {
      out[0] = CLEW_LDD_REST;
      for (uint32_t k = 1; k < 2 * (merged->level_count - i); k++) {
        out[k] = 0;
      }
      return;
    }
    out[0] = CLEW_LDD_ANY;
    out[1] = CLEW_LDD_COPY;
    if (group->parts[part].level == merged->levels[i]) {
      unsigned char role = group->parts[part++].role;
      if (symbolic_reads(role)) {
        out[0] = *row++ + CLEW_LDD_MIXED_VALUES;
      }
      if (role != CLEW_LDD_READ) {
        bool stays = role == CLEW_LDD_READ_WRITE && *row + CLEW_LDD_MIXED_VALUES == out[0];
        out[1] = stays ? CLEW_LDD_COPY : *row;
        row++;
      }
    }
  }
}

static bool add_rows(struct symbolic *s, struct symbolic_merged *merged,
                     const struct symbolic_group *group, const clew_ldd *fresh) {
  const uint32_t length = group->row_length, wide = 2 * merged->level_count;
  uint32_t *rows = clew_alloc(sizeof *rows * BATCH_ROWS * (length + wide + (size_t)1));
  uint32_t *mixed = rows + (size_t)BATCH_ROWS * length;
  uint32_t *last = clew_alloc(sizeof *last * (length + (size_t)1));
  const uint32_t *after = NULL;
  bool going = true;
  uint32_t count;
  do {
    count = clew_ldd_list(s->dd, *fresh, length, after, rows, BATCH_ROWS);
    for (uint32_t i = 0; i < count; i++) {
      mix_row(merged, group, rows + (size_t)i * length, mixed + (size_t)i * wide);
    }
    for (uint32_t i = 0; i < length && count > 0; i++) {
      last[i] = rows[(size_t)(count - 1) * length + i];
    }
    after = last;
    going = clew_symbolic_add(s, &merged->relation,
                              clew_ldd_from_mixed_rows(s->dd, mixed, count, wide));
  } while (going && count == BATCH_ROWS);
  clew_free(rows);
  clew_free(last);
  return going;
}

/* What the group has learnt since the last time. */
static bool follow(struct symbolic *s, struct symbolic_merged *merged,
                   struct symbolic_group *group) {
  if (group->relation == group->merged) {
    return true;
  }
  clew_ldd fresh = clew_ldd_minus(s->dd, group->relation, group->merged);
  if (!clew_symbolic_is_done(s, fresh)) {
    return false;
  }
  clew_dd_keep(s->dd, &fresh);
  bool added = add_rows(s, merged, group, &fresh);
  clew_dd_forget(s->dd, &fresh);
  if (added) {
    group->merged = group->relation;
  }
  return added;
}

static bool learn_all(struct symbolic *s, struct symbolic_merged *merged, uint32_t level,
                      const clew_ldd *fresh) {
  const struct symbolic_range range = s->ranges[level];
  for (uint32_t i = range.first; i < range.end; i++) {
    if (!clew_symbolic_learn_by(s, i, *fresh, s->groups[i].merged_project) ||
        !follow(s, merged, &s->groups[i])) {
      return false;
    }
  }
  return clew_symbolic_add(s, &merged->seen, *fresh);
}

/* One projection for all groups, and one difference: as a rule nothing is left. */
bool clew_symbolic_learn_merged(struct symbolic *s, uint32_t level, clew_ldd set) {
  struct symbolic_merged *merged = &s->merged[level];
  clew_ldd fresh = clew_ldd_project(s->dd, set, merged->project);
  fresh = fresh != CLEW_DD_NONE ? clew_ldd_minus(s->dd, fresh, merged->seen) : fresh;
  if (!clew_symbolic_is_done(s, fresh) || fresh == CLEW_LDD_EMPTY) {
    return fresh == CLEW_LDD_EMPTY;
  }
  clew_dd_keep(s->dd, &fresh);
  bool learnt = learn_all(s, merged, level, &fresh);
  clew_dd_forget(s->dd, &fresh);
  return learnt;
}

/* ---- opening and closing ---- */

static bool group_reads(const struct symbolic_group *group, uint32_t level) {
  for (uint32_t i = 0; i < group->part_count; i++) {
    if (group->parts[i].level == level) {
      return symbolic_reads(group->parts[i].role);
    }
  }
  return false;
}

/* Plans of projections: of vectors from the top level on, and of those that this leaves. */
static void make_projections(struct symbolic *s, uint32_t top) {
  const struct symbolic_range range = s->ranges[top];
  unsigned char *roles = clew_alloc_zero(2 * (s->level_count + (size_t)1), 1);
  unsigned char *own = roles + s->level_count + 1;
  for (uint32_t level = top; level < s->level_count; level++) {
    for (uint32_t i = range.first; i < range.end && roles[level] == CLEW_LDD_SKIP; i++) {
      roles[level] = group_reads(&s->groups[i], level) ? CLEW_LDD_READ : CLEW_LDD_SKIP;
    }
  }
  s->merged[top].project = clew_ldd_plan_projection(s->dd, roles + top, s->level_count - top);
  for (uint32_t i = range.first; i < range.end; i++) {
    uint32_t count = 0;
    for (uint32_t level = top; level < s->level_count; level++) {
      if (roles[level] == CLEW_LDD_READ) {
        own[count++] = group_reads(&s->groups[i], level) ? CLEW_LDD_READ : CLEW_LDD_SKIP;
      }
    }
    s->groups[i].merged_project = clew_ldd_plan_projection(s->dd, own, count);
  }
  clew_free(roles);
}

static void make_layer(struct symbolic *s, uint32_t top) {
  struct symbolic_merged *merged = &s->merged[top];
  const struct symbolic_range range = s->ranges[top];
  unsigned char *touched = clew_alloc_zero(s->level_count + (size_t)1, 1);
  for (uint32_t i = range.first; i < range.end; i++) {
    for (uint32_t k = 0; k < s->groups[i].part_count; k++) {
      touched[s->groups[i].parts[k].level] = 1;
    }
  }
  merged->levels = clew_alloc((s->level_count + (size_t)1) * sizeof *merged->levels);
  for (uint32_t i = top; i < s->level_count; i++) {
    if (touched[i] != 0) {
      merged->levels[merged->level_count++] = i;
    }
  }
  assert(merged->level_count > 0 && merged->levels[0] == top);
  s->layers[top] = (struct clew_ldd_layer){
      .relation = &merged->relation,
      .plan = clew_ldd_plan_fire(s->dd, touched + top, s->level_count - top)};
  clew_free(touched);
}

void clew_symbolic_open_merged(struct symbolic *s) {
  s->merged = clew_alloc_zero(s->level_count + (size_t)1, sizeof *s->merged);
  s->layers = clew_alloc_zero(s->level_count + (size_t)1, sizeof *s->layers);
  for (uint32_t i = 0; i < s->level_count; i++) {
    if (s->clocks == NULL && s->sat == SAT_FULL && s->ranges[i].end > s->ranges[i].first) {
      make_projections(s, i);
      make_layer(s, i);
    }
    clew_dd_keep(s->dd, &s->merged[i].relation);
    clew_dd_keep(s->dd, &s->merged[i].seen);
  }
}

void clew_symbolic_forget_merged(struct symbolic *s) {
  for (uint32_t i = s->level_count; i-- > 0;) {
    clew_dd_forget(s->dd, &s->merged[i].seen);
    clew_dd_forget(s->dd, &s->merged[i].relation);
  }
}

void clew_symbolic_close_merged(struct symbolic *s) {
  for (uint32_t i = 0; i < s->level_count; i++) {
    clew_free(s->merged[i].levels);
  }
  clew_free(s->merged);
  clew_free(s->layers);
  s->merged = NULL;
  s->layers = NULL;
}
