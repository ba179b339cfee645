/* The verdict in plain words: exactly what was proved, on which states, by what. */
#include <assert.h>
#include <math.h>

#include "report/text_int.h"
#include "trace/plain.h"

static bool is_undecided(const struct clew_result *result, uint32_t property) {
  return result->outcomes.list[property].decision == CLEW_UNDECIDED &&
         clew_outcome_is_asked(&result->outcomes, property);
}

static uint32_t count_asked(const struct clew_result *result) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    count += clew_outcome_is_asked(&result->outcomes, i);
  }
  return count;
}

/* "every property", or how many of them when some are switched off. */
static void put_scope(struct clew_text *out, const struct clew_report_info *info,
                      const struct clew_result *result) {
  uint32_t asked = count_asked(result);
  uint32_t all = info->model->property_count + info->model->unchecked_count;
  if (asked == all) {
    clew_text_put(out, "every property was checked");
  } else {
    clew_text_printf(out, "%u of the %u properties %s checked", asked, all,
                     asked == 1 ? "was" : "were");
  }
}

static void put_all_states(struct clew_text *out, const struct clew_report_info *info,
                           const struct clew_result *result) {
  if (result->states == 1) {
    clew_text_put(out, "the only reachable state");
    return;
  }
  char buffer[32];
  clew_text_printf(out, "all %s reachable states%s", clew_report_states(result, buffer),
                   info->model->reduction != NULL ? " up to symmetry" : "");
}

/* "2 assumptions (line 3, 7)" */
static void put_assumption_count(struct clew_text *out, const struct clew_model *model) {
  clew_report_put_count(out, model->assumption_count, "assumption");
  const char *joint = " (line ";
  for (uint32_t i = 0; i < model->assumption_count && i < 3; i++) {
    uint32_t line = model->labels[model->assumptions[i]].position.line;
    if (line > 0) {
      clew_text_printf(out, "%s%u", joint, line);
      joint = ", ";
    }
  }
  clew_text_put(out, *joint == ',' ? ")" : "");
}

/* What the answer depends on: " under 1 assumption (line 3), by which 12 transitions are left out".
 */
static void put_assumptions(struct clew_text *out, const struct clew_report_info *info,
                            const struct clew_result *result) {
  if (info->model->assumption_count == 0 || info->model->has_locations) {
    return;
  }
  clew_text_put(out, " under ");
  put_assumption_count(out, info->model);
  if (result->coverage.fired != NULL) {
    clew_text_put(out, ", by which ");
    clew_report_put_count(out, result->coverage.discarded, "transition");
    clew_text_put(out, result->coverage.discarded == 1 ? " is left out" : " are left out");
  }
}

static bool is_success(const struct clew_report_info *info, const struct clew_result *result,
                       uint32_t property) {
  return info->model->properties[property].query == CLEW_QUERY_REACH &&
         result->outcomes.list[property].decision == CLEW_PROPERTY_HOLDS;
}

/* The query whose success a path shows; CLEW_NONE: there is none. */
static uint32_t find_success(const struct clew_report_info *info,
                             const struct clew_result *result) {
  if (result->has_trace && is_success(info, result, result->trace.property)) {
    return result->trace.property; /* whose path is shown */
  }
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    if (is_success(info, result, i)) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void put_success(struct clew_text *out, const struct clew_report_info *info,
                        const struct clew_result *result) {
  uint32_t property = find_success(info, result), more = 0;
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    more += i != property && result->outcomes.list[i].decision == CLEW_PROPERTY_HOLDS;
  }
  struct clew_violation found = {
      .property = property, .depth = result->outcomes.list[property].depth, .site = CLEW_NONE};
  clew_report_violation(info->model, &found, out);
  if (more > 0) {
    clew_text_put(out, ", and ");
    clew_report_put_count(out, more, "other");
    clew_text_put(out, more == 1 ? " holds" : " hold");
  }
  clew_text_put(out, " (");
  clew_report_put_states(out, result);
  clew_text_printf(out, " %s seen, ", result->states == 1 ? "was" : "were");
  clew_report_put_keeper(out, info, result);
  clew_text_char(out, ')');
}

static void put_holds(struct clew_text *out, const struct clew_report_info *info,
                      const struct clew_result *result) {
  if (find_success(info, result) != CLEW_NONE) {
    put_success(out, info, result);
    return;
  }
  assert(result->scope.complete && result->scope.lossless);
  put_scope(out, info, result);
  clew_text_put(out, " on ");
  put_all_states(out, info, result);
  put_assumptions(out, info, result);
  clew_text_put(out, " (complete search, ");
  clew_report_put_keeper(out, info, result);
  clew_text_char(out, ')');
}

