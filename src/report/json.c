/* The result as JSON. The keys are a contract (docs/manual.md): the figures come from
 * statistics.def, the rest is written here; what makes no sense for a search is left out. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/json.h"
#include "model/timed.h"
#include "report/forecast.h"
#include "report/output.h"
#include "report/version.h"

static void put_string(struct clew_json_writer *w, const char *key, const char *value) {
  if (value != NULL) {
    clew_json_key(w, key);
    clew_json_string(w, value);
  }
}

static void put_statistic(void *context, const struct clew_statistic *stat) {
  struct clew_json_writer *w = context;
  clew_json_key(w, stat->name);
  if (stat->text != NULL) {
    clew_json_string(w, stat->text);
  } else if (stat->is_real) {
    clew_json_double(w, stat->real);
  } else {
    clew_json_u64(w, stat->count);
  }
}

static void put_violation(struct clew_json_writer *w, const struct clew_model *model,
                          const struct clew_violation *violation) {
  assert(violation->property < model->property_count);
  const struct clew_property *property = &model->properties[violation->property];
  clew_json_object_open(w);
  put_string(w, "property", property->name);
  put_string(w, "kind", clew_property_word(property));
  if (violation->depth != CLEW_NONE) {
    clew_json_key_u64(w, "depth", violation->depth);
  }
  if (violation->site < model->site_count) {
    struct clew_text message = {0};
    clew_site_print(model, violation->site, &message);
    put_string(w, "error", clew_text_str(&message));
    clew_text_free(&message);
  }
  clew_json_object_close(w);
}

static void put_violations(struct clew_json_writer *w, const struct clew_model *model,
                           const struct clew_result *result) {
  clew_json_key(w, "violations");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->outcomes.violated.len; i++) {
    struct clew_violation violation = clew_report_finding(result, i);
    put_violation(w, model, &violation);
  }
  clew_json_array_close(w);
}

static const char *status_of(const struct clew_outcomes *outcomes, uint32_t property) {
  switch (outcomes->list[property].decision) {
  case CLEW_PROPERTY_HOLDS:
    return "ok";
  case CLEW_PROPERTY_VIOLATED:
    return "violated";
  case CLEW_UNDECIDED:
    break;
  }
  return clew_outcome_is_asked(outcomes, property) ? "not-decided" : "not-checked";
}

static void put_properties(struct clew_json_writer *w, const struct clew_report_info *info,
                           const struct clew_result *result) {
  clew_json_key(w, "properties");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    const struct clew_property *property = &info->model->properties[i];
    clew_json_object_open(w);
    put_string(w, "name", property->name);
    put_string(w, "kind", clew_property_word(property));
    put_string(w, "status", status_of(&result->outcomes, i));
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_unchecked_part(struct clew_json_writer *w, const char *property, const char *why) {
  clew_json_object_open(w);
  put_string(w, "property", property);
  put_string(w, "why", why);
  clew_json_object_close(w);
}

/* Whatever asks to be checked and has no answer: silence is not success. */
static void put_unchecked(struct clew_json_writer *w, const struct clew_report_info *info,
                          const struct clew_result *result) {
  const struct clew_model *model = info->model;
  clew_json_key(w, "unchecked");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < model->unchecked_count; i++) {
    put_unchecked_part(w, model->unchecked[i].name, model->unchecked[i].why);
  }
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    if (result->outcomes.list[i].decision == CLEW_UNDECIDED &&
        clew_outcome_is_asked(&result->outcomes, i)) {
      struct clew_text why = {0};
      clew_report_reason(info, result, i, &why);
      put_unchecked_part(w, model->properties[i].name, clew_text_str(&why));
      clew_text_free(&why);
    }
  }
  clew_json_array_close(w);
}

