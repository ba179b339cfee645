/* The explorer without a network: the tree of a walk, searches, saved states, requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/json.h"
#include "base/random.h"
#include "cli/cli.h"
#include "explore/explorer.h"
#include "explore/saved.h"
#include "explore/seek.h"
#include "explore/tree.h"
#include "lang/lang.h"

/* A grid: the state (x, y) is reached by x + y steps and in no fewer. */
static const char grid[] = "var x: 0..9; y: 0..9;\n"
                           "rule \"right\" x < 9 ==> begin x := x + 1; end;\n"
                           "rule \"up\" y < 9 ==> begin y := y + 1; end;\n"
                           "rule \"fail\" x = 9 & y = 9 ==> begin x := x + 1; end;\n"
                           "startstate \"corner\" begin x := 0; y := 0; end;\n"
                           "invariant \"low\" y < 7;\n";

static atomic_bool never;

static struct clew_model *load(const char *text, const char *goal, struct clew_diag_sink *diags) {
  struct clew_source source = {"grid.m", text, strlen(text)};
  struct clew_query query = {.kind = CLEW_QUERY_GOAL,
                             .source = {"--goal", goal, goal != NULL ? strlen(goal) : 0},
                             .option = "--goal"};
  struct clew_load_request request = {.source = &source,
                                      .exec = CLEW_MODE_INTERP,
                                      .stop = &never,
                                      .queries = &query,
                                      .query_count = goal != NULL};
  struct clew_model *model = NULL;
  clew_language_murphi.load(&request, diags, &model);
  return model;
}

static struct clew_model *load_grid(void) {
  struct clew_diag_sink diags = {0};
  struct clew_model *model = load(grid, NULL, &diags);
  assert_non_null(model);
  return model;
}

static uint32_t edge_named(const struct clew_model *model, const char *name) {
  struct clew_text text = {0};
  uint32_t found = CLEW_NONE;
  for (uint32_t i = 0; i < model->edge_count; i++) {
    clew_text_clear(&text);
    model->print_edge(model, i, &text);
    found = strcmp(clew_text_str(&text), name) == 0 ? i : found;
  }
  clew_text_free(&text);
  assert_int_not_equal(found, CLEW_NONE);
  return found;
}

static int64_t value_of(const struct clew_model *model, const uint64_t *state, uint32_t slot) {
  return clew_slot_get(&model->slots[slot], state);
}

/* ---- the tree ---- */

static void test_tree(void **unused) {
  (void)unused;
  struct clew_model *model = load_grid();
  uint32_t right = edge_named(model, "right"), up = edge_named(model, "up");
  struct clew_tree tree;
  uint32_t root, a, b, again, site;
  clew_tree_open(&tree, model, 1 << 20);
  assert_int_equal(clew_tree_start(&tree, 7, &root), CLEW_TREE_DISABLED);
  assert_int_equal(clew_tree_start(&tree, 0, &root), CLEW_TREE_OK);
  assert_int_equal(clew_tree_step(&tree, root, right, &a, &site), CLEW_TREE_OK);
  assert_int_equal(clew_tree_step(&tree, root, up, &b, &site), CLEW_TREE_OK);
  assert_int_equal(clew_tree_step(&tree, root, right, &again, &site), CLEW_TREE_OK);
  assert_int_equal(again, a);
  assert_int_equal(clew_tree_step(&tree, root, 99, &again, &site), CLEW_TREE_DISABLED);
  assert_int_equal(clew_tree_step(&tree, a, up, &again, &site), CLEW_TREE_OK);
  assert_int_equal(clew_tree_depth(&tree, again), 2);
  assert_int_equal(clew_tree_parent(&tree, again), a);
  assert_true(clew_tree_validate(&tree));
  /* Only the path is kept; old ids mean nothing any more. */
  uint32_t kept = clew_tree_keep(&tree, again);
  assert_true(clew_tree_validate(&tree));
  assert_int_equal(tree.nodes.len, 3);
  assert_false(clew_tree_has(&tree, b));
  assert_int_equal(clew_tree_depth(&tree, kept), 2);
  assert_int_equal(value_of(model, clew_tree_state(&tree, kept), 0), 1);
  assert_int_equal(value_of(model, clew_tree_state(&tree, kept), 1), 1);
  struct clew_trace trace;
  clew_tree_path(&tree, kept, &trace);
  assert_int_equal(trace.edge_count, 2);
  assert_int_equal(trace.edges[0], right);
  assert_int_equal(trace.edges[1], up);
  clew_trace_free(&trace);
  clew_tree_close(&tree);
  model->close(model);
}

