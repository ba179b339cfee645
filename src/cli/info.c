/* `clew info`: what a model is, without exploring it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/options.h"
#include "model/timed.h"
#include "report/report.h"
#include "report/version.h"

/* How dense the dependency matrix (rule instances by slots) is. */
struct matrix {
  uint64_t instances; /* looked at: all, or a sample of them */
  double reads, may_writes, must_writes;
  double locations; /* of the reads, those of locations, in timed models */
};

/* Rows are looked at until this many words of bit sets were filled and slots entered in them. */
static const uint64_t MATRIX_WORK = (uint64_t)1 << 26;
enum { LISTED_SLOTS = 40, MAX_ROWS = 20000 };

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* A step that visits all of `count` rows, and after any number of steps has seen rows from all over
 * the model: one that has no divisor in common with `count`, near its golden section. */
static uint64_t spread_step(uint32_t count) {
  assert(count > 0);
  uint64_t step = (uint64_t)(0.618 * count) + 1;
  while (gcd(step, count) != 1) {
    step++;
  }
  return step;
}

static uint32_t count_locations(const struct clew_model *model, const uint64_t *set) {
  uint32_t count = 0;
  for (uint32_t i = 0; model->timed != NULL && i < model->timed->location_count; i++) {
    count += clew_bitset_has(set, model->timed->location_slots[i]);
  }
  return count;
}

/* Adds a row and returns the work that it took. */
static uint64_t measure_row(const struct clew_model *model, uint32_t row, uint64_t *sets,
                            struct matrix *matrix) {
  assert(row < model->group_count);
  uint32_t words = CLEW_BITSET_WORDS(model->slot_count);
  struct clew_access access = {sets, sets + words, sets + (size_t)2 * words};
  struct clew_group group;
  memset(sets, 0, (size_t)words * 3 * sizeof *sets);
  model->group(model, row, &group);
  model->access(model, row, &access);
  uint64_t reads = clew_bitset_count(access.read, words);
  uint64_t may_writes = clew_bitset_count(access.may_write, words);
  matrix->instances += group.edge_count;
  matrix->reads += (double)group.edge_count * (double)reads;
  matrix->may_writes += (double)group.edge_count * (double)may_writes;
  matrix->must_writes += (double)group.edge_count * clew_bitset_count(access.must_write, words);
  matrix->locations += (double)group.edge_count * count_locations(model, access.read);
  return (uint64_t)words * 3 + reads + may_writes;
}

static struct matrix measure(const struct clew_model *model) {
  struct matrix matrix = {0};
  uint32_t words = CLEW_BITSET_WORDS(model->slot_count);
  if (model->group_count == 0 || words == 0) {
    return matrix;
  }
  uint32_t rows = model->group_count < MAX_ROWS ? model->group_count : MAX_ROWS;
  uint64_t step = spread_step(model->group_count), work = 0;
  uint64_t *sets = clew_alloc_zero((size_t)words * 3, sizeof *sets);
  for (uint32_t i = 0; i < rows && work < MATRIX_WORK; i++) {
    work += measure_row(model, (uint32_t)(i * step % model->group_count), sets, &matrix);
  }
  clew_free(sets);
  matrix.reads /= (double)matrix.instances;
  matrix.may_writes /= (double)matrix.instances;
  matrix.must_writes /= (double)matrix.instances;
  matrix.locations /= (double)matrix.instances;
  return matrix;
}

/* Whether the property is about a label, and how many slots that depends on. */
static bool count_label_reads(const struct clew_model *model, const struct clew_property *property,
                              uint32_t *reads) {
  bool of_label = property->kind == CLEW_PROPERTY_INVARIANT ||
                  property->kind == CLEW_PROPERTY_LIVENESS ||
                  property->kind == CLEW_PROPERTY_PROGRESS ||
                  (property->kind == CLEW_PROPERTY_COVER && !property->is_statement);
  if (!of_label || model->slot_count == 0) {
    return false;
  }
  assert(property->label < model->label_count);
  uint32_t words = CLEW_BITSET_WORDS(model->slot_count);
  uint64_t *set = clew_alloc_zero(words, sizeof *set);
  model->label_access(model, property->label, set);
  *reads = (uint32_t)clew_bitset_count(set, words);
  clew_free(set);
  return true;
}

/* How many classes of priority the rules have. Classes beyond MOST are not told apart. */
static uint32_t count_priorities(const struct clew_model *model) {
  enum { MOST = 64 };
  int32_t seen[MOST];
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->group_count && count < MOST; i++) {
    struct clew_group group;
    model->group(model, i, &group);
    uint32_t at = 0;
    while (at < count && seen[at] != group.priority) {
      at++;
    }
    if (at == count) {
      seen[count++] = group.priority;
    }
  }
  return count;
}

