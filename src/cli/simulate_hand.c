/* `clew simulate` step by step: a dialogue in the terminal, or with a script. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/line.h"
#include "cli/simulate_int.h"
#include "trace/plain.h"
#include "trace/trace.h"

enum { PAGE = 20, PREVIEWED = 3, LEAST_PAGE = 5, OTHER_LINES = 6 };

/* How many choices are listed at once: as many as the terminal has room for. */
static uint32_t page_of(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) {
    return PAGE;
  }
  return size.ws_row > LEAST_PAGE + OTHER_LINES ? size.ws_row - OTHER_LINES : LEAST_PAGE;
}

/* What the choice changes, on one line: "x = 2, y = true, ...". */
static void put_effects(struct walk *walk, const struct choice *choice) {
  if (walk->is_start || walk->by_delays || choice->site != CLEW_NONE) {
    return;
  }
  struct clew_text changes = {0};
  const uint64_t *state = walk->succs.states + (size_t)choice->index * walk->model->words;
  clew_state_print(walk->model, state, clew_walk_state(walk), "", &changes);
  const char *at = clew_text_str(&changes);
  for (uint32_t i = 0; *at != '\0' && i <= PREVIEWED; i++) {
    size_t length = strcspn(at, "\n");
    clew_text_put(&walk->out, i == 0 ? "    " : ", ");
    if (i == PREVIEWED) {
      clew_text_put(&walk->out, "...");
    } else {
      clew_text_printf(&walk->out, "%.*s", (int)length, at);
    }
    at += length + (at[length] == '\n');
  }
  clew_text_free(&changes);
}

static void list_choice(struct walk *walk, uint32_t i, const char *name) {
  const struct choice *choice = &walk->choices.data[i];
  clew_text_printf(&walk->out, "  [%u] ", i + 1);
  clew_plain_put(&walk->out, name);
  if (walk->by_delays && !walk->is_start) {
    clew_text_put(&walk->out, "  after ");
    clew_window_print(clew_walk_point(walk), &choice->window, &walk->out);
  }
  put_effects(walk, choice);
  clew_text_put(&walk->out, choice->site != CLEW_NONE ? "  (run-time error)\n" : "\n");
}

/* Lists the choices from `first` on, a page of them, whose names have `part`; returns where the
 * next page begins. */
static uint32_t list_page(struct walk *walk, uint32_t first, const char *part) {
  struct clew_text name = {0};
  uint32_t shown = 0, page = page_of(), i = first, left = 0;
  for (; i < walk->choices.len && shown < page; i++) {
    clew_text_clear(&name);
    clew_walk_choice_name(walk, &walk->choices.data[i], &name);
    if (strstr(clew_text_str(&name), part) != NULL) {
      list_choice(walk, i, clew_text_str(&name));
      shown++;
    }
  }
  clew_text_free(&name);
  left = walk->choices.len - i;
  if (left > 0) {
    clew_text_printf(&walk->out, "  and %u more (m: more, / TEXT: those with TEXT)\n", left);
  } else if (shown == 0 && first == 0 && walk->choices.len > 0) {
    clew_text_put(&walk->out, "  none has that text\n");
  }
  return left > 0 ? i : 0;
}

static void list_choices(struct walk *walk) {
  if (walk->choices.len == 0) {
    clew_text_put(&walk->out, walk->is_start ? "The model has no initial state.\n"
                                             : "Nothing can happen here (u undoes, q quits).\n");
  }
  walk->next_page = list_page(walk, 0, "");
  if (walk->by_delays && !walk->is_start) {
    clew_walk_print_stay(walk);
  }
}

static void undo(struct walk *walk) {
  assert(walk->states.len % walk->model->words == 0);
  if (walk->states.len == 0) {
    clew_text_put(&walk->out, "There is nothing to undo.\n");
    return;
  }
  walk->states.len -= walk->model->words;
  walk->edges.len -= walk->edges.len > 0;
  walk->is_start = walk->states.len == 0;
  walk->steps -= walk->steps > 0;
  if (walk->by_delays) {
    clew_walk_forget(walk, 1);
    walk->steps = walk->is_start ? 0 : clew_vec_last(&walk->moments).steps;
  }
  if (!walk->is_start) {
    clew_text_printf(&walk->out, "Back at step %llu.\n", (unsigned long long)walk->steps);
  }
}