/* Random walks and branches against a list of positions beside the tree. */
static void test_tree_at_random(void **unused) {
  (void)unused;
  enum { STEPS = 3000 };
  struct clew_model *model = load_grid();
  uint32_t right = edge_named(model, "right"), up = edge_named(model, "up");
  struct clew_tree tree;
  struct clew_random random;
  struct {
    int64_t x, y;
  } *at = clew_alloc_zero(STEPS + 1, sizeof *at);
  clew_random_seed(&random, 5);
  clew_tree_open(&tree, model, 1 << 20);
  uint32_t root;
  assert_int_equal(clew_tree_start(&tree, 0, &root), CLEW_TREE_OK);
  for (uint32_t i = 0; i < STEPS; i++) {
    uint32_t from = (uint32_t)clew_random_below(&random, tree.nodes.len), id, site;
    bool is_right = clew_random_below(&random, 2) == 0;
    int64_t x = at[from].x + is_right, y = at[from].y + !is_right;
    enum clew_tree_answer answer = clew_tree_step(&tree, from, is_right ? right : up, &id, &site);
    assert_int_equal(answer, x > 9 || y > 9 ? CLEW_TREE_DISABLED : CLEW_TREE_OK);
    if (answer == CLEW_TREE_OK) {
      at[id].x = x;
      at[id].y = y;
      assert_int_equal(value_of(model, clew_tree_state(&tree, id), 0), x);
      assert_int_equal(clew_tree_depth(&tree, id), x + y);
    }
  }
  assert_true(clew_tree_validate(&tree));
  clew_free(at);
  clew_tree_close(&tree);
  model->close(model);
}

static void test_tree_full(void **unused) {
  (void)unused;
  struct clew_model *model = load_grid();
  uint32_t right = edge_named(model, "right"), up = edge_named(model, "up"), id, site;
  struct clew_tree tree;
  clew_tree_open(&tree, model, 300); /* a handful of nodes */
  assert_int_equal(clew_tree_start(&tree, 0, &id), CLEW_TREE_OK);
  enum clew_tree_answer answer = CLEW_TREE_OK;
  uint32_t deepest = id;
  for (uint32_t i = 0; i < 9 && answer == CLEW_TREE_OK; i++) {
    deepest = id;
    answer = clew_tree_step(&tree, deepest, i % 2 == 0 ? right : up, &id, &site);
  }
  assert_int_equal(answer, CLEW_TREE_FULL);
  assert_true(clew_tree_validate(&tree));
  /* What is there stays; a node that is there already can still be visited. */
  assert_int_equal(clew_tree_start(&tree, 0, &id), CLEW_TREE_OK);
  clew_tree_close(&tree);
  model->close(model);
}

/* ---- searching ---- */

static const struct clew_seek_limits plenty = {
    .bytes = 1 << 24, .states = 1 << 20, .depth = UINT32_MAX, .seconds = 60};

static void test_seek(void **unused) {
  (void)unused;
  struct clew_diag_sink diags = {0};
  struct clew_model *model = load(grid, "x = 4 & y = 5", &diags);
  uint64_t *start = clew_alloc_zero(model->words, sizeof *start);
  assert_true(clew_model_start(model, 0, start));
  const struct clew_property *goal = &model->properties[model->property_count - 1];
  struct clew_seek seek;
  assert_int_equal(clew_seek_run(&seek, model, start, goal->label, false, false, &plenty),
                   CLEW_SEEK_FOUND);
  uint32_t count, *way = clew_seek_way(&seek, seek.found, &count);
  assert_int_equal(count, 9); /* the shortest */
  clew_free(way);
  clew_seek_close(&seek);
  /* All of the grid, without links that nobody asked for. */
  assert_int_equal(clew_seek_run(&seek, model, start, CLEW_NONE, true, false, &plenty),
                   CLEW_SEEK_NONE);
  assert_int_equal(seek.nodes.len, 100);
  assert_int_equal(seek.links.len, 0);
  clew_seek_close(&seek);
  struct clew_seek_limits near = plenty;
  near.depth = 2;
  assert_int_equal(clew_seek_run(&seek, model, start, CLEW_NONE, true, true, &near),
                   CLEW_SEEK_LIMIT);
  assert_int_equal(seek.nodes.len, 6); /* 1 + 2 + 3 */
  assert_int_equal(seek.links.len, 6); /* 2 + 4 */
  clew_seek_close(&seek);
  struct clew_seek_limits few = plenty;
  few.states = 10;
  assert_int_equal(clew_seek_run(&seek, model, start, goal->label, false, false, &few),
                   CLEW_SEEK_LIMIT);
  assert_true(seek.nodes.len <= 10);
  clew_seek_close(&seek);
  clew_free(start);
  model->close(model);
}

