/* `clew explore`: a walk through the model in a browser. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/choose.h"
#include "cli/keep.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/origin.h"
#include "cli/signals.h"
#include "explore/server.h"
#include "report/report.h"
#include "web/page.h"

static const uint64_t DEFAULT_MEMORY_BYTES = (uint64_t)256 << 20;
static const size_t TRACE_LIMIT_BYTES = (size_t)64 << 20;

/* The search that --saved names: its command line, and its model with its reductions. */
struct past {
  char **argv;
  int argc;
  bool has_options;
  struct clew_options options;
  enum clew_symmetry_mode symmetry;
  bool flat;
  struct clew_model *model;
  struct clew_saved *saved;
};

struct exploration {
  const struct clew_options *options;
  struct clew_model *model;
  uint64_t *enabled;
  struct past past;
  struct clew_explorer *explorer;
  struct clew_arena *arena;
  struct clew_trace_origin origin; /* of exported walks */
  uint32_t first;                  /* node to begin with; CLEW_NONE: an initial state */
};

/* ---- the saved search ---- */

static enum clew_exit tell(struct clew_diag_sink *diags, enum clew_exit exit) {
  clew_report_diagnostics(stderr, diags);
  clew_diag_sink_free(diags);
  return exit;
}

/* The options by which the search was begun. */
static enum clew_exit read_command(const char *directory, struct past *past) {
  struct clew_diag_sink diags = {0};
  struct clew_checkpoint checkpoint;
  struct clew_text error = {0};
  enum clew_exit exit = CLEW_EXIT_OK;
  if (clew_checkpoint_look(&checkpoint, directory, &diags) != CLEW_OK) {
    exit = CLEW_EXIT_BAD_MODEL;
  } else {
    const struct clew_manifest *m = &checkpoint.manifest;
    past->argc = (int)m->command.len + 1;
    past->argv = clew_alloc_zero((size_t)past->argc + 1, sizeof *past->argv);
    past->argv[0] = clew_strdup("clew");
    for (uint32_t i = 0; i < m->command.len; i++) {
      past->argv[i + 1] = clew_strdup(m->command.data[i]);
    }
    past->has_options = true;
    if (!clew_options_parse(&past->options, past->argc, past->argv, &error)) {
      clew_message("%s: its command line is not understood: %s", directory, clew_text_str(&error));
      exit = CLEW_EXIT_BAD_MODEL;
    }
  }
  clew_checkpoint_close(&checkpoint);
  clew_text_free(&error);
  return tell(&diags, exit);
}

/* The model as the search has it; its file is the one that this command line names. */
static enum clew_exit load_past(const struct clew_options *options, struct past *past) {
  const struct clew_engine_type *engine;
  const struct clew_store_type *store;
  past->options.operands.data[0] = options->operands.data[0];
  enum clew_exit exit = clew_choose_engine(&past->options, &engine);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_store(&past->options, engine, NULL, &store);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_zones(&past->options, store, &past->flat);
  }
  if (exit == CLEW_EXIT_OK) {
    past->symmetry = engine->reduces ? clew_choose_symmetry(&past->options) : CLEW_SYMMETRY_OFF;
    exit = clew_load_model(&past->options, CLEW_MODE_INTERP, past->symmetry, past->flat, NULL,
                           &past->model);
  }
  return exit;
}

static enum clew_exit open_past(const struct clew_options *options, struct past *past) {
  enum clew_exit exit = read_command(options->saved, past);
  if (exit == CLEW_EXIT_OK) {
    exit = load_past(options, past);
  }
  if (exit == CLEW_EXIT_OK) {
    struct clew_diag_sink diags = {0};
    past->saved = clew_saved_open(options->saved, past->model, &diags);
    exit = tell(&diags, past->saved != NULL ? CLEW_EXIT_OK : CLEW_EXIT_BAD_MODEL);
  }
  return exit;
}

static void close_past(struct past *past) {
  clew_saved_close(past->saved);
  if (past->model != NULL) {
    past->model->close(past->model);
  }
  if (past->has_options) {
    clew_options_free(&past->options);
  }
  for (int i = 0; i < past->argc; i++) {
    clew_free(past->argv[i]);
  }
  clew_free(past->argv);
}

/* ---- what the explorer asks for ---- */

static struct clew_model *ask(void *context, const char *expression, bool of_saved,
                              struct clew_diag_sink *diags) {
  const struct exploration *e = context;
  return of_saved ? clew_load_question(&e->past.options, expression, e->past.symmetry, e->past.flat,
                                       diags)
                  : clew_load_question(e->options, expression, CLEW_SYMMETRY_OFF, false, diags);
}

static void export_walk(void *context, const struct clew_trace *trace, struct clew_text *out) {
  const struct exploration *e = context;
  clew_trace_write(e->model, trace, &e->origin, out);
}

/* ---- the command ---- */

