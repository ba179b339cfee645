/* Sentences about properties that all reports share. */
#include <assert.h>
#include <string.h>

#include "report/report.h"
#include "report/text_int.h"
#include "trace/plain.h"

/* Names that say their kind: what every model has, and "invariant 3", made by a front end. */
static bool names_its_kind(const struct clew_property *property) {
  if (property->query != CLEW_QUERY_NONE && property->kind == CLEW_PROPERTY_INVARIANT) {
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
    if (property->position.line > 0) {
      clew_text_printf(out, " (line %u)", property->position.line);
    }
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
    clew_report_put_count(out, violation->depth, "step");
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

const char *clew_report_violation_word(const struct clew_model *model,
                                       const struct clew_violation *violation) {
  assert(violation->property < model->property_count);
  if (violation->site != CLEW_NONE) {
    return "VIOLATED:";
  }
  switch (model->properties[violation->property].query) {
  case CLEW_QUERY_GOAL:
    return "REACHED:";
  case CLEW_QUERY_REACH:
    return violation->depth != CLEW_NONE ? "SATISFIED:" : "VIOLATED:";
  case CLEW_QUERY_NONE:
  case CLEW_QUERY_INVARIANT:
    break;
  }
  return "VIOLATED:";
}

/* The property whose evaluation ended in the run-time error that the trace shows. */
static void put_reader(const struct clew_model *model, const struct clew_violation *violation,
                       struct clew_text *out) {
  uint32_t reader =
      violation->trace != NULL ? clew_trace_reader(model, violation->trace) : CLEW_NONE;
  if (reader != CLEW_NONE) {
    clew_text_put(out, ", where ");
    clew_report_property_title(&model->properties[reader], out);
    clew_text_put(out, " is evaluated");
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
  if (property->kind == CLEW_PROPERTY_PROGRESS && violation->site == CLEW_NONE) {
    bool succeeds = property->query == CLEW_QUERY_REACH;
    clew_report_property_title(property, out);
    if (succeeds && violation->depth == CLEW_NONE) {
      clew_text_put(out, " is true of no run");
    } else {
      clew_text_put(out, succeeds ? " is true of a run that is shown by "
                                  : " is false of a run that is shown by ");
      clew_report_put_count(out, violation->depth, "step");
    }
    return;
  }
  if (property->query == CLEW_QUERY_REACH && violation->site == CLEW_NONE) {
    clew_report_property_title(property, out);
    clew_text_put(out,
                  violation->depth == CLEW_NONE ? " is true in no reachable state" : " is true ");
    put_steps(out, violation);
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
    put_reader(model, violation, out);
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
    clew_text_put(out, property->refusal != NULL ? " fails: " : " is never reached");
    clew_text_put(out, property->refusal != NULL ? property->refusal : "");
    return;
  case CLEW_PROPERTY_PROGRESS: /* said above */
  case CLEW_PROPERTY_MEASURE:  /* cannot be violated */
    return;
  case CLEW_PROPERTY_LIVENESS:
    clew_report_property_title(property, out);
    clew_text_put(out, " can never hold again ");
    put_steps(out, violation);
    return;
  }
}

struct clew_violation clew_report_finding(const struct clew_result *result, uint32_t place) {
  assert(place < result->outcomes.violated.len);
  uint32_t property = result->outcomes.violated.data[place];
  assert(property < result->outcomes.count);
  const struct clew_outcome *outcome = &result->outcomes.list[property];
  return (struct clew_violation){property, outcome->depth, outcome->site,
                                 clew_result_trace_of(result, property)};
}

void clew_report_reason(const struct clew_report_info *info, const struct clew_result *result,
                        uint32_t property, struct clew_text *out) {
  assert(property < result->outcomes.count);
  assert(result->outcomes.list[property].decision == CLEW_UNDECIDED);
  switch (result->outcomes.list[property].reason) {
  case CLEW_REASON_NOT_ASKED:
    clew_text_put(out, "it was not asked for");
    return;
  case CLEW_REASON_UNFINISHED:
    clew_text_printf(out, "the search is not complete: %s", clew_stop_text(result->stop));
    return;
  case CLEW_REASON_LOSSY:
    clew_text_printf(out, "the %s store may have left out states", info->store);
    return;
  case CLEW_REASON_STORE:
    clew_text_printf(out, "the %s store does not keep the graph that it takes", info->store);
    return;
  case CLEW_REASON_ENGINE:
    clew_text_printf(out, "the search %s does not decide properties of kind %s", info->search,
                     clew_property_kind_name(info->model->properties[property].kind));
    return;
  case CLEW_REASON_PARTIAL:
    clew_text_put(out, "the model does not have all behaviour of its text");
    return;
  case CLEW_REASON_LIMIT:
    clew_text_put(out, "it gets larger than clew remembers");
    return;
  case CLEW_REASON_UNCONFIRMED:
    clew_text_put(out, "a violation was found, but it could not be confirmed");
    return;
  case CLEW_REASON_RANKS:
    clew_text_put(out, "a search over several processes does not decide it");
    return;
  case CLEW_REASON_APPROXIMATE:
    clew_text_put(out,
                  "it may be so, but stopwatches are explored with more values than they have");
    return;
  case CLEW_REASON_SKIPPED:
    clew_text_put(out, "a violation of another property came first");
    return;
  case CLEW_REASON_NO_STATE:
    clew_text_put(out, "no state is reachable");
    return;
  }
}

void clew_report_measurement(const struct clew_measurement *measurement, struct clew_text *out) {
  const struct clew_measured *values = &measurement->values;
  const struct clew_measure *asked = measurement->measure;
  clew_plain_put(out, asked->name);
  if (!values->any) {
    clew_text_put(out, " has no value");
    return;
  }
  if (asked->wants_most && values->is_endless) {
    clew_text_put(out, " grows without bound");
  } else if (asked->wants_most && values->is_cut) {
    clew_text_put(out, " grows beyond what clew remembers");
  } else if (asked->wants_most) {
    clew_text_printf(out, " is %s %lld", values->most_open ? "less than" : "at most",
                     (long long)values->most);
  }
  if (asked->wants_least) {
    clew_text_printf(out, "%s %s %lld", asked->wants_most ? " and" : " is",
                     values->least_open ? "greater than" : "at least", (long long)values->least);
  }
}
