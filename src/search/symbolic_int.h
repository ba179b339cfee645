/* Symbolic search: sets of states as list decision diagrams (dd/ldd.h), transitions as relations
 * over short vectors that are learnt on the way.
 *
 *   levels   which bits of a state are which level of the diagrams, in an order that
 *            keeps together what belongs together                      (symbolic_levels.c)
 *   groups   edges that touch the same slots; the role of each level   (symbolic_groups.c)
 *   learn    new states are projected on the slots that a group reads; each new short
 *            state is executed once, and its transitions are added to
 *            the relation of the group                                 (symbolic_learn.c)
 *   image    the product of a set with a relation                      (symbolic_image.c)
 *   explore  images, in some order, until nothing is new
 *                                                (symbolic_explore.c, symbolic_saturate.c)
 *   judge    properties, by sets of short states and preimages         (symbolic_judge.c)
 *   path     a path to a state, through the levels that a breadth-first
 *            search with the relations learnt so far has               (symbolic_path.c)
 *
 * A short state was projected from a reachable state. The other slots are filled with those of an
 * initial state: by the contract of access sets, an edge behaves the same whatever they are. So a
 * run-time error of a short state is one of the model.
 *
 * Timed models. With `--dd ddd` levels are those of the discrete part, and vectors end in sets of
 * clock values (dd/ddd.h). A row of a relation has one more number: the action that the transition
 * does to them (symbolic_clocks.c). Counterexamples are found by a search for single states
 * (symbolic_follow.c). Transitions can be split from the delays that follow them (`--dd-split`):
 * what time does depends on the locations of all processes, what a transition does depends on few.
 *
 * Invariant: `seen` of a group has exactly the short states whose transitions are in `relation`. */
#ifndef CLEW_SEARCH_SYMBOLIC_INT_H
#define CLEW_SEARCH_SYMBOLIC_INT_H

#include "base/vec.h"
#include "dd/ddd.h"
#include "dd/saturate.h"
#include "model/timed.h"
#include "search/search_int.h"

enum symbolic_order {
  ORDER_DEFAULT,
  ORDER_BFS_PREV,
  ORDER_BFS,
  ORDER_NO_MINUS,
  ORDER_CHAIN,
  ORDER_SAT,
  ORDER_CHAIN_PREV
};
enum symbolic_sat { SAT_DEFAULT, SAT_NONE, SAT_LIKE, SAT_FULL };
enum symbolic_diagram { DIAGRAM_DEFAULT, DIAGRAM_LDD, DIAGRAM_DDD };
enum symbolic_bounds { BOUNDS_DEFAULT, BOUNDS_MINIMAL, BOUNDS_CLOSED };
enum symbolic_minus { MINUS_DEFAULT, MINUS_WHOLE, MINUS_NATIVE, MINUS_FEDERATION };
enum symbolic_form { FORM_DEFAULT, FORM_LOCAL, FORM_REDUCED, FORM_CANONICAL };
enum symbolic_semantics { SEMANTICS_DEFAULT, SEMANTICS_BOTH, SEMANTICS_UPPER };
enum symbolic_split { SPLIT_DEFAULT, SPLIT_NO, SPLIT_YES };
enum symbolic_grouping { GROUPS_DEFAULT, GROUPS_EDGE, GROUPS_MERGED, GROUPS_ONE, GROUPS_SUBSUMED };

struct symbolic_options {
  uint32_t diagram;      /* enum symbolic_diagram */
  uint32_t bounds;       /* enum symbolic_bounds */
  uint32_t minus;        /* enum symbolic_minus */
  uint32_t form;         /* enum symbolic_form */
  uint32_t semantics;    /* enum symbolic_semantics */
  uint32_t split;        /* enum symbolic_split */
  uint32_t order;        /* enum symbolic_order */
  uint32_t sat;          /* enum symbolic_sat */
  uint32_t groups;       /* enum symbolic_grouping */
  const char *variables; /* the name of an order (symbolic_variables.c), or a file */
  const char *dot;       /* file for a picture of the reachable states */
  uint64_t turn;         /* saturation: steps of the first turn; 0: the default */
  bool reorder;          /* the order of variables is changed on the way */
  bool check;            /* every short state is executed with other fillers, too */
};