static uint32_t count_visible(const struct clew_model *model) {
  uint32_t visible = 0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    visible += !model->slots[i].hidden;
  }
  return visible;
}

/* "0..3", "{idle, busy}", and whether it may be undefined. */
static void put_range(const struct clew_slot *slot, struct clew_text *out) {
  enum { LISTED_NAMES = 8 };
  const struct clew_domain *domain = slot->domain;
  assert(domain->lo <= domain->hi);
  uint64_t values = (uint64_t)domain->hi - (uint64_t)domain->lo;
  if (domain->print != NULL) {
    clew_text_printf(out, "tokens of %s", domain->name);
  } else if (domain->names != NULL && values < LISTED_NAMES) {
    for (int64_t value = domain->lo; value <= domain->hi; value++) {
      clew_text_put(out, value == domain->lo ? "{" : ", ");
      clew_domain_print(domain, value, out);
    }
    clew_text_char(out, '}');
  } else {
    clew_domain_print(domain, domain->lo, out);
    clew_text_put(out, "..");
    clew_domain_print(domain, domain->hi, out);
  }
  if (slot->undefinable) {
    clew_text_put(out, " or undefined");
  }
}

static void put_slots(struct clew_text *out, const struct clew_model *model) {
  clew_text_put(out, "\nVariables:\n");
  uint32_t listed = 0, visible = count_visible(model);
  for (uint32_t i = 0; i < model->slot_count && listed < LISTED_SLOTS; i++) {
    const struct clew_slot *slot = &model->slots[i];
    if (!slot->hidden) {
      clew_text_printf(out, "  %-28s %2u bit%s  ", slot->name, slot->width,
                       slot->width == 1 ? " " : "s");
      put_range(slot, out);
      clew_text_char(out, '\n');
      listed++;
    }
  }
  if (visible > listed) {
    clew_text_printf(out, "  ... and %u more (all of them with --json)\n", visible - listed);
  }
}

static void put_matrix_line(struct clew_text *out, const char *label, double slots,
                            const struct clew_model *model) {
  assert(model->slot_count > 0);
  clew_text_printf(out, "  %-17s %.1f of %u slots (%.1f %%)\n", label, slots, model->slot_count,
                   100 * slots / (double)model->slot_count);
}

static void put_properties(struct clew_text *out, const struct clew_model *model) {
  clew_text_put(out, "\nProperties:\n");
  for (uint32_t i = 0; i < model->property_count; i++) {
    const struct clew_property *property = &model->properties[i];
    clew_text_put(out, "  ");
    clew_report_property_title(property, out);
    if (property->position.line > 0) {
      clew_text_printf(out, "  (line %u)", property->position.line);
    }
    uint32_t reads;
    if (count_label_reads(model, property, &reads)) {
      clew_text_printf(out, "  reads %u slot%s", reads, reads == 1 ? "" : "s");
    }
    clew_text_char(out, '\n');
  }
  if (model->unchecked_count > 0) {
    clew_text_put(out, "\nNot checked:\n");
  }
  for (uint32_t i = 0; i < model->unchecked_count; i++) {
    const struct clew_unchecked *part = &model->unchecked[i];
    clew_text_printf(out, "  %s  (line %u): %s\n", part->name, part->position.line, part->why);
  }
}

static void put_clocks(struct clew_text *out, const struct clew_timed *timed) {
  assert(timed->clock_count > 0);
  clew_text_printf(out, "  %-17s %u", "clocks", timed->clock_count - 1);
  for (uint32_t i = 1; i < timed->clock_count && i <= LISTED_SLOTS; i++) {
    clew_text_printf(out, "%s%s", i == 1 ? ": " : ", ", timed->clock_names[i]);
  }
  clew_text_printf(out, "%s\n", timed->clock_count - 1 > LISTED_SLOTS ? ", ..." : "");
  clew_text_printf(out, "  %-17s %s%s%s\n", "extrapolation", timed->extrapolation,
                   timed->notice != NULL ? ": " : "", timed->notice != NULL ? timed->notice : "");
}

static void put_limit(struct clew_text *out, const struct clew_timed *timed,
                      const struct clew_clock_limit *limit) {
  if (limit->process == NULL) {
    clew_text_put(out, "  queries");
  } else {
    clew_text_printf(out, "  %s%s%s", limit->process, limit->location != NULL ? " = " : "",
                     limit->location != NULL ? limit->location : "");
  }
  clew_text_printf(out, ": %s", timed->clock_names[limit->clock]);
  if (limit->lower != INT32_MIN) {
    clew_text_printf(out, ", from below %d", limit->lower);
  }
  if (limit->upper != INT32_MIN) {
    clew_text_printf(out, ", from above %d", limit->upper);
  }
  clew_text_char(out, '\n');
}