/* A trace on the command line is where the walk begins. */
static enum clew_exit load_trace(struct exploration *e) {
  if (e->options->operands.len < 2) {
    return CLEW_EXIT_OK;
  }
  const char *file = e->options->operands.data[1];
  struct clew_diag_sink diags = {0};
  struct clew_text text = {0};
  enum clew_exit exit = CLEW_EXIT_BAD_MODEL;
  if (clew_file_read(file, TRACE_LIMIT_BYTES, &text, &diags) == CLEW_OK) {
    struct clew_request request = {
        .is_post = true, .name = "load", .body = clew_text_str(&text), .body_length = text.len};
    struct clew_reply reply;
    clew_explorer_answer(e->explorer, &request, &reply);
    struct clew_arena *arena = clew_arena_open();
    size_t offset;
    const char *error;
    const struct clew_json *root =
        clew_json_parse(arena, clew_text_str(&reply.body), reply.body.len, &offset, &error);
    assert(root != NULL);
    if (reply.status == 200) {
      e->first = (uint32_t)clew_json_get(root, "id")->integer;
      exit = CLEW_EXIT_OK;
    } else {
      clew_diag_plain(&diags, CLEW_ERROR, file, "%s", clew_json_get(root, "error")->string);
    }
    clew_arena_close(arena);
    clew_text_free(&reply.body);
  }
  clew_text_free(&text);
  return tell(&diags, exit);
}

static void ready(void *context, const char *address) {
  const struct exploration *e = context;
  printf("%s is at %s\n", e->model->name, address);
  printf("The address is for this machine only. Ctrl-C ends it.\n");
  fflush(stdout);
}

static void make_page(const struct exploration *e, struct clew_text *out) {
  struct clew_text data = {0}, title = {0};
  struct clew_json_writer w;
  clew_json_begin(&w, &data);
  clew_json_object_open(&w);
  clew_json_key(&w, "first");
  if (e->first == CLEW_NONE) {
    clew_json_string(&w, NULL);
  } else {
    clew_json_u64(&w, e->first);
  }
  clew_json_object_close(&w);
  clew_json_end(&w);
  const char *slash = strrchr(e->model->name, '/');
  clew_text_printf(&title, "%s \xe2\x80\x93 clew explore",
                   slash != NULL ? slash + 1 : e->model->name);
  clew_page_write(&(struct clew_page){.title = clew_text_str(&title),
                                      .application = "explore",
                                      .data = &data,
                                      .calls_home = true},
                  out);
  clew_text_free(&title);
  clew_text_free(&data);
}

static enum clew_exit serve(struct exploration *e, const atomic_bool *stop) {
  const struct clew_options *options = e->options;
  uint64_t memory =
      options->memory_bytes != CLEW_ABSENT ? options->memory_bytes : DEFAULT_MEMORY_BYTES;
  struct clew_explorer_config config = {.model = e->model,
                                        .enabled = e->enabled,
                                        .saved = e->past.saved,
                                        .ask = ask,
                                        .export_walk = export_walk,
                                        .context = e,
                                        .memory_bytes = memory};
  e->explorer = clew_explorer_open(&config);
  enum clew_exit exit = load_trace(e);
  if (exit == CLEW_EXIT_OK) {
    struct clew_diag_sink diags = {0};
    struct clew_text page = {0};
    make_page(e, &page);
    struct clew_server_config server = {
        .explorer = e->explorer,
        .page = &page,
        .port = options->port != CLEW_ABSENT ? (uint16_t)options->port : 0,
        .stop = stop,
        .ready = ready,
        .context = e};
    exit = clew_server_run(&server, &diags) == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_INTERNAL;
    exit = tell(&diags, exit);
    clew_text_free(&page);
  }
  clew_explorer_close(e->explorer);
  return exit;
}

enum clew_exit clew_command_explore(const struct clew_options *options) {
  const char *why;
  if (!clew_server_is_there(&why)) {
    clew_message("%s", why);
    return CLEW_EXIT_USAGE;
  }
  if (options->port != CLEW_ABSENT && options->port > UINT16_MAX) {
    return clew_message_usage(options->command, "--port must be at most 65535");
  }
  struct exploration e = {.options = options, .first = CLEW_NONE, .arena = clew_arena_open()};
  const atomic_bool *stop = NULL;
  clew_origin_collect(e.arena, options, &e.origin);
  enum clew_exit exit = clew_load_model_hashed(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, false,
                                               &stop, e.arena, &e.origin.model_hash, &e.model);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_properties(options, e.model, &e.enabled);
  }
  if (exit == CLEW_EXIT_OK && options->saved != NULL) {
    exit = open_past(options, &e.past);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = serve(&e, stop);
  }
  close_past(&e.past);
  clew_free(e.enabled);
  if (e.model != NULL) {
    e.model->close(e.model);
  }
  clew_arena_close(e.arena);
  return exit;
}