static void put_conversions(struct clew_json_writer *w, const struct clew_result *result) {
  if (result->conversions.len == 0) {
    return;
  }
  clew_json_key(w, "conversions");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->conversions.len; i++) {
    const struct clew_conversion *conversion = &result->conversions.data[i];
    clew_json_object_open(w);
    clew_json_key(w, "from");
    clew_json_string(w, conversion->from);
    clew_json_key(w, "to");
    clew_json_string(w, conversion->to);
    clew_json_key_u64(w, "states", conversion->states);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

/* The store's name and, in the same object, its counters. Without a store: those of the diagrams.
 */
static void put_store(struct clew_json_writer *w, const char *name,
                      const struct clew_counters *counters) {
  clew_json_key(w, name != NULL ? "store" : "dd");
  clew_json_object_open(w);
  put_string(w, "name", name);
  for (uint32_t i = 0; i < counters->list.len; i++) {
    const struct clew_counter *counter = &counters->list.data[i];
    switch (counter->kind) {
    case CLEW_COUNTER_COUNT:
      clew_json_key_u64(w, counter->name, counter->count);
      break;
    case CLEW_COUNTER_REAL:
      clew_json_key_double(w, counter->name, counter->real);
      break;
    case CLEW_COUNTER_TEXT:
      put_string(w, counter->name, counter->text);
      break;
    }
  }
  clew_json_object_close(w);
}

static void put_locality_figure(struct clew_json_writer *w, const char *key,
                                const struct clew_locality_figure *figure) {
  clew_json_key(w, key);
  clew_json_object_open(w);
  clew_json_key(w, "mean");
  clew_json_double(w, figure->mean);
  clew_json_key(w, "sigma");
  clew_json_double(w, figure->sigma);
  clew_json_key(w, "transitions");
  clew_json_u64(w, figure->transitions);
  clew_json_object_close(w);
}

/* Every k that occurs; 1, 0 and -1 always. */
static void put_locality_figures(struct clew_json_writer *w, const struct clew_locality *locality) {
  enum { ALWAYS = 3 };
  uint32_t len = clew_locality_len(locality);
  for (uint32_t i = 0; i < len || i < ALWAYS; i++) {
    struct clew_locality_figure figure = clew_locality_at(locality, i);
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)figure.k);
    if (figure.transitions > 0 || i < ALWAYS) {
      put_locality_figure(w, i < CLEW_LOCALITY_FAR ? key : "farther", &figure);
    }
  }
}

static void put_locality(struct clew_json_writer *w, const struct clew_locality *locality) {
  struct clew_locality_summary summary = clew_locality_summarise(locality);
  clew_json_key(w, "locality");
  clew_json_object_open(w);
  put_locality_figures(w, locality);
  clew_json_key(w, "sum_avg");
  clew_json_double(w, summary.sum_avg);
  clew_json_key(w, "states");
  clew_json_u64(w, locality->states);
  clew_json_key(w, "forward");
  clew_json_u64(w, summary.forward);
  clew_json_key(w, "level");
  clew_json_u64(w, summary.level);
  clew_json_key(w, "backward");
  clew_json_u64(w, summary.backward);
  clew_json_key(w, "self_loops");
  clew_json_u64(w, locality->loops);
  if (summary.backward > 0) {
    clew_json_key(w, "back_edge_mean");
    clew_json_double(w, summary.back_edge_mean);
    clew_json_key(w, "back_edge_max");
    clew_json_u64(w, summary.back_edge_max);
  }
  clew_json_object_close(w);
}

/* The graph itself: for explorations. */
static void put_shape(struct clew_json_writer *w, const struct clew_result *result) {
  if (result->out_degree_max != CLEW_ABSENT) {
    clew_json_key(w, "out_degree");
    clew_json_object_open(w);
    clew_json_key(w, "min");
    clew_json_u64(w, result->out_degree_min);
    double mean = clew_result_mean_degree(result);
    if (!isnan(mean)) {
      clew_json_key_double(w, "mean", mean);
    }
    clew_json_key(w, "max");
    clew_json_u64(w, result->out_degree_max);
    clew_json_object_close(w);
  }
  if (result->has_locality) {
    put_locality(w, &result->locality);
  }
  if (result->level_sizes.len > 0) {
    clew_json_key(w, "level_sizes");
    clew_json_array_open(w);
    for (uint32_t i = 0; i < result->level_sizes.len; i++) {
      clew_json_u64(w, result->level_sizes.data[i]);
    }
    clew_json_array_close(w);
  }
}