static bool is_doubtful(const struct clew_result *result) {
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    if (result->outcomes.list[i].decision == CLEW_UNDECIDED &&
        result->outcomes.list[i].reason == CLEW_REASON_APPROXIMATE) {
      return true;
    }
  }
  return false;
}

static void put_no_violation(struct clew_text *out, const struct clew_report_info *info,
                             const struct clew_result *result) {
  if (is_doubtful(result)) {
    clew_text_put(out,
                  "the search found something, but its path could not be confirmed: clocks that "
                  "stand still are explored with more values than they have");
    return;
  }
  put_scope(out, info, result);
  clew_text_put(out, " on ");
  clew_report_put_count(out, result->states, "state");
  clew_text_printf(out, ", but the %s store may have left out states", info->store);
  if (!isnan(result->omission_probability)) {
    clew_text_printf(out, " (with a probability of at most %.2g)", result->omission_probability);
  }
}

/* A level is complete when all of its states were found, checked and expanded. The last one is
 * known in part, so the one before may not be expanded completely; unless depth was the limit. */
static void put_finished_levels(struct clew_text *out, const struct clew_result *result) {
  if (result->stop == CLEW_STOP_CALLS) {
    return; /* that can concern any level */
  }
  uint32_t known = result->level_sizes.len;
  uint32_t unfinished = result->stop == CLEW_STOP_MAX_DEPTH ? 1 : 2;
  if (known == unfinished + 1) {
    clew_text_put(out, "; level 0 is complete");
  } else if (known > unfinished) {
    clew_text_printf(out, "; levels 0..%u are complete", known - unfinished - 1);
  }
}

/* Parts of the model that nothing can check, if there are any. */
static void put_unchecked(struct clew_text *out, const char *joint,
                          const struct clew_result *result) {
  uint32_t unchecked = result->scope.unchecked + (result->scope.is_partial ? 1 : 0);
  if (unchecked > 0) {
    clew_text_printf(out, "%s%u %s of the model %s not checked", joint, unchecked,
                     unchecked == 1 ? "part" : "parts", unchecked == 1 ? "was" : "were");
  }
}

/* Why a complete search has no answer: the first reason, and how many properties are concerned. */
static void put_undecided(struct clew_text *out, const struct clew_report_info *info,
                          const struct clew_result *result) {
  uint32_t count = 0, first = CLEW_NONE;
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    if (is_undecided(result, i) && result->outcomes.list[i].reason != CLEW_REASON_LOSSY) {
      first = count == 0 ? i : first;
      count++;
    }
  }
  const char *joint = ", but ";
  if (count > 0) {
    clew_text_printf(out, "%s%u %s not decided: ", joint, count,
                     count == 1 ? "property was" : "properties were");
    clew_report_reason(info, result, first, out);
    joint = "; and ";
  }
  put_unchecked(out, joint, result);
}

/* Nothing holds of no state: that is a mistake of the model, and the sentence says whose. */
static void put_no_state(struct clew_text *out, const struct clew_report_info *info,
                         const struct clew_result *result) {
  const struct clew_model *model = info->model;
  clew_text_put(out, "no state is reachable: ");
  if (model->assumption_count > 0 && !model->has_locations) {
    put_assumption_count(out, model);
    uint64_t starts = result->coverage.discarded;
    clew_text_put(out, model->assumption_count == 1 ? " discards" : " discard");
    if (starts == 0) { /* a search on sets of states counts none */
      clew_text_put(out, " every start");
    } else if (starts == 1) {
      clew_text_put(out, " the only start");
    } else {
      clew_text_put(out, " all ");
      clew_report_put_count(out, starts, "start");
    }
  } else {
    clew_text_put(out, model->has_locations
                           ? "nothing satisfies the invariants of the initial locations"
                           : "the model has no start");
  }
  clew_text_put(out, "; nothing was checked");
}

static void put_seen_all(struct clew_text *out, const struct clew_report_info *info,
                         const struct clew_result *result) {
  assert(result->scope.complete);
  if (!result->scope.has_states) {
    put_no_state(out, info, result);
    return;
  }
  if (result->scope.lossless) {
    put_all_states(out, info, result);
  } else {
    clew_report_put_states(out, result);
  }
  clew_text_put(out, result->states == 1 ? " was explored" : " were explored");
  if (!result->scope.lossless) {
    clew_text_printf(out, " (the %s store may have left out others)", info->store);
  }
  put_undecided(out, info, result);
}

static bool is_unconfirmed(const struct clew_result *result) {
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    if (result->outcomes.list[i].decision == CLEW_UNDECIDED &&
        result->outcomes.list[i].reason == CLEW_REASON_UNCONFIRMED) {
      return true;
    }
  }
  return false;
}

