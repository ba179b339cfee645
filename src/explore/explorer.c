/* Requests, and the answers that only concern the tree. */
#include "explore/explorer.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "explore/explorer_int.h"

struct clew_explorer *clew_explorer_open(const struct clew_explorer_config *config) {
  struct clew_explorer *explorer = clew_alloc_zero(1, sizeof *explorer);
  explorer->config = *config;
  clew_tree_open(&explorer->tree, config->model, config->memory_bytes);
  return explorer;
}

void clew_explorer_close(struct clew_explorer *explorer) {
  clew_scan_close(explorer->scan);
  if (explorer->scan_model != NULL) {
    explorer->scan_model->close(explorer->scan_model);
  }
  clew_tree_close(&explorer->tree);
  clew_free(explorer);
}

/* ---- what answers are made of ---- */

void clew_answer_fail(struct clew_exchange *answer, int status, const char *format, ...) {
  struct clew_text message = {0};
  va_list args;
  va_start(args, format);
  clew_text_vprintf(&message, format, args);
  va_end(args);
  clew_text_clear(&answer->reply->body);
  clew_json_begin(&answer->w, &answer->reply->body);
  clew_json_object_open(&answer->w);
  clew_json_key(&answer->w, "error");
  clew_json_string(&answer->w, clew_text_str(&message));
  clew_json_object_close(&answer->w);
  clew_json_end(&answer->w);
  answer->reply->status = status;
  clew_text_free(&message);
}

void clew_answer_fail_diags(struct clew_exchange *answer, int status,
                            const struct clew_diag_sink *diags) {
  const struct clew_diag *first = diags->len > 0 ? &diags->data[0] : NULL;
  if (first == NULL) {
    clew_answer_fail(answer, status, "no reason is known");
  } else if (first->position.line > 0) {
    clew_answer_fail(answer, status, "column %u: %s", first->position.column, first->message);
  } else {
    clew_answer_fail(answer, status, "%s", first->message);
  }
}

static const char *argument(const struct clew_request *request, const char *name) {
  for (uint32_t i = 0; i < request->argument_count; i++) {
    if (strcmp(request->arguments[i].name, name) == 0) {
      return request->arguments[i].value;
    }
  }
  return NULL;
}

uint64_t clew_answer_number(const struct clew_exchange *answer, const char *name, uint64_t most,
                            uint64_t otherwise) {
  const char *text = argument(answer->request, name);
  uint64_t value;
  bool ok = text != NULL && clew_text_parse_u64(text, &value) && value <= most;
  return ok ? value : otherwise;
}

uint32_t clew_answer_node(struct clew_exchange *answer) {
  uint64_t id = clew_answer_number(answer, "id", UINT32_MAX - 1, CLEW_NONE);
  if (id != CLEW_NONE && clew_tree_has(&answer->explorer->tree, (uint32_t)id)) {
    return (uint32_t)id;
  }
  clew_answer_fail(answer, 404, "there is no such state (any more)");
  return CLEW_NONE;
}

void clew_answer_tree(struct clew_exchange *answer, enum clew_tree_answer result, uint32_t id,
                      uint32_t site) {
  switch (result) {
  case CLEW_TREE_OK:
    clew_json_object_open(&answer->w);
    clew_json_key_u64(&answer->w, "id", id);
    clew_json_object_close(&answer->w);
    clew_json_end(&answer->w);
    return;
  case CLEW_TREE_FULL:
    clew_answer_fail(answer, 507, "the memory for states is used up: forget the branches");
    return;
  case CLEW_TREE_DISABLED:
    break;
  }
  if (site < answer->explorer->config.model->site_count) {
    struct clew_text message = {0};
    clew_site_print(answer->explorer->config.model, site, &message);
    clew_answer_fail(answer, 400, "run-time error: %s", clew_text_str(&message));
    clew_text_free(&message);
  } else {
    clew_answer_fail(answer, 400, "this cannot happen here");
  }
}

void clew_answer_key_name(struct clew_exchange *answer, bool start, const uint64_t *state,
                          uint32_t edge) {
  const struct clew_model *model = answer->explorer->config.model;
  struct clew_text name = {0};
  if (state != NULL && !start) {
    clew_model_print_step(model, state, edge, &name);
  } else {
    (start ? model->print_initial : model->print_edge)(model, edge, &name);
  }
  clew_json_key(&answer->w, "name");
  clew_json_string(&answer->w, clew_text_str(&name));
  clew_text_free(&name);
}

/* ---- what is wrong with a state ---- */