static void put_limits(struct clew_text *out, const struct clew_model *model) {
  uint32_t count = model->timed->limits(model, NULL);
  struct clew_clock_limit *limits = clew_alloc_zero((size_t)count + 1, sizeof *limits);
  (void)model->timed->limits(model, limits);
  clew_text_put(out, "\nClocks that matter, and the numbers that they are compared with:\n");
  for (uint32_t i = 0; i < count && i < LISTED_SLOTS; i++) {
    put_limit(out, model->timed, &limits[i]);
  }
  if (count > LISTED_SLOTS) {
    clew_text_printf(out, "  ... and %u more (all of them with --json)\n", count - LISTED_SLOTS);
  }
  clew_free(limits);
}

static void put_text(struct clew_text *out, const struct clew_model *model) {
  char buffer[32];
  clew_text_printf(out, "%s (%s)\n", model->name, model->language);
  clew_text_printf(out, "  %-17s %u bits, kept in %u bytes\n", "state", model->state_bits,
                   model->bytes);
  clew_text_printf(out, "  %-17s %s", "slots", clew_text_count(model->slot_count, buffer));
  clew_text_printf(out, " (%s visible)\n", clew_text_count(count_visible(model), buffer));
  clew_text_printf(out, "  %-17s %s", "rules", clew_text_count(model->rule_count, buffer));
  if (model->learns) {
    clew_text_put(out, " (instances are found while the model runs)\n");
  } else {
    clew_text_printf(out, " (%s instances)\n", clew_text_count(model->edge_count, buffer));
  }
  uint32_t priorities = count_priorities(model);
  if (priorities > 1) {
    clew_text_printf(out, "  %-17s %u\n", "priorities", priorities);
  }
  clew_text_printf(out, "  %-17s %s\n", "ways to start",
                   clew_text_count(model->initial_count, buffer));
  if (model->timed != NULL) {
    put_clocks(out, model->timed);
  }
  put_properties(out, model);
  put_slots(out, model);
  if (model->timed != NULL) {
    put_limits(out, model);
  }
  struct matrix matrix = measure(model);
  if (matrix.instances > 0) {
    clew_text_put(out, model->learns ? "\nDependencies, mean of a rule"
                                     : "\nDependencies, mean of a rule instance");
    if (matrix.instances < model->edge_count && !model->learns) {
      clew_text_printf(out, " (a sample of %llu)", (unsigned long long)matrix.instances);
    }
    clew_text_put(out, ":\n");
    put_matrix_line(out, "reads", matrix.reads, model);
    put_matrix_line(out, "may write", matrix.may_writes, model);
    put_matrix_line(out, "must write", matrix.must_writes, model);
    if (model->timed != NULL && model->timed->location_count > 0) {
      uint32_t count = model->timed->location_count;
      clew_text_printf(out, "  %-17s %.1f of %u (%.1f %%)\n", "reads locations", matrix.locations,
                       count, 100 * matrix.locations / count);
    }
  }
}

static void put_key_u64(struct clew_json_writer *w, const char *key, uint64_t value) {
  clew_json_key(w, key);
  clew_json_u64(w, value);
}

static void put_key_string(struct clew_json_writer *w, const char *key, const char *value) {
  clew_json_key(w, key);
  clew_json_string(w, value);
}

static void put_json_slots(struct clew_json_writer *w, const struct clew_model *model) {
  clew_json_key(w, "variables");
  clew_json_array_open(w);
  struct clew_text range = {0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    if (!slot->hidden) {
      clew_text_clear(&range);
      put_range(slot, &range);
      clew_json_object_open(w);
      put_key_string(w, "name", slot->name);
      put_key_u64(w, "bits", slot->width);
      put_key_string(w, "values", clew_text_str(&range));
      clew_json_object_close(w);
    }
  }
  clew_text_free(&range);
  clew_json_array_close(w);
}

static void put_json_limits(struct clew_json_writer *w, const struct clew_model *model) {
  uint32_t count = model->timed->limits(model, NULL);
  struct clew_clock_limit *limits = clew_alloc_zero((size_t)count + 1, sizeof *limits);
  (void)model->timed->limits(model, limits);
  clew_json_key(w, "clock_limits");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < count; i++) {
    clew_json_object_open(w);
    if (limits[i].process != NULL) {
      put_key_string(w, "process", limits[i].process);
    }
    if (limits[i].location != NULL) {
      put_key_string(w, "location", limits[i].location);
    }
    put_key_string(w, "clock", model->timed->clock_names[limits[i].clock]);
    if (limits[i].lower != INT32_MIN) {
      clew_json_key(w, "lower");
      clew_json_i64(w, limits[i].lower);
    }
    if (limits[i].upper != INT32_MIN) {
      clew_json_key(w, "upper");
      clew_json_i64(w, limits[i].upper);
    }
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
  clew_free(limits);
}