/* A level: some bits of a slot. */
struct symbolic_level {
  uint32_t slot;
  uint32_t word, shift; /* where they are in a state */
  uint32_t width;
};

/* A level that a group touches. */
struct symbolic_part {
  uint32_t level;
  unsigned char role; /* enum clew_ldd_role */
};

static inline bool symbolic_reads(unsigned char role) {
  return role == CLEW_LDD_READ || role == CLEW_LDD_READ_WRITE;
}

/* Short states from which so many transitions lead. */
struct symbolic_degree {
  uint64_t degree;
  clew_ldd *sources; /* owned: its address is known to the table of nodes */
};

struct symbolic_group {
  uint32_t *edges; /* owned */
  uint32_t edge_count;
  bool is_jury;  /* learns which short states are stuck, and nothing else */
  bool is_delay; /* changes clock values only, after each transition */
  bool whole;    /* all edges of a model: their successors come from `next`, which knows about
                  * priorities */
  uint32_t top;  /* the first level that it touches; the number of levels: none */
  struct symbolic_part *parts; /* owned; in the order of levels */
  uint32_t part_count, read_count, row_length;
  bool copies;                        /* some levels are MAY_WRITE */
  uint32_t project, product, inverse; /* plans */
  uint32_t match;                     /* of states by what the group reads */
  uint32_t match_act;                 /* the same, with actions on their clock values */
  uint32_t match_quiet;              /* … and by the values that it writes without reading them */
  uint32_t low_project, low_product; /* of the levels from `top` on */
  uint32_t low_delay_project, low_delay_product; /* of the delay, likewise */
  clew_ldd seen, relation;
  uint32_t merged_project; /* of what all groups of the top level read */
  clew_ldd merged; /* the part of the relation that is in that of all groups of the top level */
  /* For deadlocks: short states that surely go somewhere else; and, where that depends on slots
   * that are written but not read, those that do not (`still`), with the values that they write
   * (`quiet`). */
  clew_ldd moves, still, quiet; /* clock values: moves has actions that make those that lead on */
  clew_ldd suspects; /* clock values: short states with a run-time error, and actions that make the
                      * values for which it happens */
  CLEW_VEC(struct symbolic_degree) degrees; /* where transitions are counted */
};

/* The groups of a top level. */
struct symbolic_range {
  uint32_t first, end;
};

/* … and the relations of all of them as one (symbolic_merge.c). */
struct symbolic_merged {
  uint32_t *levels, level_count; /* owned: those that one of the groups touches */
  uint32_t project;              /* on what one of the groups reads */
  clew_ldd relation;
  clew_ldd seen; /* such projections, for which all groups have learnt their transitions */
};

/* A label of a property. */
struct symbolic_label {
  uint32_t property, label;
  uint32_t *levels; /* owned: those that it reads */
  uint32_t level_count;
  uint32_t project, match, match_act;
  clew_ldd seen, holds, fails; /* short states; clock values: fails has actions that make those for
                                * which the label is false */
  bool told_fault;
};

/* A run-time error of a short state. */
struct symbolic_fault {
  uint32_t group, edge, site;
  uint32_t action; /* clock values: makes those for which it happens */
  uint32_t *row;   /* owned: what the group reads */
};

/* A state that was found one by one, and the path to it. */
struct symbolic_found {
  uint64_t *state; /* owned, as the edges */
  uint32_t *edges;
  uint32_t edge_count, initial;
};