/* Where the limit on nested calls was reached. */
static void put_stop_site(struct clew_text *out, const struct clew_report_info *info,
                          const struct clew_result *result) {
  if (result->stop_site < info->model->site_count) {
    struct clew_text message = {0};
    clew_site_print(info->model, result->stop_site, &message);
    clew_text_put(out, " (");
    clew_plain_put(out, clew_text_str(&message));
    clew_text_char(out, ')');
    clew_text_free(&message);
  }
}

static void put_stopped(struct clew_text *out, const struct clew_report_info *info,
                        const struct clew_result *result) {
  /* Some limits end nothing: the rest was explored. */
  bool ended = result->stop != CLEW_STOP_MAX_DEPTH && result->stop != CLEW_STOP_CALLS;
  clew_text_put(out, clew_stop_text(result->stop));
  put_stop_site(out, info, result);
  if (info->model->endless != NULL) {
    clew_text_put(out, " (");
    clew_plain_put(out, info->model->endless);
    clew_text_char(out, ')');
  }
  clew_text_put(out, ended ? " after " : ", ");
  clew_report_put_states(out, result);
  if (!ended) {
    clew_text_put(out, result->states == 1 ? " was seen" : " were seen");
  }
  if (is_unconfirmed(result)) {
    clew_text_put(out, "; a violation was found, but it could not be confirmed");
  } else if (!info->explores_only) {
    clew_text_put(out, "; no violation among the states seen");
  }
  put_finished_levels(out, result);
}

static void put_incomplete(struct clew_text *out, const struct clew_report_info *info,
                           const struct clew_result *result) {
  if (!result->scope.complete && result->stop == CLEW_STOP_DECIDED) {
    clew_text_put(out, "everything that can be checked is decided after ");
    clew_report_put_states(out, result);
    put_unchecked(out, ", but ", result);
    return;
  }
  (result->scope.complete ? put_seen_all : put_stopped)(out, info, result);
}

static void put_violated(struct clew_text *out, const struct clew_report_info *info,
                         const struct clew_result *result) {
  struct clew_violation first = clew_report_finding(result, 0);
  clew_report_violation(info->model, &first, out);
  uint32_t count = result->outcomes.violated.len;
  if (count > 1) {
    clew_text_put(out, ", and ");
    clew_report_put_count(out, count - 1, "more violation");
  }
}

/* An exploration says first whether it saw everything. */
static void put_explored(struct clew_text *out, const struct clew_report_info *info,
                         const struct clew_result *result) {
  bool complete = result->scope.complete;
  clew_report_style_on(out, info, complete ? STYLE_GOOD : STYLE_DOUBT);
  clew_text_put(out, complete ? "COMPLETE:" : "INCOMPLETE:");
  clew_report_style_off(out, info);
  clew_text_char(out, ' ');
  if (!complete) {
    put_stopped(out, info, result);
  } else if (!result->scope.has_states) {
    clew_text_put(out, "0 states: no state is reachable (");
    clew_report_put_keeper(out, info, result);
    clew_text_char(out, ')');
  } else {
    put_all_states(out, info, result);
    clew_text_printf(out, " %s explored (", result->states == 1 ? "was" : "were");
    clew_report_put_keeper(out, info, result);
    clew_text_printf(out, "%s)", result->scope.lossless ? "" : ", which may have left out states");
  }
  clew_text_put(out, ".\n");
}

void clew_report_put_verdict(struct clew_text *out, const struct clew_report_info *info,
                             const struct clew_result *result) {
  static const struct {
    const char *word;
    enum clew_report_style style;
    void (*put)(struct clew_text *out, const struct clew_report_info *info,
                const struct clew_result *result);
  } heads[] = {
      [CLEW_VERDICT_HOLDS] = {"HOLDS:", STYLE_GOOD, put_holds},
      [CLEW_VERDICT_VIOLATED] = {"VIOLATED:", STYLE_BAD, put_violated},
      [CLEW_VERDICT_NO_VIOLATION_FOUND] = {"NO VIOLATION FOUND:", STYLE_DOUBT, put_no_violation},
      [CLEW_VERDICT_INCOMPLETE] = {"INCOMPLETE:", STYLE_DOUBT, put_incomplete}};
  if (info->explores_only) {
    put_explored(out, info, result);
    return;
  }
  assert((size_t)result->verdict < sizeof heads / sizeof heads[0]);
  const char *word = heads[result->verdict].word;
  clew_report_style_on(out, info, heads[result->verdict].style);
  if (result->verdict == CLEW_VERDICT_NO_VIOLATION_FOUND && is_doubtful(result)) {
    word = "MAYBE:";
  }
  if (result->verdict == CLEW_VERDICT_INCOMPLETE && result->scope.complete &&
      !result->scope.has_states) {
    word = "ERROR:";
  }
  if (result->verdict == CLEW_VERDICT_VIOLATED) {
    struct clew_violation first = clew_report_finding(result, 0);
    word = clew_report_violation_word(info->model, &first);
  }
  bool by_path = result->verdict == CLEW_VERDICT_HOLDS && find_success(info, result) != CLEW_NONE;
  clew_text_put(out, by_path ? "SATISFIED:" : word);
  clew_report_style_off(out, info);
  clew_text_char(out, ' ');
  heads[result->verdict].put(out, info, result);
  clew_text_put(out, ".\n");
}

