/* "What next": the command that would say more, where there is one. */
#include <string.h>

#include "report/forecast.h"
#include "report/text_int.h"

static void put_line(struct clew_text *out, bool *any, const char *text) {
  clew_text_put(out, *any ? "" : "\nWhat next:\n");
  clew_text_printf(out, "  %s\n", text);
  *any = true;
}

/* The same command with something more. */
static void put_command(struct clew_text *out, const struct clew_report_info *info,
                        const char *more) {
  clew_text_printf(out, "    %s %s\n", info->command_line != NULL ? info->command_line : "clew …",
                   more);
}

static bool has_option(const struct clew_report_info *info, const char *option) {
  return info->command_line != NULL && strstr(info->command_line, option) != NULL;
}

/* The command that would finish, and what it would need; or one that can go on from here. */
static void put_limited(struct clew_text *out, const struct clew_report_info *info,
                        const struct clew_result *result, bool *any) {
  if (result->exit_code == CLEW_EXIT_STOPPED) {
    return; /* it is kept, and that was said */
  }
  if (result->stop != CLEW_STOP_SIGNAL && info->unlimited_line != NULL &&
      info->unlimited_line[0] != '\0') {
    struct clew_text needs = {0};
    clew_forecast_put_needs(&needs, result);
    clew_text_put(out, *any ? "" : "\nWhat next:\n");
    clew_text_printf(
        out, needs.len > 0 ? "  without the limit (forecast: %s):\n" : "  without the limit:%s\n",
        clew_text_str(&needs));
    clew_text_printf(out, "    %s\n", info->unlimited_line);
    *any = true;
    clew_text_free(&needs);
  }
  put_line(out, any, "a search that is kept can go on where it ended, with clew resume DIR:");
  put_command(out, info, "--checkpoint DIR");
}

/* A limit that the user set is the user's to raise; memory has other ways out. */
static void put_unfinished(struct clew_text *out, const struct clew_report_info *info,
                           const struct clew_result *result, bool *any) {
  switch (result->stop) {
  case CLEW_STOP_MEMORY:
    if (info->store != NULL && has_option(info, "--store")) {
      put_line(out, any, "a store that goes on with less memory when that is used up:");
      put_command(out, info, "--store auto");
    } else if (info->store == NULL) {
      put_line(out, any,
               "diagrams that are too large for memory: search states one by one, or allow "
               "more memory:");
      put_command(out, info, "--search bfs --store auto");
    } else {
      put_line(out, any, "more memory (--memory SIZE), or a store that keeps states on disk:");
      put_command(out, info, "--store disk");
    }
    return;
  case CLEW_STOP_DISK:
    put_line(out, any, "a directory with more room:");
    put_command(out, info, "--dir DIR");
    return;
  case CLEW_STOP_MAX_STATES:
  case CLEW_STOP_MAX_DEPTH:
  case CLEW_STOP_MAX_TIME:
  case CLEW_STOP_SIGNAL:
    put_limited(out, info, result, any);
    return;
  case CLEW_STOP_COLLISIONS:
    put_line(out, any, "a store that does not forget:");
    put_command(out, info, "--store auto");
    return;
  default:
    return;
  }
}

static void put_undecided(struct clew_text *out, const struct clew_report_info *info,
                          const struct clew_result *result, bool *any) {
  bool by_store = false, by_engine = false;
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    const struct clew_outcome *outcome = &result->outcomes.list[i];
    bool is_undecided = outcome->decision == CLEW_UNDECIDED;
    by_store |= is_undecided && outcome->reason == CLEW_REASON_STORE;
    by_engine |= is_undecided && outcome->reason == CLEW_REASON_ENGINE;
  }
  if (by_store) {
    put_line(out, any, "a store that keeps the graph decides the rest:");
    put_command(out, info, "--store exact");
  }
  if (by_engine) {
    put_line(out, any, "a search that decides all kinds of properties:");
    put_command(out, info, "--search bfs");
  }
}

/* A deadlock may be where a model is meant to end. */
static void put_deadlock(struct clew_text *out, const struct clew_report_info *info,
                         const struct clew_result *result, bool *any) {
  struct clew_violation first = clew_report_finding(result, 0);
  const struct clew_property *property = &info->model->properties[first.property];
  if (property->kind != CLEW_PROPERTY_DEADLOCK || property->query != CLEW_QUERY_NONE) {
    return;
  }
  bool stutters = info->model->deadlock == CLEW_DEADLOCK_STUTTERING;
  put_line(out, any,
           stutters
               ? "if the model is meant to end there, let a variable say so and change it in a "
                 "rule of its own, or leave deadlocks out:"
               : "if the model is meant to end there, add a transition from that state to "
                 "itself, or leave deadlocks out:");
  put_command(out, info, "--no-deadlock");
}

void clew_report_put_next(struct clew_text *out, const struct clew_report_info *info,
                          const struct clew_result *result) {
  bool any = false;
  if (result->verdict == CLEW_VERDICT_VIOLATED && result->outcomes.violated.len > 0) {
    put_deadlock(out, info, result, &any);
  } else if (result->verdict == CLEW_VERDICT_INCOMPLETE && !result->scope.complete) {
    put_unfinished(out, info, result, &any);
  } else if (result->verdict == CLEW_VERDICT_NO_VIOLATION_FOUND && info->store != NULL) {
    put_line(out, &any, "a proof takes a store that loses nothing:");
    put_command(out, info, "--store auto");
  }
  if (result->scope.complete) {
    put_undecided(out, info, result, &any);
  }
}