struct symbolic {
  struct clew_run run;
  struct clew_dd *dd; /* NULL: there was no memory for it */
  const struct symbolic_options *options;
  enum symbolic_order order;
  enum symbolic_sat sat;
  uint32_t layer;                /* --sat like: the top level whose groups are applied next */
  struct clew_ddd_space *clocks; /* vectors end in clock values; NULL: they do not */
  struct clew_timed_leap leap;   /* with clocks: scratch */
  CLEW_VEC(struct clew_ddd_step) steps;

  struct symbolic_level *levels;
  uint32_t level_count;
  struct symbolic_group *groups;
  uint32_t group_count;
  bool has_jury; /* groups[group_count]: all edges together, asked about deadlocks */
  bool is_split; /* groups[group_count]: the delay, which the other groups leave out */
  struct symbolic_range *ranges;  /* by level; the last one is of groups that touch none */
  struct symbolic_merged *merged; /* by level, for saturation without clocks */
  struct clew_ldd_layer *layers;  /* … as the diagrams see them */
  uint64_t turn_end; /* saturation: steps at which the other way is tried; 0: there is no other */
  uint32_t last_top; /* the lowest level that groups belong to */
  struct symbolic_label *labels;
  uint32_t label_count;
  bool has_priorities;
  bool may_copy;         /* relations may copy values (CLEW_LDD_MAY_WRITE) */
  bool wants_deadlocks;  /* they are asked for, or counted */
  bool wants_statements; /* that bodies reach: covers */
  bool counts_transitions;

  uint64_t *filler, *other_filler, *state, *successor; /* a state each */
  uint64_t *twin, *twin_successor; /* what s->state becomes where other values are not read */
  uint32_t *vector;                /* a value per level */

  clew_ldd initial, visited;
  clew_ldd fresh;    /* states that no property has been evaluated for */
  clew_ldd expanded; /* states whose transitions are known since, not judged as deadlocks */
  clew_ldd frontier; /* orders that have one */
  uint64_t rounds;
  /* When the round that is under way began (symbolic_save.c). */
  struct {
    clew_ldd visited, frontier;
    uint64_t rounds, states;
    uint32_t level_count;
  } before;
  bool in_round;
  bool paused;       /* … and was left, so that the search can be kept; it goes on */
  bool cannot_pause; /* it cannot be kept */
  double round_began_s, pause_from_s, pause_for_s; /* of clew_clock_wall_s; how long it is let be */
  uint64_t reorder_at;             /* nodes of the visited states at which they are sifted again */
  uint32_t reorderings;            /* so far */
  int64_t sifted;                  /* nodes that all of them went through */
  bool begun, ended;               /* ended: everything reachable was visited */
  uint64_t deadlocks, transitions; /* CLEW_ABSENT: not counted */
  /* By breadth-first search with what was learnt; owned by the path to a violation. */
  CLEW_VEC(clew_ldd *) rings;
  CLEW_VEC(struct symbolic_found) found; /* with clocks */
  CLEW_VEC(struct symbolic_fault) faults;
};

static inline struct symbolic *symbolic_of(struct clew_run *run) {
  return (struct symbolic *)(void *)run;
}

/* Whether an operation on diagrams has an answer; if not, the run is stopped. */
bool clew_symbolic_is_done(struct symbolic *s, clew_ldd result);
/* *set = *set united with `more`; false when the run is stopped. */
bool clew_symbolic_add(struct symbolic *s, clew_ldd *set, clew_ldd more);

/* ---- symbolic_variables.c ---- */

/* The order of slots of this name, or that of a file: place[slot]. False, with a message, when the
 * file is wrong; the order is that of the declarations then. */
bool clew_symbolic_order_slots(const struct clew_model *model, const char *name, uint32_t *place,
                               struct clew_diag_sink *diags);

/* ---- symbolic_levels.c ---- */

void clew_symbolic_open_levels(struct symbolic *s);
void clew_symbolic_get_vector(const struct symbolic *s, const uint64_t *state, uint32_t *vector);
void clew_symbolic_set_state(const struct symbolic *s, const uint32_t *vector, uint64_t *state);

