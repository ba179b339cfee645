/* The verdict in plain words: exactly what was proved, on which states, by what. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "report/text_int.h"
#include "trace/plain.h"

enum clew_property_status clew_report_property_status(const struct clew_run_info *info,
                                                      const struct clew_result *result,
                                                      uint32_t property) {
  assert(property < info->model->property_count);
  if (!clew_bitset_has(info->enabled, property)) {
    return CLEW_STATUS_NOT_CHECKED;
  }
  for (uint32_t i = 0; i < result->violations.len; i++) {
    if (result->violations.data[i].property == property) {
      return CLEW_STATUS_VIOLATED;
    }
  }
  bool undecided = info->undecided != NULL && clew_bitset_has(info->undecided, property);
  return result->complete && result->lossless && !undecided ? CLEW_STATUS_OK
                                                            : CLEW_STATUS_NOT_DECIDED;
}

/* Names that say their kind: what every model has, and "invariant 3", made by a front end. */
static bool names_its_kind(const struct clew_property *property) {
  if (property->query != CLEW_QUERY_NONE) {
    return false; /* named after an expression */
  }
  const char *kind = clew_property_kind_name(property->kind);
  bool implicit = property->position.line == 0 && (property->kind == CLEW_PROPERTY_DEADLOCK ||
                                                   property->kind == CLEW_PROPERTY_FAULT);
  return implicit || strncmp(property->name, kind, strlen(kind)) == 0;
}

void clew_report_property_title(const struct clew_property *property, struct clew_text *out) {
  assert(property->name != NULL);
  if (names_its_kind(property)) {
    clew_plain_put(out, property->name);
    return;
  }
  clew_text_printf(out, "%s \"", clew_property_word(property));
  clew_plain_put(out, property->name);
  clew_text_char(out, '"');
}

static void put_steps(struct clew_text *out, const struct clew_violation *violation) {
  if (violation->depth == 0) {
    clew_text_put(out, "in an initial state");
  } else if (violation->depth != CLEW_NONE) {
    clew_text_put(out, "after ");
    text_put_count(out, violation->depth, "step");
  }
}

static void put_site(const struct clew_model *model, uint32_t site, struct clew_text *out) {
  if (site < model->site_count) {
    struct clew_text message = {0};
    clew_site_print(model, site, &message);
    clew_text_put(out, ": ");
    clew_plain_put(out, clew_text_str(&message));
    clew_text_free(&message);
  }
}

void clew_report_violation(const struct clew_model *model, const struct clew_violation *violation,
                           struct clew_text *out) {
  assert(violation->property < model->property_count);
  const struct clew_property *property = &model->properties[violation->property];
  if (violation->site != CLEW_NONE && property->kind != CLEW_PROPERTY_FAULT) {
    clew_report_property_title(property, out);
    clew_text_put(out, " cannot be evaluated ");
    put_steps(out, violation);
    put_site(model, violation->site, out);
    return;
  }
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
    clew_text_put(out, "a deadlock is reached ");
    put_steps(out, violation);
    return;
  case CLEW_PROPERTY_FAULT: {
    bool assertion = violation->site < model->site_count &&
                     model->sites[violation->site].kind == CLEW_SITE_ASSERTION;
    clew_text_put(out, assertion ? "an assertion fails " : "a run-time error happens ");
    put_steps(out, violation);
    put_site(model, violation->site, out);
    return;
  }
  case CLEW_PROPERTY_INVARIANT:
    clew_report_property_title(property, out);
    clew_text_put(out, property->query == CLEW_QUERY_GOAL ? " is reached " : " fails ");
    put_steps(out, violation);
    return;
  case CLEW_PROPERTY_COVER:
    clew_report_property_title(property, out);
    clew_text_put(out, " is never reached");
    return;
  case CLEW_PROPERTY_LIVENESS:
    clew_report_property_title(property, out);
    clew_text_put(out, " can never hold again ");
    put_steps(out, violation);
    return;
  }
}