/* ---- saved states ---- */

/* A search with a checkpoint, made by the program itself. */
static void search(const char *directory, const char *file, const char *symmetry) {
  char *argv[] = {(char *)(uintptr_t) "clew",      (char *)(uintptr_t) "check",
                  (char *)(uintptr_t)file,         (char *)(uintptr_t) "--checkpoint",
                  (char *)(uintptr_t)directory,    (char *)(uintptr_t) "--json",
                  (char *)(uintptr_t) "/dev/null", (char *)(uintptr_t) "--exec",
                  (char *)(uintptr_t) "interp",    (char *)(uintptr_t) "--quiet",
                  (char *)(uintptr_t)symmetry,     (char *)(uintptr_t) "--property",
                  (char *)(uintptr_t) "high",      NULL};
  int argc = (int)(sizeof argv / sizeof argv[0]) - 1;
  assert_int_equal(clew_main(argc, argv), 0);
}

static const char saved_text[] = "var x: 0..30; y: 0..30;\n"
                                 "rule \"right\" x < 30 ==> begin x := x + 1; end;\n"
                                 "rule \"up\" y < 30 ==> begin y := y + 1; end;\n"
                                 "rule \"again\" x = 30 & y = 30 ==> begin x := 0; y := 0; end;\n"
                                 "startstate begin x := 0; y := 0; end;\n"
                                 "invariant \"high\" x <= 30;\n";

static void test_saved(void **unused) {
  (void)unused;
  char directory[] = "/tmp/clew-test-XXXXXX", file[64], where[64], command[160];
  assert_non_null(mkdtemp(directory));
  snprintf(file, sizeof file, "%s/saved.m", directory);
  snprintf(where, sizeof where, "%s/checkpoint", directory);
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  fputs(saved_text, out);
  fclose(out);
  search(where, file, "--no-symmetry");
  struct clew_diag_sink diags = {0};
  struct clew_model *model = load(saved_text, NULL, &diags);
  struct clew_model *question = load(saved_text, "x = 7 & y >= 20", &diags);
  struct clew_saved *saved = clew_saved_open(where, model, &diags);
  for (uint32_t i = 0; i < diags.len; i++) {
    print_message("%s\n", diags.data[i].message);
  }
  assert_non_null(saved);
  assert_int_equal(clew_saved_states(saved), 31 * 31);
  /* Each id leads to a state of its own, by a shortest path. */
  uint64_t *seen = clew_alloc_zero(31 * 31, sizeof *seen);
  for (clew_id id = 0; id < 31 * 31; id++) {
    struct clew_trace trace;
    uint32_t failed_step;
    assert_int_equal(clew_saved_path(saved, id, &trace, &diags), CLEW_OK);
    uint64_t *states = clew_trace_states(model, &trace, &failed_step);
    assert_non_null(states);
    const uint64_t *last = states + (size_t)trace.edge_count * model->words;
    int64_t x = value_of(model, last, 0), y = value_of(model, last, 1);
    assert_int_equal(trace.edge_count, x + y);
    assert_int_equal(seen[x * 31 + y]++, 0);
    clew_free(states);
    clew_trace_free(&trace);
  }
  clew_free(seen);
  struct clew_trace none;
  assert_int_equal(clew_saved_path(saved, 31 * 31, &none, &diags), CLEW_BAD_INPUT);
  /* Eleven of them have x = 7 and y in 20..30. */
  const struct clew_property *goal = &question->properties[question->property_count - 1];
  struct clew_scan *scan = clew_scan_open(saved, question, goal->label, false, &diags);
  assert_non_null(scan);
  clew_id found, before = 0;
  for (uint32_t i = 0; i < 11; i++) {
    assert_int_equal(clew_scan_next(scan, 60, &found, &diags), CLEW_SCAN_FOUND);
    assert_true(found > before);
    before = found;
  }
  assert_int_equal(clew_scan_next(scan, 60, &found, &diags), CLEW_SCAN_END);
  assert_int_equal(clew_scan_done(scan), 31 * 31);
  clew_scan_close(scan);
  clew_saved_close(saved);
  /* Another model has no business there. */
  struct clew_model *other = load_grid();
  assert_null(clew_saved_open(where, other, &diags));
  other->close(other);
  question->close(question);
  model->close(model);
  clew_diag_sink_free(&diags);
  snprintf(command, sizeof command, "rm -rf %s", directory);
  assert_int_equal(system(command), 0);
}

