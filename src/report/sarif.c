/* SARIF documents: a run of the tool with a list of results, each with a rule, a level, a message
 * and a place. */
#include "report/sarif.h"

#include <assert.h>

#include "base/json.h"
#include "report/output.h"
#include "report/version.h"

static void put(struct clew_json_writer *w, const char *key, const char *value) {
  clew_json_key(w, key);
  clew_json_string(w, value);
}

static void open(struct clew_json_writer *w) {
  clew_json_object_open(w);
  put(w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  put(w, "version", "2.1.0");
  clew_json_key(w, "runs");
  clew_json_array_open(w);
  clew_json_object_open(w);
  clew_json_key(w, "tool");
  clew_json_object_open(w);
  clew_json_key(w, "driver");
  clew_json_object_open(w);
  put(w, "name", "clew");
  put(w, "version", CLEW_VERSION);
  clew_json_object_close(w);
  clew_json_object_close(w);
  clew_json_key(w, "results");
  clew_json_array_open(w);
}

static void close(struct clew_json_writer *w) {
  clew_json_array_close(w);
  clew_json_object_close(w);
  clew_json_array_close(w);
  clew_json_object_close(w);
  clew_json_end(w);
}

static void put_result(struct clew_json_writer *w, const char *rule, const char *level,
                       const char *message, const char *file, struct clew_position position) {
  clew_json_object_open(w);
  put(w, "ruleId", rule);
  put(w, "level", level);
  clew_json_key(w, "message");
  clew_json_object_open(w);
  put(w, "text", message);
  clew_json_object_close(w);
  if (file != NULL) {
    clew_json_key(w, "locations");
    clew_json_array_open(w);
    clew_json_object_open(w);
    clew_json_key(w, "physicalLocation");
    clew_json_object_open(w);
    clew_json_key(w, "artifactLocation");
    clew_json_object_open(w);
    put(w, "uri", file);
    clew_json_object_close(w);
    if (position.line > 0) {
      clew_json_key(w, "region");
      clew_json_object_open(w);
      clew_json_key_u64(w, "startLine", position.line);
      if (position.column > 0) {
        clew_json_key_u64(w, "startColumn", position.column);
      }
      clew_json_object_close(w);
    }
    clew_json_object_close(w);
    clew_json_object_close(w);
    clew_json_array_close(w);
  }
  clew_json_object_close(w);
}

void clew_sarif_diagnostics(const struct clew_diag_sink *diags, struct clew_text *out) {
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  open(&w);
  for (uint32_t i = 0; i < diags->len; i++) {
    const struct clew_diag *diag = &diags->data[i];
    put_result(&w, "model", diag->severity == CLEW_ERROR ? "error" : "warning", diag->message,
               diag->file, diag->position);
  }
  close(&w);
}

/* Where the violation is shown: the run-time error, or the property. */
static struct clew_position place_of(const struct clew_model *model,
                                     const struct clew_violation *violation) {
  return violation->site < model->site_count && model->sites[violation->site].position.line > 0
             ? model->sites[violation->site].position
             : model->properties[violation->property].position;
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  const struct clew_model *model = info->model;
  struct clew_json_writer w;
  struct clew_text text = {0};
  clew_json_begin(&w, out);
  open(&w);
  for (uint32_t i = 0; i < result->outcomes.violated.len; i++) {
    struct clew_violation violation = clew_report_finding(result, i);
    clew_text_clear(&text);
    clew_report_violation(model, &violation, &text);
    put_result(&w, clew_property_word(&model->properties[violation.property]), "error",
               clew_text_str(&text), model->name, place_of(model, &violation));
  }
  for (uint32_t i = 0; i < model->unchecked_count; i++) {
    clew_text_clear(&text);
    clew_text_printf(&text, "not checked: %s (%s)", model->unchecked[i].name,
                     model->unchecked[i].why);
    put_result(&w, "unchecked", "warning", clew_text_str(&text), model->name,
               model->unchecked[i].position);
  }
  struct clew_remarks remarks = {0};
  if (result->scope.complete && result->scope.has_states) {
    clew_coverage_remark(model, &result->coverage, &remarks);
  }
  for (uint32_t i = 0; i < remarks.len; i++) {
    put_result(&w, remarks.data[i].kind, "note", clew_text_str(&remarks.data[i].text), model->name,
               (struct clew_position){.line = remarks.data[i].line});
  }
  clew_remarks_free(&remarks);
  clew_text_free(&text);
  close(&w);
  return true;
}

const struct clew_output_type clew_output_sarif = {.name = "sarif", .write = write};