static const char *exec_name(const struct clew_model *model) {
  static const char *const names[] = {[CLEW_EXEC_INTERP] = "interp",
                                      [CLEW_EXEC_NATIVE] = "native",
                                      [CLEW_EXEC_BOTH] = "interp+native"};
  if (model->exec_info == NULL) {
    return NULL;
  }
  struct clew_exec_info exec = {0};
  model->exec_info(model, &exec);
  assert((size_t)exec.used < sizeof names / sizeof names[0]);
  return names[exec.used];
}

static const char *symmetry_notice(const struct clew_model *model) {
  struct clew_exec_info exec = {0};
  if (model->exec_info != NULL) {
    model->exec_info(model, &exec);
  }
  return exec.symmetry_notice;
}

/* The extrapolation is that of the exploration that the figures come from. */
static void put_clocks(struct clew_json_writer *w, const struct clew_timed *timed,
                       const struct clew_result *result) {
  assert(timed->clock_count > 0);
  bool is_known = result->explorations.len > 0;
  const struct clew_exploration *each =
      is_known ? &result->explorations.data[result->figures_of] : NULL;
  clew_json_key_u64(w, "clocks", timed->clock_count - 1);
  put_string(w, "extrapolation", is_known ? each->extrapolation : timed->extrapolation);
  put_string(w, "extrapolation_notice", is_known ? each->notice : timed->notice);
}

static void put_figure(struct clew_json_writer *w, const char *key, uint64_t value) {
  if (value != CLEW_ABSENT) {
    clew_json_key_u64(w, key, value);
  }
}

static void put_exploration(struct clew_json_writer *w, const struct clew_model *model,
                            const struct clew_exploration *each) {
  clew_json_object_open(w);
  clew_json_key(w, "properties");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (clew_bitset_has(each->asked, i)) {
      clew_json_string(w, model->properties[i].name);
    }
  }
  clew_json_array_close(w);
  put_string(w, "extrapolation", each->extrapolation);
  clew_json_key(w, "complete");
  clew_json_bool(w, each->complete);
  put_figure(w, "states", each->states);
  put_figure(w, "transitions", each->transitions);
  put_figure(w, "zones", each->zones);
  put_figure(w, "zones_expanded", each->zones_expanded);
  clew_json_object_close(w);
}

/* Where there are several. */
static void put_explorations(struct clew_json_writer *w, const struct clew_model *model,
                             const struct clew_result *result) {
  if (result->explorations.len < 2) {
    return;
  }
  clew_json_key(w, "explorations");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->explorations.len; i++) {
    put_exploration(w, model, &result->explorations.data[i]);
  }
  clew_json_array_close(w);
}

/* What a complete search has not met. */
static void put_coverage(struct clew_json_writer *w, const struct clew_model *model,
                         const struct clew_result *result) {
  const struct clew_coverage *coverage = &result->coverage;
  clew_json_key(w, "coverage");
  clew_json_object_open(w);
  clew_json_key(w, "rules_known");
  clew_json_bool(w, coverage->fired != NULL);
  clew_json_key(w, "values_known");
  clew_json_bool(w, coverage->has_values);
  put_string(w, "why", coverage->why);
  if (model->assumption_count > 0 && !model->has_locations) {
    clew_json_key_u64(w, "discarded", coverage->discarded);
  }
  static const struct {
    const char *kind, *key;
  } lists[] = {{"rule", "rules_never_fired"},
               {"value", "values_never_taken"},
               {"invariant", "invariants_never_tested"},
               {"variable", "variables_never_read"},
               {"unused", "never_used"}};
  struct clew_remarks remarks = {0};
  clew_coverage_remark(model, coverage, &remarks);
  for (uint32_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    clew_json_key(w, lists[i].key);
    clew_json_array_open(w);
    for (uint32_t k = 0; k < remarks.len; k++) {
      if (strcmp(remarks.data[k].kind, lists[i].kind) != 0) {
        continue;
      }
      clew_json_object_open(w);
      put_string(w, "name", remarks.data[k].name);
      put_string(w, "remark", clew_text_str(&remarks.data[k].text));
      if (remarks.data[k].line > 0) {
        clew_json_key_u64(w, "line", remarks.data[k].line);
      }
      clew_json_object_close(w);
    }
    clew_json_array_close(w);
  }
  clew_remarks_free(&remarks);
  clew_json_object_close(w);
}