bool clew_explorer_violates(const struct clew_explorer *explorer, uint32_t property,
                            const uint64_t *state) {
  const struct clew_model *model = explorer->config.model;
  if (!clew_bitset_has(explorer->config.enabled, property) ||
      model->properties[property].kind != CLEW_PROPERTY_INVARIANT) {
    return false;
  }
  uint32_t site = CLEW_NONE;
  return !model->label(model, model->properties[property].label, state, &site);
}

bool clew_explorer_is_bad(const struct clew_explorer *explorer, const uint64_t *state) {
  uint32_t site = CLEW_NONE;
  const struct clew_model *model = explorer->config.model;
  return model->check(model, explorer->config.enabled, state, &site) != CLEW_NONE;
}

/* ---- the tree ---- */

static void answer_start(struct clew_exchange *answer) {
  uint32_t id = CLEW_NONE;
  uint32_t initial = (uint32_t)clew_answer_number(answer, "initial", UINT32_MAX - 1, CLEW_NONE);
  enum clew_tree_answer result = clew_tree_start(&answer->explorer->tree, initial, &id);
  clew_answer_tree(answer, result, id, CLEW_NONE);
}

static void answer_step(struct clew_exchange *answer) {
  uint32_t from = clew_answer_node(answer), id = CLEW_NONE, site;
  uint32_t edge = (uint32_t)clew_answer_number(answer, "edge", UINT32_MAX - 1, CLEW_NONE);
  if (from != CLEW_NONE) {
    enum clew_tree_answer result = clew_tree_step(&answer->explorer->tree, from, edge, &id, &site);
    clew_answer_tree(answer, result, id, site);
  }
}

static void answer_forget(struct clew_exchange *answer) {
  uint32_t id = clew_answer_node(answer);
  if (id != CLEW_NONE) {
    clew_answer_tree(answer, CLEW_TREE_OK, clew_tree_keep(&answer->explorer->tree, id), CLEW_NONE);
  }
}

/* The property that the last state violates, so that a replay has something to confirm. */
static uint32_t violated(const struct clew_explorer *explorer, const uint64_t *state) {
  for (uint32_t i = 0; i < explorer->config.model->property_count; i++) {
    if (clew_explorer_violates(explorer, i, state)) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void answer_export(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  uint32_t id = clew_answer_node(answer);
  if (id == CLEW_NONE) {
    return;
  }
  struct clew_trace trace;
  clew_tree_path(&explorer->tree, id, &trace);
  trace.property = violated(explorer, clew_tree_state(&explorer->tree, id));
  clew_text_clear(&answer->reply->body);
  explorer->config.export_walk(explorer->config.context, &trace, &answer->reply->body);
  clew_trace_free(&trace);
}

static void answer_load(struct clew_exchange *answer) {
  struct clew_explorer *explorer = answer->explorer;
  const struct clew_request *request = answer->request;
  struct clew_diag_sink diags = {0};
  struct clew_trace trace;
  if (clew_trace_read_steps(explorer->config.model, "the trace", request->body,
                            request->body_length, &trace, &diags) != CLEW_OK) {
    clew_answer_fail_diags(answer, 400, &diags);
  } else {
    uint32_t id = CLEW_NONE;
    enum clew_tree_answer result = clew_tree_follow(&explorer->tree, &trace, &id);
    clew_answer_tree(answer, result, id, CLEW_NONE);
    clew_trace_free(&trace);
  }
  clew_diag_sink_free(&diags);
}

/* ---- requests ---- */

static const struct {
  const char *name;
  bool is_post;
  clew_answer_function *function;
} requests[] = {
    {"model", false, clew_answer_of_model},
    {"start", true, answer_start},
    {"node", false, clew_answer_of_node},
    {"step", true, answer_step},
    {"path", false, clew_answer_of_path},
    {"graph", false, clew_answer_of_graph},
    {"seek", true, clew_answer_of_seek},
    {"export", false, answer_export},
    {"load", true, answer_load},
    {"forget", true, answer_forget},
    {"saved", true, clew_answer_of_saved},
    {"scan", true, clew_answer_of_scan},
};

void clew_explorer_answer(struct clew_explorer *explorer, const struct clew_request *request,
                          struct clew_reply *reply) {
  *reply = (struct clew_reply){.status = 200, .type = "application/json"};
  struct clew_exchange answer = {.explorer = explorer, .request = request, .reply = reply};
  clew_json_begin(&answer.w, &reply->body);
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    if (strcmp(requests[i].name, request->name) == 0) {
      if (requests[i].is_post != request->is_post) {
        clew_answer_fail(&answer, 405, "%s must be %s", request->name,
                         requests[i].is_post ? "POST" : "GET");
      } else {
        requests[i].function(&answer);
      }
      return;
    }
  }
  clew_answer_fail(&answer, 404, "there is no such request");
}