/* ---- requests ---- */

static struct clew_model *ask(void *context, const char *expression, bool of_saved,
                              struct clew_diag_sink *diags) {
  (void)context;
  (void)of_saved;
  return load(grid, expression, diags);
}

static void export_walk(void *context, const struct clew_trace *trace, struct clew_text *out) {
  clew_trace_write(context, trace, NULL, out);
}

struct talk {
  struct clew_model *model;
  uint64_t *enabled;
  struct clew_explorer *explorer;
  struct clew_arena *arena;
};

static void talk_open(struct talk *talk, uint64_t memory_bytes) {
  talk->model = load_grid();
  talk->arena = clew_arena_open();
  talk->enabled = clew_alloc_zero(CLEW_BITSET_WORDS(talk->model->property_count) + 1, 8);
  for (uint32_t i = 0; i < talk->model->property_count; i++) {
    clew_bitset_add(talk->enabled, i);
  }
  talk->explorer = clew_explorer_open(&(struct clew_explorer_config){.model = talk->model,
                                                                     .enabled = talk->enabled,
                                                                     .ask = ask,
                                                                     .export_walk = export_walk,
                                                                     .context = talk->model,
                                                                     .memory_bytes = memory_bytes});
}

static void talk_close(struct talk *talk) {
  clew_explorer_close(talk->explorer);
  clew_arena_close(talk->arena);
  clew_free(talk->enabled);
  talk->model->close(talk->model);
}

/* Asks, demands the status, and returns the answer. Arguments are names and values, then NULL. */
static const struct clew_json *say(struct talk *talk, int status, bool is_post, const char *name,
                                   const char *body, ...) {
  struct clew_argument arguments[4];
  uint32_t count = 0;
  va_list list;
  va_start(list, body);
  for (const char *key; (key = va_arg(list, const char *)) != NULL; count++) {
    arguments[count] = (struct clew_argument){key, va_arg(list, const char *)};
  }
  va_end(list);
  struct clew_request request = {.is_post = is_post,
                                 .name = name,
                                 .arguments = arguments,
                                 .argument_count = count,
                                 .body = body,
                                 .body_length = strlen(body)};
  struct clew_reply reply;
  clew_explorer_answer(talk->explorer, &request, &reply);
  size_t offset;
  const char *error;
  const struct clew_json *root =
      clew_json_parse(talk->arena, clew_text_str(&reply.body), reply.body.len, &offset, &error);
  assert_non_null(root);
  if (reply.status != status) {
    print_message("%s: %s\n", name, clew_text_str(&reply.body));
  }
  assert_int_equal(reply.status, status);
  clew_text_free(&reply.body);
  return root;
}

static int64_t integer(const struct clew_json *object, const char *key) {
  const struct clew_json *value = clew_json_get(object, key);
  assert_non_null(value);
  assert_true(value->is_integer);
  return value->integer;
}

static void test_requests(void **unused) {
  (void)unused;
  struct talk talk;
  talk_open(&talk, 1 << 24);
  const struct clew_json *model = say(&talk, 200, false, "model", "", NULL);
  assert_int_equal(clew_json_get(model, "starts")->count, 1);
  assert_int_equal(clew_json_get(model, "variables")->count, 2);
  assert_int_equal(integer(say(&talk, 200, true, "start", "", "initial", "0", NULL), "id"), 0);
  const struct clew_json *node = say(&talk, 200, false, "node", "", "id", "0", NULL);
  assert_int_equal(clew_json_get(node, "choices")->count, 2);
  assert_int_equal(clew_json_get(node, "violated")->count, 0);
  assert_null(clew_json_get(node, "parent"));
  char edge[16];
  snprintf(edge, sizeof edge, "%u", edge_named(talk.model, "up"));
  assert_int_equal(integer(say(&talk, 200, true, "step", "", "id", "0", "edge", edge, NULL), "id"),
                   1);
  node = say(&talk, 200, false, "node", "", "id", "1", NULL);
  assert_int_equal(integer(node, "parent"), 0);
  assert_int_equal(clew_json_get(node, "way")->count, 2);
  const struct clew_json *path = say(&talk, 200, false, "path", "", "id", "1", NULL);
  assert_int_equal(clew_json_get(path, "steps")->count, 2);
  const struct clew_json *graph =
      say(&talk, 200, false, "graph", "", "id", "0", "depth", "2", NULL);
  assert_int_equal(clew_json_get(graph, "nodes")->count, 6);
  assert_int_equal(clew_json_get(graph, "links")->count, 6);
  /* The nearest state that violates the invariant is seven steps up. */
  const struct clew_json *found = say(&talk, 200, true, "seek", "y = 7", "id", "0", NULL);
  assert_string_equal(clew_json_get(found, "end")->string, "found");
  assert_int_equal(integer(found, "steps"), 7);
  char id[16];
  snprintf(id, sizeof id, "%d", (int)integer(found, "id"));
  node = say(&talk, 200, false, "node", "", "id", id, NULL);
  assert_int_equal(clew_json_get(node, "violated")->count, 1);
  /* A walk that is exported can be loaded, and leads to the same state. */
  struct clew_request request = {.name = "export",
                                 .arguments = &(struct clew_argument){"id", id},
                                 .argument_count = 1,
                                 .body = ""};
  struct clew_reply reply;
  clew_explorer_answer(talk.explorer, &request, &reply);
  assert_int_equal(reply.status, 200);
  const struct clew_json *loaded = say(&talk, 200, true, "load", clew_text_str(&reply.body), NULL);
  assert_int_equal(integer(loaded, "id"), integer(found, "id"));
  clew_text_free(&reply.body);
  assert_int_equal(clew_json_get(say(&talk, 200, true, "forget", "", "id", id, NULL), "id")->kind,
                   CLEW_JSON_NUMBER);
  talk_close(&talk);
}