/* What an unfinished search knows about a property that it did not see violated. */
static const char *known_so_far(const struct clew_property *property) {
  if (clew_query_seeks(property->query)) {
    return " (not reached in the states seen)";
  }
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
    return " (none in the states seen)";
  case CLEW_PROPERTY_INVARIANT:
    return " (holds in the states seen)";
  case CLEW_PROPERTY_COVER:
  case CLEW_PROPERTY_LIVENESS:
  case CLEW_PROPERTY_PROGRESS:
  case CLEW_PROPERTY_MEASURE:
    break;
  }
  return "";
}

static void put_mark(struct clew_text *out, const struct clew_report_info *info,
                     struct clew_report_mark mark) {
  clew_text_put(out, "  ");
  clew_report_style_on(out, info, mark.style);
  clew_text_printf(out, "%-12s", mark.word);
  clew_report_style_off(out, info);
  clew_text_char(out, ' ');
}

struct clew_report_mark clew_report_mark(const struct clew_report_info *info,
                                         const struct clew_result *result, uint32_t property) {
  bool is_goal = info->model->properties[property].query == CLEW_QUERY_GOAL,
       is_reach = info->model->properties[property].query == CLEW_QUERY_REACH;
  switch (result->outcomes.list[property].decision) {
  case CLEW_PROPERTY_HOLDS:
    return (struct clew_report_mark){is_goal    ? "unreachable"
                                     : is_reach ? "satisfied"
                                                : "ok",
                                     STYLE_GOOD};
  case CLEW_PROPERTY_VIOLATED:
    return (struct clew_report_mark){is_goal    ? "REACHED"
                                     : is_reach ? "NOT SATISFIED"
                                                : "VIOLATED",
                                     STYLE_BAD};
  case CLEW_UNDECIDED:
    break;
  }
  return is_undecided(result, property) ? (struct clew_report_mark){"not decided", STYLE_DOUBT}
                                        : (struct clew_report_mark){"not checked", STYLE_FAINT};
}

static void put_remark(struct clew_text *out, const struct clew_report_info *info,
                       const struct clew_result *result, uint32_t property) {
  enum clew_reason reason = result->outcomes.list[property].reason;
  if (reason == CLEW_REASON_UNFINISHED || reason == CLEW_REASON_LOSSY) {
    clew_text_put(out, known_so_far(&info->model->properties[property]));
    return;
  }
  clew_text_put(out, " (");
  clew_report_reason(info, result, property, out);
  clew_text_char(out, ')');
}

/* "= 15", "< 15" and so on, behind what was asked. */
static void put_measurement(struct clew_text *out, const struct clew_result *result,
                            uint32_t property) {
  for (uint32_t i = 0; i < result->measurements.len; i++) {
    const struct clew_measurement *each = &result->measurements.data[i];
    if (each->property == property) {
      clew_text_put(out, ": ");
      clew_report_measurement(each, out);
    }
  }
}

void clew_report_put_property(struct clew_text *out, const struct clew_report_info *info,
                              const struct clew_result *result, uint32_t property) {
  clew_report_property_title(&info->model->properties[property], out);
  put_measurement(out, result, property);
  if (is_undecided(result, property)) {
    put_remark(out, info, result, property);
  }
}

void clew_report_put_properties(struct clew_text *out, const struct clew_report_info *info,
                                const struct clew_result *result) {
  assert(result->outcomes.count == info->model->property_count);
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    put_mark(out, info, clew_report_mark(info, result, i));
    clew_report_put_property(out, info, result, i);
    clew_text_char(out, '\n');
  }
  for (uint32_t i = 0; i < info->model->unchecked_count; i++) {
    const struct clew_unchecked *part = &info->model->unchecked[i];
    put_mark(out, info, (struct clew_report_mark){"not checked", STYLE_DOUBT});
    clew_plain_put(out, part->name);
    clew_text_put(out, " (");
    clew_plain_put(out, part->why);
    clew_text_put(out, ")\n");
  }
}
