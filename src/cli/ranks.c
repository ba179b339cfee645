/* Ranks: the launcher's environment, the library that speaks MPI, the first agreement. */
#include "cli/ranks.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "report/version.h"

static const double PATIENCE_S = 600;
static const size_t PROGRAM_LIMIT_BYTES = (size_t)1 << 30;

static struct clew_team team;
static struct clew_transport *transport;
static bool is_open;
static FILE *standard_error; /* of a rank that keeps quiet */
static char *unsaid;         /* what it would have printed */
static size_t unsaid_bytes;

struct clew_team *clew_ranks_team(void) {
  return is_open ? &team : NULL;
}

bool clew_ranks_speaks(void) {
  return !is_open || team.rank == 0;
}

/* ---- the launcher ---- */

/* What a launcher says: number of processes, and which this one is. False: there is none. */
static bool find_launcher(uint64_t *ranks, uint64_t *rank) {
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                         {"PMI_SIZE", "PMI_RANK"},
                                         {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  const char *wish = getenv("CLEW_MPI");
  if (wish != NULL && strcmp(wish, "no") == 0) {
    return false;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *size = getenv(names[i][0]), *number = getenv(names[i][1]);
    if (size != NULL && number != NULL && clew_text_parse_u64(size, ranks) &&
        clew_text_parse_u64(number, rank)) {
      /* A batch script is a step of one task, and no search of one rank. */
      return *ranks > 1 || i < 2;
    }
  }
  return false;
}

bool clew_ranks_follows(void) {
  uint64_t ranks = 1, rank = 0;
  return find_launcher(&ranks, &rank) && rank > 0;
}

static bool is_for_ranks(const struct clew_options *options) {
  return !options->help &&
         (options->command == CLEW_COMMAND_check || options->command == CLEW_COMMAND_stats ||
          options->command == CLEW_COMMAND_resume);
}

/* The library is beside the program, or where libraries of programs are. */
static const struct clew_transport_type *load(struct clew_text *why) {
  struct clew_text place = {0};
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(program, '/');
  if (slash != NULL) {
    *slash = '\0';
  }
  const char *given = getenv("CLEW_MPI_LIBRARY");
  void *library = NULL;
  for (size_t i = 0; i < 2 && library == NULL; i++) {
    clew_text_free(&place);
    if (given != NULL) {
      clew_text_put(&place, given);
    } else if (i == 0) {
      clew_text_printf(&place, "%s/clew-mpi.so", program);
    } else {
      clew_text_printf(&place, "%s/../lib/clew/clew-mpi.so", program);
    }
    library = dlopen(clew_text_str(&place), RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL && (i == 0 || access(clew_text_str(&place), F_OK) == 0)) {
      clew_text_free(why);
      clew_text_put(why, dlerror());
    }
  }
  const struct clew_transport_type *type =
      library != NULL ? dlsym(library, "clew_transport_mpi") : NULL;
  if (library != NULL && type == NULL) {
    clew_text_printf(why, "%s is not what it should be", clew_text_str(&place));
  }
  clew_text_free(&place);
  return type;
}

/* Messages of this rank are kept: the first one says the same, or nobody wants to know. */
static void keep_quiet(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout);
  if (nowhere >= 0) {
    (void)dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  standard_error = stderr;
  FILE *kept = open_memstream(&unsaid, &unsaid_bytes);
  stderr = kept != NULL ? kept : standard_error;
}

enum clew_exit clew_ranks_open(const struct clew_options *options, bool *leaves) {
  uint64_t ranks = 1, rank = 0;
  struct clew_text why = {0};
  const char *reason = NULL;
  *leaves = false;
  if (!find_launcher(&ranks, &rank)) {
    return CLEW_EXIT_OK;
  }
  if (!is_for_ranks(options)) {
    *leaves = rank != 0;
    return CLEW_EXIT_OK;
  }
  const struct clew_transport_type *type = load(&why);
  if (type == NULL && ranks == 1) {
    clew_text_free(&why);
    return CLEW_EXIT_OK;
  }
  if (type != NULL) {
    transport = type->open(&reason);
  }
  if (transport == NULL) {
    if (rank == 0) {
      clew_message(
          "this is one of %llu processes that were started together, but clew has no MPI "
          "here: %s (make mpi builds it; CLEW_MPI=no makes them independent of each other)",
          (unsigned long long)ranks, reason != NULL ? reason : clew_text_str(&why));
    }
    clew_text_free(&why);
    return CLEW_EXIT_USAGE;
  }
  clew_text_free(&why);
  clew_team_open(&team, transport, PATIENCE_S, NULL);
  is_open = true;
  if (team.rank != 0) {
    keep_quiet();
  }
  return CLEW_EXIT_OK;
}

struct clew_team *clew_ranks_alone(void) {
  const char *why = NULL;
  if (!is_open) {
    transport = clew_transport_alone.open(&why);
    clew_team_open(&team, transport, PATIENCE_S, NULL);
    is_open = true;
  }
  return &team;
}

static volatile sig_atomic_t exit_code;

static void leave_alone(int signal_number) {
  (void)signal_number;
  _exit(exit_code);
}

/* Leaves together with the others. One that hangs must not keep this one, which has said all it has
 * to say: it goes without them, and mpirun ends them. */
static void close_transport(enum clew_exit exit) {
  const unsigned least_s = 2;
  unsigned patience_s = team.patience_s > least_s ? (unsigned)team.patience_s : least_s;
  exit_code = (int)exit;
  (void)signal(SIGALRM, leave_alone);
  alarm(patience_s);
  transport->type->close(transport);
  alarm(0);
}

/* Says now what was kept. */
static void speak_up(void) {
  if (standard_error != NULL && stderr != standard_error) {
    fflush(stderr);
    fwrite(unsaid, 1, unsaid_bytes, standard_error);
    fflush(standard_error);
  }
}

enum clew_exit clew_ranks_close(enum clew_exit exit) {
  if (!is_open) {
    return exit;
  }
  bool lost = clew_team_is_lost(&team);
  bool speaks = clew_ranks_speaks();
  fflush(stdout);
  if (lost) {
    if (!speaks) { /* the first one is to report first, if it can */
      const useconds_t while_us = 2000000;
      usleep(while_us);
    }
    transport->type->abort(transport, (int)exit);
  } else {
    close_transport(exit);
    clew_team_close(&team);
  }
  is_open = false;
  if (standard_error != NULL && stderr != standard_error) {
    fclose(stderr);
    stderr = standard_error;
    free(unsaid);
  }
  return speaks || lost ? exit : CLEW_EXIT_OK;
}

void clew_ranks_wait(double patience_s, const atomic_bool *hurry) {
  team.patience_s = isnan(patience_s) ? PATIENCE_S : patience_s;
  team.hurry = hurry;
}

/* ---- agreement ---- */

enum clew_exit clew_ranks_agree(enum clew_exit exit) {
  if (!is_open) {
    return exit;
  }
  uint64_t first = exit != CLEW_EXIT_OK ? team.rank : team.ranks, code = (uint64_t)exit;
  if (!clew_team_reduce(&team, CLEW_REDUCE_MIN, &first, 1)) {
    clew_message("%s", team.why);
    return CLEW_EXIT_INTERNAL;
  }
  if (first == team.ranks) {
    return CLEW_EXIT_OK;
  }
  if (first == team.rank) {
    speak_up();
  }
  if (!clew_team_share(&team, (uint32_t)first, &code, sizeof code)) {
    return CLEW_EXIT_INTERNAL;
  }
  if (exit == CLEW_EXIT_OK && team.rank == 0) {
    clew_message("rank %llu cannot take part (its message stands above)",
                 (unsigned long long)first);
  }
  return (enum clew_exit)code;
}

static uint64_t sum_of_program(void) {
  struct clew_text text = {0};
  struct clew_diag_sink ignored = {0};
  uint64_t sum = 0;
  if (clew_file_read("/proc/self/exe", PROGRAM_LIMIT_BYTES, &text, &ignored) == CLEW_OK) {
    sum = clew_hash_bytes(text.data, text.len, 1);
  }
  clew_diag_sink_free(&ignored);
  clew_text_free(&text);
  return sum;
}

/* What states and edges are, in numbers that mean the same everywhere or not at all. */
static uint64_t sum_of_model(const struct clew_model *model) {
  struct clew_text text = {0};
  const uint32_t byte_order = 0x01020304;
  if (model->describe != NULL) {
    model->describe(model, CLEW_DESCRIBE_ALL, &text);
  }
  clew_text_put_n(&text, (const char *)&byte_order, sizeof byte_order);
  clew_text_printf(&text, " %u words %u bytes %u edges %u properties", model->words, model->bytes,
                   model->edge_count, model->property_count);
  uint64_t sum = clew_hash_bytes(text.data, text.len, 2);
  clew_text_free(&text);
  return sum;
}

static uint64_t sum_of_options(const struct clew_options *options) {
  struct clew_text text = {0};
  clew_options_line(options, &text);
  uint64_t sum = clew_hash_bytes(text.data, text.len, 3);
  clew_text_free(&text);
  return sum;
}

enum clew_exit clew_ranks_compare(const struct clew_options *options,
                                  const struct clew_model *model) {
  static const char *const parts[] = {"another build of clew",
                                      "another model, or numbers it otherwise", "other options"};
  if (!is_open) {
    return CLEW_EXIT_OK;
  }
  uint64_t own[] = {sum_of_program(), sum_of_model(model), sum_of_options(options)}, first[3];
  memcpy(first, own, sizeof first);
  if (!clew_team_share(&team, 0, first, sizeof first)) {
    return CLEW_EXIT_INTERNAL;
  }
  uint64_t different[3];
  for (uint32_t i = 0; i < 3; i++) {
    different[i] = own[i] != first[i] ? team.rank : team.ranks;
  }
  if (!clew_team_reduce(&team, CLEW_REDUCE_MIN, different, 3)) {
    return CLEW_EXIT_INTERNAL;
  }
  for (uint32_t i = 0; i < 3; i++) {
    if (different[i] != team.ranks) {
      if (team.rank == 0) {
        clew_message("rank %llu has %s: all ranks must have the same",
                     (unsigned long long)different[i], parts[i]);
      }
      return CLEW_EXIT_USAGE;
    }
  }
  team.key = clew_hash_bytes(first, sizeof first, 4);
  return CLEW_EXIT_OK;
}