static inline uint32_t symbolic_get(const struct symbolic_level *level, const uint64_t *state) {
  return (uint32_t)(state[level->word] >> level->shift) & ((1U << level->width) - 1);
}

static inline void symbolic_set(const struct symbolic_level *level, uint64_t *state,
                                uint32_t value) {
  uint64_t mask = (UINT64_C(1) << level->width) - 1;
  state[level->word] = (state[level->word] & ~(mask << level->shift)) | (uint64_t)value
                                                                            << level->shift;
}

/* ---- symbolic_groups.c ---- */

void clew_symbolic_open_groups(struct symbolic *s);
/* How many of all pairs of a group and a level the matrix has: the group touches the level. The
 * delay, if it is a group, is one of them. */
double clew_symbolic_density(const struct symbolic *s);
void clew_symbolic_close_groups(struct symbolic *s);
/* Closes them while the table of nodes goes on. */
void clew_symbolic_forget_groups(struct symbolic *s);
/* Whether transitions are split from delays; why they cannot be, or NULL. */
bool clew_symbolic_wants_split(const struct symbolic *s);
const char *clew_symbolic_refuse_split(const struct clew_model *model);
/* One more group, behind the others: s->has_jury. */
void clew_symbolic_open_jury(struct symbolic *s);
/* Whether some edges give way to others. */
bool clew_symbolic_has_priorities(const struct clew_model *model);

/* ---- symbolic_learn.c ---- */

/* The transitions of the group in the states of a set; with `low`, of vectors from the top level of
 * the group on. False: the run is stopped. */
bool clew_symbolic_learn(struct symbolic *s, uint32_t group, clew_ldd set, bool low);

/* The same by a plan of another projection. */
bool clew_symbolic_learn_by(struct symbolic *s, uint32_t group, clew_ldd set, uint32_t plan);

/* ---- symbolic_image.c ---- */

/* The states to which a group, learnt for the set, leads from there; CLEW_DD_NONE: the run is
 * stopped. Those of `known`, which is kept, may be left out if delays would come from them alone.
 * With `low`: of vectors from the top level of the group on. */
clew_ldd clew_symbolic_image(struct symbolic *s, uint32_t group, clew_ldd set,
                             const clew_ldd *known, bool low);
/* What delays make of a set that transitions were applied to; the set itself unless they are
 * split. */
clew_ldd clew_symbolic_delay(struct symbolic *s, clew_ldd set);

/* ---- symbolic_clocks.c ---- */

/* Why the model cannot be searched with clock values in diagrams, or NULL. */
/* Whether what was chosen needs diagrams with lower bounds at low edges. */
bool clew_symbolic_needs_both(const struct symbolic_options *options);
const char *clew_symbolic_refuse_clocks(const struct clew_model *model);
/* False: the numbers of clocks are too large. */
bool clew_symbolic_open_clocks(struct symbolic *s);
void clew_symbolic_close_clocks(struct symbolic *s);
/* The clock values of a state that the model has made. */
clew_ddd clew_symbolic_clocks_of(struct symbolic *s, const uint64_t *state);
/* What the edge does in s->state; its action goes to *action, and the one that makes the values
 * that can take it (now or after a delay) to *escape. False: it cannot be taken; if s->leap.site is
 * an error, *action makes the values for which it happens. */
bool clew_symbolic_leap(struct symbolic *s, uint32_t edge, uint32_t *action, uint32_t *escape);
/* What time does in s->state. */
uint32_t clew_symbolic_dwell(struct symbolic *s);
/* The actions that make the values for which the label is false in s->state: appended to `actions`.
 * *site: an error of the label. */
struct symbolic_actions {
  CLEW_VEC(uint32_t) list;
};
void clew_symbolic_falsify(struct symbolic *s, uint32_t label, struct symbolic_actions *actions,
                           uint32_t *site);
