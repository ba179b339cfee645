/* Lines of input: with editing and a history where somebody types them and clew was built with
 * libedit, plainly otherwise. */
#ifndef CLEW_CLI_LINE_H
#define CLEW_CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct clew_line {
  char *text; /* the last one */
  size_t room;
  bool edits;
  bool echoes; /* the input is not a terminal: nobody sees what is read */
};

void clew_line_open(struct clew_line *line);
/* Prints the prompt and reads a line, which lives until the next call, without its end. NULL at the
 * end of the input. */
char *clew_line_read(struct clew_line *line, const char *prompt);
void clew_line_close(struct clew_line *line);

#endif