static uint32_t count_enabled(const struct clew_run_info *info) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < info->model->property_count; i++) {
    count += clew_bitset_has(info->enabled, i);
  }
  return count;
}

/* "every property", or how many of them when some are switched off. */
static void put_scope(struct clew_text *out, const struct clew_run_info *info) {
  uint32_t enabled = count_enabled(info), all = info->model->property_count;
  if (enabled == all) {
    clew_text_put(out, "every property was checked");
  } else {
    clew_text_printf(out, "%u of the %u properties %s checked", enabled, all,
                     enabled == 1 ? "was" : "were");
  }
}

static void put_all_states(struct clew_text *out, const struct clew_run_info *info,
                           const struct clew_result *result) {
  if (result->states == 1) {
    clew_text_put(out, "the only reachable state");
    return;
  }
  char buffer[32];
  clew_text_printf(out, "all %s reachable states%s", clew_text_count(result->states, buffer),
                   info->symmetry != NULL ? " up to symmetry" : "");
}

static void put_holds(struct clew_text *out, const struct clew_run_info *info,
                      const struct clew_result *result) {
  assert(result->complete && result->lossless);
  put_scope(out, info);
  clew_text_put(out, " on ");
  put_all_states(out, info, result);
  clew_text_printf(out, " (complete search, %s store)", info->store);
}

static void put_no_violation(struct clew_text *out, const struct clew_run_info *info,
                             const struct clew_result *result) {
  put_scope(out, info);
  clew_text_put(out, " on ");
  text_put_count(out, result->states, "state");
  clew_text_printf(out, ", but the %s store may have left out states", info->store);
  if (!isnan(result->omission_probability)) {
    clew_text_printf(out, " (with a probability of at most %.2g)", result->omission_probability);
  }
}

/* A level is complete when all of its states were found, checked and expanded. The last one is
 * known in part, so the one before may not be expanded completely; unless depth was the limit. */
static void put_finished_levels(struct clew_text *out, const struct clew_result *result) {
  uint32_t known = result->level_sizes.len;
  uint32_t unfinished = result->stop == CLEW_STOP_MAX_DEPTH ? 1 : 2;
  if (known == unfinished + 1) {
    clew_text_put(out, "; level 0 is complete");
  } else if (known > unfinished) {
    clew_text_printf(out, "; levels 0..%u are complete", known - unfinished - 1);
  }
}

static void put_incomplete(struct clew_text *out, const struct clew_run_info *info,
                           const struct clew_result *result, bool is_stats) {
  if (result->complete) {
    put_all_states(out, info, result);
    clew_text_put(out, result->states == 1 ? " was" : " were");
    clew_text_printf(out, " explored, but the search %s cannot decide every property",
                     info->search);
    return;
  }
  /* Reaching the depth limit ends nothing: the rest was explored. */
  bool ended = result->stop != CLEW_STOP_MAX_DEPTH;
  clew_text_printf(out, "%s%s", clew_stop_text(result->stop), ended ? " after " : ", ");
  text_put_count(out, result->states == CLEW_ABSENT ? 0 : result->states, "state");
  clew_text_put(out, ended ? "" : " were seen");
  if (!is_stats) {
    clew_text_put(out, "; no violation among the states seen");
  }
  put_finished_levels(out, result);
}

static void put_violated(struct clew_text *out, const struct clew_run_info *info,
                         const struct clew_result *result) {
  assert(result->violations.len > 0);
  clew_report_violation(info->model, &result->violations.data[0], out);
  if (result->violations.len > 1) {
    clew_text_put(out, ", and ");
    text_put_count(out, result->violations.len - 1, "more violation");
  }
}