static const char HELP[] = "  NUMBER       take that transition\n"
                           "  u, undo      go back one step\n"
                           "  s, state     show the whole state\n"
                           "  p NUMBER     preview: all that the transition changes\n"
                           "  m, more      the next page of transitions;  l, list: the first one\n"
                           "  / TEXT       the transitions with TEXT in their names\n"
                           "  r N          N random steps\n"
                           "  g EXPR       go to a nearest state in which EXPR is true (goto)\n"
                           "  w FILE       save the walk, for clew replay and --from (save)\n"
                           "  q, quit      the end\n";
static const char HELP_DELAYS[] =
    "  NUMBER       take that transition as soon as it can be\n"
    "  NUMBER 1.5   the same after a delay\n"
    "  d 1.5        let time pass\n"
    "  u, undo      go back one step or delay\n"
    "  s, state     show the whole state\n"
    "  p NUMBER     preview: all that the transition changes\n"
    "  m, more      the next page of transitions;  l, list: the first one\n"
    "  / TEXT       the transitions with TEXT in their names\n"
    "  r N          N random steps\n"
    "  q, quit      the end\n";

/* By delays: waits until the choice can be taken, for as long as the user says. False: it cannot,
 * or the walk ends on the way. */
static bool wait_for(struct walk *walk, struct choice *choice, const char *word) {
  struct clew_point *point = clew_walk_point(walk);
  int64_t delay = 0, scale = point->scale;
  if (*word == '\0') {
    delay = clew_point_earliest(point, &choice->window);
  } else if (!clew_point_parse(point, word, &delay)) {
    clew_text_put(&walk->out, "How long? For example: 2 1.5\n");
    return false;
  }
  if (*word != '\0' && point->scale != scale) { /* windows are in the old unit */
    choice->window.from *= point->scale / scale;
    choice->window.to *= point->scale / scale;
  }
  if (!clew_window_has(&choice->window, delay)) {
    clew_text_put(&walk->out, "It can be taken after ");
    clew_window_print(point, &choice->window, &walk->out);
    clew_text_put(&walk->out, " only.\n");
    return false;
  }
  return delay == 0 || clew_walk_delay(walk, delay, true);
}

static void choose_number(struct walk *walk, const char *word, const char *rest) {
  assert(word != NULL);
  uint64_t number;
  if (!clew_text_parse_u64(word, &number) || number < 1 || number > walk->choices.len) {
    clew_text_put(&walk->out, "There is no such transition or command (h: help).\n");
    return;
  }
  struct choice *choice = &walk->choices.data[number - 1];
  if (walk->by_delays && !walk->is_start && !wait_for(walk, choice, rest)) {
    return;
  }
  if (clew_walk_take(walk, choice, true)) {
    clew_walk_check(walk);
  }
}

/* By delays: "d 1.5". */
static void let_pass(struct walk *walk, const char *word) {
  int64_t delay;
  if (walk->is_start) {
    clew_text_put(&walk->out, "Choose how to start first.\n");
    return;
  }
  struct clew_point *point = clew_walk_point(walk);
  if (!clew_point_parse(point, word, &delay)) {
    clew_text_put(&walk->out, "How long? For example: d 1.5\n");
    return;
  }
  struct clew_window stay = clew_point_stay(point);
  if (!clew_window_has(&stay, delay)) {
    clew_walk_print_stay(walk);
  } else {
    clew_walk_delay(walk, delay, true);
  }
}

static void show_state(struct walk *walk) {
  if (walk->states.len > 0) {
    clew_state_print(walk->model, clew_walk_state(walk), NULL, "        ", &walk->out);
    if (walk->by_delays) {
      clew_point_print(clew_walk_point(walk), walk->model->timed, &walk->out);
    }
  }
}