static void test_bad_requests(void **unused) {
  (void)unused;
  struct talk talk;
  talk_open(&talk, 1 << 24);
  say(&talk, 404, false, "node", "", "id", "0", NULL);
  say(&talk, 404, false, "nothing", "", NULL);
  say(&talk, 405, false, "start", "", "initial", "0", NULL);
  say(&talk, 405, true, "model", "", NULL);
  say(&talk, 400, true, "start", "", "initial", "-1", NULL);
  say(&talk, 400, true, "start", "", NULL);
  say(&talk, 200, true, "start", "", "initial", "0", NULL);
  say(&talk, 400, true, "step", "", "id", "0", "edge", "99999999999", NULL);
  say(&talk, 404, true, "step", "", "id", "4294967295", "edge", "0", NULL);
  say(&talk, 400, true, "load", "{", NULL);
  say(&talk, 400, true, "load", "{\"clew_trace\": 1}", NULL);
  say(&talk, 400, true, "saved", "", "id", "0", NULL);
  say(&talk, 400, true, "scan", "x = 1", NULL);
  const struct clew_json *answer = say(&talk, 400, true, "seek", "x = ", "id", "0", NULL);
  assert_non_null(strstr(clew_json_get(answer, "error")->string, "column"));
  answer = say(&talk, 400, true, "seek", "z = 1", "id", "0", NULL);
  assert_non_null(strstr(clew_json_get(answer, "error")->string, "'z'"));
  answer = say(&talk, 200, true, "seek", "x = 9 & y = 9 & x < 9", "id", "0", NULL);
  assert_string_equal(clew_json_get(answer, "end")->string, "none");
  assert_int_equal(integer(answer, "states"), 100);
  /* The transition that fails is told, and cannot be taken. */
  answer = say(&talk, 200, true, "seek", "x = 9 & y = 9", "id", "0", NULL);
  char id[16], edge[16];
  snprintf(id, sizeof id, "%d", (int)integer(answer, "id"));
  snprintf(edge, sizeof edge, "%u", edge_named(talk.model, "fail"));
  const struct clew_json *node = say(&talk, 200, false, "node", "", "id", id, NULL);
  assert_int_equal(clew_json_get(node, "choices")->count, 1);
  assert_non_null(clew_json_get(&clew_json_get(node, "choices")->items[0], "error"));
  answer = say(&talk, 400, true, "step", "", "id", id, "edge", edge, NULL);
  assert_non_null(strstr(clew_json_get(answer, "error")->string, "run-time error"));
  talk_close(&talk);
}

static void test_requests_without_memory(void **unused) {
  (void)unused;
  struct talk talk;
  talk_open(&talk, 300);
  say(&talk, 200, true, "start", "", "initial", "0", NULL);
  const struct clew_json *answer = say(&talk, 200, true, "seek", "x = 9", "id", "0", NULL);
  assert_string_equal(clew_json_get(answer, "end")->string, "limit");
  talk_close(&talk);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree),         cmocka_unit_test(test_tree_at_random),
      cmocka_unit_test(test_tree_full),    cmocka_unit_test(test_seek),
      cmocka_unit_test(test_saved),        cmocka_unit_test(test_requests),
      cmocka_unit_test(test_bad_requests), cmocka_unit_test(test_requests_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
