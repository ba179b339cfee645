/* One-line messages to the user. */
#include "cli/message.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "trace/plain.h"

/* Arguments may hold anything; the terminal gets one tame line, in one piece. */
__attribute__((format(printf, 1, 0))) static void print(const char *format, va_list args,
                                                        const char *tail) {
  struct clew_text message = {0}, line = {0};
  clew_text_vprintf(&message, format, args);
  clew_text_put(&line, "clew: ");
  clew_plain_put(&line, clew_text_str(&message));
  clew_text_put(&line, tail);
  clew_text_char(&line, '\n');
  fwrite(line.data, 1, line.len, stderr);
  fflush(stderr);
  clew_text_free(&message);
  clew_text_free(&line);
}

void clew_message(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print(format, args, "");
  va_end(args);
}

enum clew_exit clew_message_usage(enum clew_command_id command, const char *format, ...) {
  assert(command <= CLEW_COMMAND_COUNT);
  struct clew_text tail = {0};
  clew_text_put(&tail, "; see clew help");
  if (command != CLEW_COMMAND_COUNT && command != CLEW_COMMAND_help) {
    clew_text_printf(&tail, " %s", clew_commands[command].name);
  }
  va_list args;
  va_start(args, format);
  print(format, args, clew_text_str(&tail));
  va_end(args);
  clew_text_free(&tail);
  return CLEW_EXIT_USAGE;
}