/* `stats` explores; what it says first is whether it saw everything. */
static void put_explored(struct clew_text *out, bool color, const struct clew_run_info *info,
                         const struct clew_result *result) {
  text_style_on(out, color, result->complete ? STYLE_GOOD : STYLE_DOUBT);
  clew_text_put(out, result->complete ? "COMPLETE:" : "INCOMPLETE:");
  text_style_off(out, color);
  clew_text_char(out, ' ');
  if (!result->complete) {
    put_incomplete(out, info, result, true);
  } else {
    put_all_states(out, info, result);
    clew_text_printf(out, " %s explored (%s store%s)", result->states == 1 ? "was" : "were",
                     info->store, result->lossless ? "" : ", which may have left out states");
  }
  clew_text_put(out, ".\n");
}

void text_put_verdict(struct clew_text *out, bool color, const struct clew_run_info *info,
                      const struct clew_result *result) {
  if (text_is_stats(info)) {
    put_explored(out, color, info, result);
    return;
  }
  static const struct {
    const char *word;
    enum text_style style;
  } heads[] = {[CLEW_VERDICT_HOLDS] = {"HOLDS:", STYLE_GOOD},
               [CLEW_VERDICT_VIOLATED] = {"VIOLATED:", STYLE_BAD},
               [CLEW_VERDICT_NO_VIOLATION_FOUND] = {"NO VIOLATION FOUND:", STYLE_DOUBT},
               [CLEW_VERDICT_INCOMPLETE] = {"INCOMPLETE:", STYLE_DOUBT}};
  assert((size_t)result->verdict < sizeof heads / sizeof heads[0]);
  text_style_on(out, color, heads[result->verdict].style);
  clew_text_put(out, heads[result->verdict].word);
  text_style_off(out, color);
  clew_text_char(out, ' ');
  switch (result->verdict) {
  case CLEW_VERDICT_HOLDS:
    put_holds(out, info, result);
    break;
  case CLEW_VERDICT_VIOLATED:
    put_violated(out, info, result);
    break;
  case CLEW_VERDICT_NO_VIOLATION_FOUND:
    put_no_violation(out, info, result);
    break;
  case CLEW_VERDICT_INCOMPLETE:
    put_incomplete(out, info, result, false);
    break;
  }
  clew_text_put(out, ".\n");
}

/* What an unfinished search knows about a property that it did not see violated. */
static const char *known_so_far(const struct clew_property *property) {
  if (property->query == CLEW_QUERY_GOAL) {
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
    break;
  }
  return "";
}

void text_put_properties(struct clew_text *out, bool color, const struct clew_run_info *info,
                         const struct clew_result *result) {
  static const struct {
    const char *word;
    enum text_style style;
  } marks[] = {[CLEW_STATUS_NOT_CHECKED] = {"not checked", STYLE_FAINT},
               [CLEW_STATUS_OK] = {"ok", STYLE_GOOD},
               [CLEW_STATUS_VIOLATED] = {"VIOLATED", STYLE_BAD},
               [CLEW_STATUS_NOT_DECIDED] = {"not decided", STYLE_DOUBT}};
  static const char *const goal_words[] = {[CLEW_STATUS_NOT_CHECKED] = "not checked",
                                           [CLEW_STATUS_OK] = "unreachable",
                                           [CLEW_STATUS_VIOLATED] = "REACHED",
                                           [CLEW_STATUS_NOT_DECIDED] = "not decided"};
  for (uint32_t i = 0; i < info->model->property_count; i++) {
    const struct clew_property *property = &info->model->properties[i];
    enum clew_property_status status = clew_report_property_status(info, result, i);
    clew_text_put(out, "  ");
    text_style_on(out, color, marks[status].style);
    bool is_goal = property->query == CLEW_QUERY_GOAL;
    clew_text_printf(out, "%-12s", is_goal ? goal_words[status] : marks[status].word);
    text_style_off(out, color);
    clew_text_char(out, ' ');
    clew_report_property_title(property, out);
    if (status == CLEW_STATUS_NOT_DECIDED) {
      clew_text_put(out, known_so_far(property));
    }
    clew_text_char(out, '\n');
  }
}
