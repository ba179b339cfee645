/* One-line messages to the user. */
#include "cli/message.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli/voice.h"
#include "report/report.h"
#include "trace/plain.h"

/* Messages are errors unless they begin by saying that they are less. */
static void say(struct clew_voice *voice, const char *message) {
  static const struct {
    const char *start;
    enum clew_severity severity;
  } kinds[] = {{"note: ", CLEW_NOTE}, {"warning: ", CLEW_WARNING}};
  enum clew_severity severity = CLEW_ERROR;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    size_t length = strlen(kinds[i].start);
    if (strncmp(message, kinds[i].start, length) == 0) {
      severity = kinds[i].severity;
      message += length;
      break;
    }
  }
  clew_diag_plain(&voice->said, severity, NULL, "%s", message);
}

/* Arguments may hold anything; the terminal gets one tame line, in one piece. */
__attribute__((format(printf, 1, 0))) static void print(const char *format, va_list args,
                                                        const char *tail) {
  struct clew_text message = {0}, line = {0};
  clew_text_vprintf(&message, format, args);
  struct clew_voice *voice = clew_voice_here();
  if (voice != NULL) {
    say(voice, clew_text_str(&message));
    clew_text_free(&message);
    return;
  }
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

void clew_message_diagnostics(const struct clew_diag_sink *diags) {
  struct clew_voice *voice = clew_voice_here();
  if (voice == NULL) {
    clew_report_diagnostics(stderr, diags);
    return;
  }
  for (uint32_t i = 0; i < diags->len; i++) {
    clew_diag_copy(&voice->said, &diags->data[i]);
  }
}