static void put_trace(struct clew_json_writer *w, const struct clew_report_info *info,
                      const struct clew_result *result) {
  clew_json_key(w, "trace");
  clew_json_object_open(w);
  clew_json_key_u64(w, "length", clew_trace_length(&result->trace));
  put_string(w, "file", clew_output_file(info, &clew_output_trace));
  clew_json_object_close(w);
}

static void put_measurements(struct clew_json_writer *w, const struct clew_report_info *info,
                             const struct clew_result *result) {
  if (result->measurements.len == 0) {
    return;
  }
  clew_json_key(w, "measurements");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->measurements.len; i++) {
    const struct clew_measurement *each = &result->measurements.data[i];
    const struct clew_measured *values = &each->values;
    clew_json_object_open(w);
    put_string(w, "query", info->model->properties[each->property].name);
    put_string(w, "of", each->measure->name);
    if (values->any && each->measure->wants_most && !values->is_endless && !values->is_cut) {
      clew_json_key(w, "sup");
      clew_json_i64(w, values->most);
      clew_json_key(w, "sup_is_open");
      clew_json_bool(w, values->most_open);
    } else if (values->any && each->measure->wants_most) {
      put_string(w, "sup", values->is_endless ? "infinite" : "unknown");
    }
    if (values->any && each->measure->wants_least) {
      clew_json_key(w, "inf");
      clew_json_i64(w, values->least);
      clew_json_key(w, "inf_is_open");
      clew_json_bool(w, values->least_open);
    }
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_answer(struct clew_json_writer *w, const struct clew_report_info *info,
                       const struct clew_result *result) {
  put_string(w, "verdict", clew_verdict_name(result->verdict));
  clew_json_key_u64(w, "exit_code", (uint64_t)result->exit_code);
  put_violations(w, info->model, result);
  put_properties(w, info, result);
  put_unchecked(w, info, result);
  put_measurements(w, info, result);
  clew_json_key(w, "complete");
  clew_json_bool(w, result->scope.complete);
  clew_json_key(w, "lossless");
  clew_json_bool(w, result->scope.lossless);
  if (result->forgets) {
    clew_json_key(w, "forgets");
    clew_json_bool(w, true);
  }
  put_string(w, "stop", clew_stop_text(result->stop));
  put_string(w, "endless", info->model->endless);
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  const struct clew_model *model = info->model;
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  put_string(&w, "model", model->name);
  put_string(&w, "language", model->language);
  put_string(&w, "version", CLEW_VERSION);
  put_string(&w, "command", info->command);
  put_string(&w, "command_line", info->command_line);
  put_answer(&w, info, result);
  clew_result_each_statistic(result, put_statistic, &w);
  if (model->timed != NULL) {
    put_clocks(&w, model->timed, result);
  }
  put_explorations(&w, model, result);
  put_string(&w, "exec", exec_name(model));
  if (result->compiler_deferred) {
    clew_json_key(&w, "compiler_deferred");
    clew_json_bool(&w, true);
  }
  put_string(&w, "search", info->search);
  if (result->chosen != NULL) {
    clew_json_key(&w, "auto");
    clew_json_object_open(&w);
    put_string(&w, "chosen", result->chosen);
    put_string(&w, "why", result->chosen_why);
    clew_json_object_close(&w);
  }
  put_string(&w, "symmetry", model->reduction != NULL ? model->reduction : "off");
  put_string(&w, "symmetry_notice", symmetry_notice(model));
  if (result->walks != NULL) {
    clew_walk_put_json(model, result->walks, &w);
  } else {
    put_store(&w, info->store, &result->counters);
  }
  put_conversions(&w, result);
  if (result->scope.complete && result->scope.has_states) {
    put_coverage(&w, model, result);
  }
  clew_forecast_put_json(&w, result);
  if (result->has_trace) {
    put_trace(&w, info, result);
  }
  if (info->explores_only) {
    put_shape(&w, result);
  }
  clew_json_object_close(&w);
  clew_json_end(&w);
  return true;
}

const struct clew_output_type clew_output_json = {
    .name = "json", .standard_output = true, .write = write};