/* Whether a label can be judged by clock values alone. */
bool clew_symbolic_can_falsify(struct symbolic *s, uint32_t label);

/* ---- symbolic_follow.c ---- */

/* A state that violates the property, by a breadth-first search for single states; the finding gets
 * its depth, and s->found the path. False: there was no memory, or the run is stopped. */
bool clew_symbolic_follow(struct symbolic *s, struct clew_finding *finding, uint64_t *state);
bool clew_symbolic_follow_path(struct clew_run *run, const uint64_t *state,
                               struct clew_trace *trace);

/* ---- symbolic_explore.c ---- */

/* Whether rounds are breadth-first levels. */
bool clew_symbolic_has_levels(const struct symbolic *s);
/* A round. False: nothing is new, or the run is stopped. */
bool clew_symbolic_step(struct symbolic *s);

/* ---- symbolic_reorder.c ---- */

/* Changes the order of levels if that is asked for, due, and pays. False: the run is stopped. */
bool clew_symbolic_may_reorder(struct symbolic *s);
/* Before saturation: chaining until there is something to sift. False: the run is stopped. */
bool clew_symbolic_sample(struct symbolic *s);

/* ---- symbolic_save.c ---- */

/* A round begins, or one that was left in the middle does again. */
void clew_symbolic_begin_round(struct symbolic *s);
/* Whether the round is to be left, because the search is to be kept, perhaps as it is about to end:
 * s->paused. */
bool clew_symbolic_pauses(struct symbolic *s, bool is_urgent_only);
/* Operations of the engine. */
const char *clew_symbolic_cannot_save(const struct clew_search *search);
bool clew_symbolic_save(struct clew_run *run, bool is_last, struct clew_cut *cut);
bool clew_symbolic_load(struct clew_run *run);

/* ---- symbolic_merge.c ---- */

void clew_symbolic_open_merged(struct symbolic *s);
void clew_symbolic_close_merged(struct symbolic *s);
void clew_symbolic_forget_merged(struct symbolic *s); /* as for groups */
/* All groups of a level learn from a set of vectors from the level on, and the relation of all of
 * them has what they know. False: the run is stopped. */
bool clew_symbolic_learn_merged(struct symbolic *s, uint32_t level, clew_ldd set);

/* ---- symbolic_saturate.c ---- */

bool clew_symbolic_saturate(struct symbolic *s);

/* ---- symbolic_judge.c ---- */

void clew_symbolic_open_labels(struct symbolic *s);
void clew_symbolic_close_labels(struct symbolic *s);
void clew_symbolic_forget_labels(struct symbolic *s); /* as for groups */
/* Evaluates the properties of s->fresh, and empties it. False: the run is stopped. */
bool clew_symbolic_judge(struct symbolic *s);
/* All transitions of the visited states, after a complete search. */
bool clew_symbolic_count_transitions(struct symbolic *s);
/* The states of a set that are stuck; CLEW_DD_NONE when the run is stopped. */
clew_ldd clew_symbolic_stuck(struct symbolic *s, clew_ldd set);
void clew_symbolic_check_liveness(struct clew_run *run);

/* ---- symbolic_path.c ---- */

/* The first level that meets the set, which was visited, and the least state there; false when the
 * run is stopped. */
bool clew_symbolic_locate(struct symbolic *s, clew_ldd set, uint32_t *depth, uint64_t *state);
bool clew_symbolic_find_path(struct clew_run *run, const uint64_t *state, struct clew_trace *trace);
/* Operations of a run (search_int.h). */
uint32_t clew_symbolic_list_states(struct clew_run *run, const uint64_t *after, uint64_t *states,
                                   uint32_t most);
uint32_t clew_symbolic_depth_of(struct clew_run *run, const uint64_t *state);
void clew_symbolic_forget_rings(struct symbolic *s);

#endif
