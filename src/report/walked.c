/* Figures of walks: how many there were, and which rules they never fired. */
#include "report/walked.h"

#include "trace/plain.h"

enum { SHOWN = 12 };

static bool has_rules(const struct clew_model *model) {
  return model->rules != NULL && model->rule_of != NULL;
}

uint32_t clew_walk_rule_count(const struct clew_model *model) {
  return has_rules(model) ? model->rule_count : model->edge_count;
}

void clew_walk_count_rules(const struct clew_model *model, const uint64_t *by_edge,
                           uint64_t *by_rule) {
  for (uint32_t i = 0; i < model->edge_count; i++) {
    by_rule[has_rules(model) ? model->rule_of(model, i) : i] += by_edge[i];
  }
}

static void put_name(const struct clew_model *model, uint32_t rule, struct clew_text *out) {
  if (!has_rules(model)) {
    model->print_edge(model, rule, out);
  } else if (model->rules[rule].name != NULL) {
    clew_text_put(out, model->rules[rule].name);
  }
}

/* 0: not known */
static uint32_t line_of(const struct clew_model *model, uint32_t rule) {
  return has_rules(model) ? model->rules[rule].position.line : 0;
}

static uint32_t count_never(const struct clew_walk_figures *figures) {
  uint32_t never = 0;
  for (uint32_t i = 0; i < figures->rule_count; i++) {
    never += figures->fired[i] == 0;
  }
  return never;
}

static void put_rule(const struct clew_model *model, uint32_t rule, struct clew_text *out) {
  struct clew_text name = {0};
  put_name(model, rule, &name);
  clew_text_put(out, "  ");
  clew_plain_put(out, clew_text_str(&name));
  if (line_of(model, rule) > 0) {
    clew_text_printf(out, " (line %u)", line_of(model, rule));
  }
  clew_text_char(out, '\n');
  clew_text_free(&name);
}

void clew_walk_put_rules(const struct clew_model *model, const struct clew_walk_figures *figures,
                         struct clew_text *out) {
  if (figures->fired == NULL) {
    return;
  }
  uint32_t never = count_never(figures), shown = 0;
  char buffer[32];
  clew_text_printf(out, "  rules fired      %s",
                   clew_text_count(figures->rule_count - never, buffer));
  clew_text_printf(out, " of %s\n", clew_text_count(figures->rule_count, buffer));
  if (never == 0 || figures->steps == 0 || figures->found_in > 0) {
    return;
  }
  clew_text_put(out, "\nNever fired on these walks:\n");
  for (uint32_t i = 0; i < figures->rule_count && shown < SHOWN; i++) {
    if (figures->fired[i] == 0) {
      put_rule(model, i, out);
      shown++;
    }
  }
  if (never > shown) {
    clew_text_printf(out, "  and %u more\n", never - shown);
  }
}

static void put_never(const struct clew_model *model, const struct clew_walk_figures *figures,
                      struct clew_json_writer *w) {
  clew_json_key(w, "rules_never_fired");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < figures->rule_count; i++) {
    if (figures->fired[i] > 0) {
      continue;
    }
    struct clew_text name = {0};
    put_name(model, i, &name);
    clew_json_object_open(w);
    clew_json_key(w, "name");
    clew_json_string(w, clew_text_str(&name));
    if (line_of(model, i) > 0) {
      clew_json_key_u64(w, "line", line_of(model, i));
    }
    clew_json_object_close(w);
    clew_text_free(&name);
  }
  clew_json_array_close(w);
}

void clew_walk_put_json(const struct clew_model *model, const struct clew_walk_figures *figures,
                        struct clew_json_writer *w) {
  clew_json_key(w, "walks");
  clew_json_object_open(w);
  clew_json_key_u64(w, "taken", figures->walks);
  clew_json_key_u64(w, "steps", figures->steps);
  clew_json_key_u64(w, "longest", figures->longest);
  clew_json_key_u64(w, "ended", figures->ended);
  clew_json_key_u64(w, "cut", figures->cut);
  if (figures->found_in > 0) {
    clew_json_key_u64(w, "found_in", figures->found_in);
    clew_json_key_u64(w, "found_length", figures->found_length);
  }
  if (figures->fired != NULL) {
    clew_json_key_u64(w, "rules", figures->rule_count);
    clew_json_key_u64(w, "rules_fired", figures->rule_count - count_never(figures));
    put_never(model, figures, w);
  }
  clew_json_object_close(w);
}