static void put_json_matrix(struct clew_json_writer *w, const struct clew_model *model) {
  struct matrix matrix = measure(model);
  if (matrix.instances == 0) {
    return;
  }
  clew_json_key(w, "dependencies");
  clew_json_object_open(w);
  put_key_u64(w, "instances_measured", matrix.instances);
  clew_json_key(w, "reads_mean");
  clew_json_double(w, matrix.reads);
  clew_json_key(w, "may_writes_mean");
  clew_json_double(w, matrix.may_writes);
  clew_json_key(w, "must_writes_mean");
  clew_json_double(w, matrix.must_writes);
  if (model->timed != NULL) {
    put_key_u64(w, "locations", model->timed->location_count);
    clew_json_key(w, "location_reads_mean");
    clew_json_double(w, matrix.locations);
  }
  clew_json_object_close(w);
}

static void put_json_unchecked(struct clew_json_writer *w, const struct clew_model *model) {
  clew_json_key(w, "unchecked");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < model->unchecked_count; i++) {
    clew_json_object_open(w);
    put_key_string(w, "property", model->unchecked[i].name);
    put_key_string(w, "why", model->unchecked[i].why);
    put_key_u64(w, "line", model->unchecked[i].position.line);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_json_clocks(struct clew_json_writer *w, const struct clew_timed *timed) {
  assert(timed->clock_count > 0);
  put_key_u64(w, "clocks", timed->clock_count - 1);
  put_key_string(w, "extrapolation", timed->extrapolation);
  clew_json_key(w, "clock_names");
  clew_json_array_open(w);
  for (uint32_t i = 1; i < timed->clock_count; i++) {
    clew_json_string(w, timed->clock_names[i]);
  }
  clew_json_array_close(w);
}

static void put_json(struct clew_text *out, const struct clew_model *model) {
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  put_key_string(&w, "model", model->name);
  put_key_string(&w, "language", model->language);
  put_key_string(&w, "version", CLEW_VERSION);
  put_key_string(&w, "command", "info");
  put_key_u64(&w, "state_bits", model->state_bits);
  put_key_u64(&w, "state_bytes", model->bytes);
  put_key_u64(&w, "slots", model->slot_count);
  put_key_u64(&w, "rules", model->rule_count);
  put_key_u64(&w, "instances", model->edge_count);
  put_key_u64(&w, "priorities", count_priorities(model));
  put_key_u64(&w, "starts", model->initial_count);
  if (model->timed != NULL) {
    put_json_clocks(&w, model->timed);
  }
  clew_json_key(&w, "properties");
  clew_json_array_open(&w);
  for (uint32_t i = 0; i < model->property_count; i++) {
    clew_json_object_open(&w);
    put_key_string(&w, "name", model->properties[i].name);
    put_key_string(&w, "kind", clew_property_word(&model->properties[i]));
    if (model->properties[i].position.line > 0) {
      put_key_u64(&w, "line", model->properties[i].position.line);
    }
    uint32_t reads;
    if (count_label_reads(model, &model->properties[i], &reads)) {
      put_key_u64(&w, "reads", reads);
    }
    clew_json_object_close(&w);
  }
  clew_json_array_close(&w);
  if (model->timed != NULL) {
    put_json_limits(&w, model);
  }
  if (model->unchecked_count > 0) {
    put_json_unchecked(&w, model);
  }
  put_json_matrix(&w, model);
  put_json_slots(&w, model);
  clew_json_object_close(&w);
  clew_json_end(&w);
}

static bool write_json(const struct clew_options *options, const struct clew_model *model) {
  assert(options->json != NULL);
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  put_json(&text, model);
  bool ok = clew_file_write(options->json, text.data, text.len, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  return ok;
}

enum clew_exit clew_command_info(const struct clew_options *options) {
  assert(options->command == CLEW_COMMAND_info);
  struct clew_model *model;
  enum clew_exit exit =
      clew_load_model(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, false, NULL, &model);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  if (options->json == NULL || strcmp(options->json, "-") != 0) {
    struct clew_text text = {0};
    put_text(&text, model);
    fwrite(text.data, 1, text.len, stdout);
    clew_text_free(&text);
  }
  if (options->json != NULL && !write_json(options, model)) {
    exit = CLEW_EXIT_INTERNAL;
  }
  model->close(model);
  return exit;
}