static void preview(struct walk *walk, const char *word) {
  uint64_t number;
  if (!clew_text_parse_u64(word, &number) || number < 1 || number > walk->choices.len) {
    clew_text_put(&walk->out, "Which transition? For example: p 2\n");
    return;
  }
  const struct choice *choice = &walk->choices.data[number - 1];
  if (choice->site != CLEW_NONE) {
    clew_site_print(walk->model, choice->site, &walk->out);
    clew_text_char(&walk->out, '\n');
    return;
  }
  clew_state_print(walk->model, walk->succs.states + (size_t)choice->index * walk->model->words,
                   walk->is_start ? NULL : clew_walk_state(walk), "        ", &walk->out);
}

static void walk_on(struct walk *walk, const char *word) {
  uint64_t steps = 1;
  if (*word != '\0' && !clew_text_parse_u64(word, &steps)) {
    clew_text_put(&walk->out, "How many steps? For example: r 10\n");
  } else {
    clew_walk_randomly(walk, steps, true);
  }
}

static bool is(const char *word, const char *letter, const char *name) {
  return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

/* Commands that lead nowhere. False: this is another one. */
static bool obey_about_here(struct walk *walk, const char *word, const char *rest) {
  if (is(word, "s", "state")) {
    show_state(walk);
  } else if (is(word, "h", "help") || strcmp(word, "?") == 0) {
    clew_text_put(&walk->out, walk->by_delays ? HELP_DELAYS : HELP);
  } else if (is(word, "p", "preview")) {
    preview(walk, rest);
  } else if (is(word, "m", "more")) {
    walk->next_page = list_page(walk, walk->next_page, "");
  } else if (is(word, "l", "list")) {
    list_choices(walk);
  } else if (strcmp(word, "/") == 0) {
    list_page(walk, 0, rest);
  } else if (is(word, "w", "save")) {
    clew_walk_save(walk, rest);
  } else {
    return false;
  }
  return true;
}

/* Obeys one line; false when it says to quit. *moved: the walk is somewhere else, perhaps. */
static bool obey(struct walk *walk, char *line, bool *moved) {
  char *word = line + strspn(line, " \t");
  size_t length = *word == '/' ? 1 : strcspn(word, " \t");
  char *rest = word + length + strspn(word + length, " \t");
  char *end = rest + strlen(rest);
  while (end > rest && (end[-1] == ' ' || end[-1] == '\t')) {
    *--end = '\0';
  }
  char *first = clew_strndup(word, length);
  bool quits = is(first, "q", "quit");
  *moved = !quits && *first != '\0' && !obey_about_here(walk, first, rest);
  if (*moved) {
    if (is(first, "u", "undo")) {
      undo(walk);
    } else if (strcmp(first, "d") == 0 && walk->by_delays) {
      let_pass(walk, rest);
    } else if (is(first, "r", "random")) {
      walk_on(walk, rest);
    } else if (is(first, "g", "goto")) {
      clew_walk_go(walk, rest);
    } else {
      choose_number(walk, first, rest);
    }
  }
  clew_free(first);
  return !quits;
}

void clew_walk_by_hand(struct walk *walk) {
  struct clew_line line;
  clew_line_open(&line);
  for (bool more = true, moved = true; more;) {
    if (moved && !clew_walk_find_choices(walk)) {
      break;
    }
    if (moved) {
      list_choices(walk);
    }
    char *text = clew_walk_flush(walk) ? clew_line_read(&line, "> ") : NULL;
    more = text != NULL;
    if (!more) {
      clew_text_char(&walk->out, '\n');
      break;
    }
    if (line.echoes) { /* so that the output of a script reads like a dialogue */
      clew_plain_put(&walk->out, text);
      clew_text_char(&walk->out, '\n');
    }
    more = obey(walk, text, &moved);
  }
  clew_line_close(&line);
  clew_walk_flush(walk);
  if (!atomic_load(walk->model->stop)) {
    walk->exit = CLEW_EXIT_OK; /* the user has seen what happened */
  }
}
