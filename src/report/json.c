/* The result as JSON. The keys are a contract (docs/manual.md): the figures come from
 * statistics.def, the rest is written here; what makes no sense for a run is left out. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/report.h"
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
  if (stat->is_real) {
    clew_json_double(w, stat->real);
  } else {
    clew_json_u64(w, stat->count);
  }
}

static void put_violations(struct clew_json_writer *w, const struct clew_model *model,
                           const struct clew_result *result) {
  clew_json_key(w, "violations");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->violations.len; i++) {
    const struct clew_violation *violation = &result->violations.data[i];
    assert(violation->property < model->property_count);
    const struct clew_property *property = &model->properties[violation->property];
    clew_json_object_open(w);
    put_string(w, "property", property->name);
    put_string(w, "kind", clew_property_word(property));
    if (violation->depth != CLEW_NONE) {
      clew_json_key(w, "depth");
      clew_json_u64(w, violation->depth);
    }
    if (violation->site < model->site_count) {
      struct clew_text message = {0};
      clew_site_print(model, violation->site, &message);
      put_string(w, "error", clew_text_str(&message));
      clew_text_free(&message);
    }
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_properties(struct clew_json_writer *w, const struct clew_run_info *info,
                           const struct clew_result *result) {
  static const char *const names[] = {[CLEW_STATUS_NOT_CHECKED] = "not-checked",
                                      [CLEW_STATUS_OK] = "ok",
                                      [CLEW_STATUS_VIOLATED] = "violated",
                                      [CLEW_STATUS_NOT_DECIDED] = "not-decided"};
  clew_json_key(w, "properties");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < info->model->property_count; i++) {
    const struct clew_property *property = &info->model->properties[i];
    clew_json_object_open(w);
    put_string(w, "name", property->name);
    put_string(w, "kind", clew_property_word(property));
    put_string(w, "status", names[clew_report_property_status(info, result, i)]);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_value(struct clew_json_writer *w, const struct clew_json *value) {
  switch (value->kind) {
  case CLEW_JSON_NULL:
    clew_json_string(w, NULL);
    return;
  case CLEW_JSON_BOOL:
    clew_json_bool(w, value->boolean);
    return;
  case CLEW_JSON_NUMBER:
    if (value->is_integer) {
      clew_json_i64(w, value->integer);
    } else {
      clew_json_double(w, value->number);
    }
    return;
  case CLEW_JSON_STRING:
    clew_json_string(w, value->string);
    return;
  case CLEW_JSON_ARRAY:
    clew_json_array_open(w);
    for (uint32_t i = 0; i < value->count; i++) {
      put_value(w, &value->items[i]);
    }
    clew_json_array_close(w);
    return;
  case CLEW_JSON_OBJECT:
    clew_json_object_open(w);
    for (uint32_t i = 0; i < value->count; i++) {
      clew_json_key(w, value->keys[i]);
      put_value(w, &value->items[i]);
    }
    clew_json_object_close(w);
    return;
  }
}

/* The store's name and, in the same object, the counters that it gave as a JSON text. */
static void put_store(struct clew_json_writer *w, const char *name, const char *counters) {
  clew_json_key(w, "store");
  clew_json_object_open(w);
  put_string(w, "name", name);
  if (counters != NULL) {
    struct clew_arena *arena = clew_arena_open();
    size_t offset;
    const char *error;
    const struct clew_json *object =
        clew_json_parse(arena, counters, strlen(counters), &offset, &error);
    assert(object != NULL && object->kind == CLEW_JSON_OBJECT);
    for (uint32_t i = 0; object != NULL && i < object->count; i++) {
      clew_json_key(w, object->keys[i]);
      put_value(w, &object->items[i]);
    }
    clew_arena_close(arena);
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

/* What only `stats` reports. */
static void put_shape(struct clew_json_writer *w, const struct clew_result *result) {
  if (result->out_degree_max != CLEW_ABSENT) {
    clew_json_key(w, "out_degree");
    clew_json_object_open(w);
    clew_json_key(w, "min");
    clew_json_u64(w, result->out_degree_min);
    if (result->complete && result->states > 0) {
      clew_json_key(w, "mean");
      clew_json_double(w, (double)result->transitions / (double)result->states);
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

void clew_report_json(const struct clew_run_info *info, const struct clew_result *result,
                      const char *store_json, struct clew_text *out) {
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  put_string(&w, "model", info->model->name);
  put_string(&w, "language", info->model->language);
  put_string(&w, "version", CLEW_VERSION);
  put_string(&w, "command", info->command);
  put_string(&w, "command_line", info->command_line);
  put_string(&w, "verdict", clew_verdict_name(result->verdict));
  clew_json_key(&w, "exit_code");
  clew_json_u64(&w, (uint64_t)result->exit_code);
  put_violations(&w, info->model, result);
  put_properties(&w, info, result);
  clew_json_key(&w, "complete");
  clew_json_bool(&w, result->complete);
  clew_json_key(&w, "lossless");
  clew_json_bool(&w, result->lossless);
  if (result->forgets) {
    clew_json_key(&w, "forgets");
    clew_json_bool(&w, true);
  }
  put_string(&w, "stop", clew_stop_text(result->stop));
  clew_result_each_statistic(result, put_statistic, &w);
  put_string(&w, "exec", exec_name(info->model));
  put_string(&w, "search", info->search);
  put_string(&w, "symmetry", info->symmetry != NULL ? info->symmetry : "off");
  put_store(&w, info->store, store_json);
  if (result->has_trace) {
    clew_json_key(&w, "trace");
    clew_json_object_open(&w);
    clew_json_key(&w, "length");
    clew_json_u64(&w, clew_trace_length(&result->trace));
    put_string(&w, "file", info->trace_file);
    clew_json_object_close(&w);
  }
  if (strcmp(info->command, "stats") == 0) {
    put_shape(&w, result);
  }
  clew_json_object_close(&w);
  clew_json_end(&w);
}
