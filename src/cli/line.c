/* Reading lines. libedit allocates by itself: its lines are not from base/. */
#include "cli/line.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef CLEW_HAVE_LIBEDIT
#include <editline/readline.h>
#endif

void clew_line_open(struct clew_line *line) {
  *line = (struct clew_line){.echoes = isatty(STDIN_FILENO) == 0};
#ifdef CLEW_HAVE_LIBEDIT
  line->edits = !line->echoes && isatty(STDOUT_FILENO) != 0;
  if (line->edits) {
    using_history();
  }
#endif
}

#ifdef CLEW_HAVE_LIBEDIT
static char *read_edited(struct clew_line *line, const char *prompt) {
  free(line->text);
  line->text = readline(prompt);
  if (line->text != NULL && *line->text != '\0') {
    add_history(line->text);
  }
  return line->text;
}
#endif

char *clew_line_read(struct clew_line *line, const char *prompt) {
  assert(prompt != NULL);
#ifdef CLEW_HAVE_LIBEDIT
  if (line->edits) {
    return read_edited(line, prompt);
  }
#endif
  fputs(prompt, stdout);
  fflush(stdout);
  if (getline(&line->text, &line->room, stdin) < 0) {
    return NULL;
  }
  line->text[strcspn(line->text, "\r\n")] = '\0';
  return line->text;
}

void clew_line_close(struct clew_line *line) {
  free(line->text);
  line->text = NULL;
}
