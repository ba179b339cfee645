/* Running the system's C compiler.
 *
 * It runs in a process group of its own: an interrupt typed at the terminal reaches clew alone,
 * which then decides, and everything the compiler driver started is killed with it. A shell in
 * between limits its time and memory, because the text may be a hostile model's. It also watches a
 * pipe that only clew can write to: when clew is gone, however it ended, the group is killed. Its
 * temporary files go to the directory of the model, which is removed in any case. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "ir/native_int.h"

extern char **environ;

/* -fwrapv: stored numbers are converted to values and back in wrapping arithmetic. -march=native
 * gained nothing (mcslock1, newlist6, ldash, sci) and would tie cached objects to one machine. */
static const char *const options[] = {
    "-std=gnu11",
    "-fPIC",
    "-shared",
    "-fwrapv",
    "-w",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-fno-stack-protector",
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

/* Compilers do some hundred kilobytes a second. From about three seconds on, half the time is worth
 * more than the tenth or fifth of speed that the second level of optimisation gains. -O1 takes a
 * fourth longer than -Og and gains nothing. */
static const char *optimisation(size_t source_bytes) {
  enum { LARGE_BYTES = 310 << 10 };
  assert(source_bytes > 0);
  return source_bytes > LARGE_BYTES ? "-Og" : "-O2";
}

/* Seconds of processor time, and kilobytes. Descriptor 3 is the pipe. */
static const char *const limiter = "ulimit -t 180 2>/dev/null; ulimit -v 4194304 2>/dev/null\n"
                                   "(read line; kill -9 0) <&3 &\n"
                                   "guard=$!\n"
                                   "\"$@\" 3<&-\n"
                                   "status=$?\n"
                                   "kill -9 $guard\n"
                                   "exit $status\n";

/* Seconds that may pass until it has ended, however little it does. */
static double limit_s(void) {
  const double usual_s = 180;
  const char *given = getenv("CLEW_CC_SECONDS");
  double seconds = given == NULL ? 0 : strtod(given, NULL);
  return seconds > 0 ? seconds : usual_s;
}

/* ---- Finding it ------------------------------------------------------------------------------ */

static bool is_program(const char *path, struct stat *info) {
  assert(path != NULL);
  return stat(path, info) == 0 && S_ISREG(info->st_mode) && access(path, X_OK) == 0;
}

/* Looks for the name the way the shell does. The result is owned, or NULL. */
static char *find_program(const char *name, struct stat *info) {
  if (strchr(name, '/') != NULL)
    return is_program(name, info) ? clew_strdup(name) : NULL;
  const char *path = getenv("PATH");
  for (const char *at = path == NULL ? "/usr/bin:/bin" : path; *at != '\0';) {
    size_t length = strcspn(at, ":");
    struct clew_text candidate = {0};
    clew_text_put_n(&candidate, length == 0 ? "." : at, length == 0 ? 1 : length);
    clew_text_printf(&candidate, "/%s", name);
    if (is_program(clew_text_str(&candidate), info))
      return candidate.data;
    clew_text_free(&candidate);
    at += length;
    at += *at == ':';
  }
  assert(*name != '\0');
  return NULL;
}

/* Cuts the command at blanks. */
static void split_words(struct clew_compiler *compiler) {
  const char *blanks = " \t\n";
  char *to = compiler->words, *from = to;
  for (;;) {
    from += strspn(from, blanks);
    size_t length = strcspn(from, blanks);
    if (length == 0)
      break;
    bool last = from[length] == '\0';
    memmove(to, from, length);
    to[length] = '\0';
    to += length + 1;
    from += length + !last;
    compiler->word_count++;
  }
  assert(to <= from + 1);
}

bool clew_compiler_open(struct clew_compiler *compiler, struct clew_text *why) {
  const char *command = getenv("CLEW_CC");
  struct stat info = {0};
  *compiler = (struct clew_compiler){0};
  compiler->words = clew_strdup(command == NULL || *command == '\0' ? "cc" : command);
  split_words(compiler);
  compiler->path = compiler->word_count == 0 ? NULL : find_program(compiler->words, &info);
  if (compiler->path == NULL) {
    clew_text_printf(why, "%s: not found", compiler->word_count == 0 ? "CLEW_CC" : compiler->words);
    return false;
  }
  assert(S_ISREG(info.st_mode));
  compiler->identity[0] = (uint64_t)info.st_size;
  compiler->identity[1] = (uint64_t)info.st_mtim.tv_sec;
  compiler->identity[2] = (uint64_t)info.st_mtim.tv_nsec;
  return true;
}

void clew_compiler_close(struct clew_compiler *compiler) {
  assert(compiler != NULL);
  clew_free(compiler->words);
  clew_free(compiler->path);
  *compiler = (struct clew_compiler){0};
}

void clew_compiler_describe(const struct clew_compiler *compiler, size_t source_bytes,
                            struct clew_text *out) {
  assert(compiler->path != NULL);
  clew_text_printf(out, "%s\n", compiler->path);
  for (uint32_t i = 0; i < 3; i++)
    clew_text_printf(out, "%llu\n", (unsigned long long)compiler->identity[i]);
  const char *word = compiler->words;
  for (uint32_t i = 0; i < compiler->word_count; i++, word += strlen(word) + 1)
    clew_text_printf(out, "%s\n", word);
  for (uint32_t i = 0; i < OPTION_COUNT; i++)
    clew_text_printf(out, "%s\n", options[i]);
  clew_text_printf(out, "%s\n", optimisation(source_bytes));
}

/* ---- Running it ------------------------------------------------------------------------------ */

void clew_compile_job_open(struct clew_compile_job *job, const atomic_bool *stop) {
  *job = (struct clew_compile_job){.stop = stop};
  int failed = pthread_mutex_init(&job->lock, NULL);
  assert(failed == 0);
  (void)failed;
}

void clew_compile_job_cancel(struct clew_compile_job *job) {
  pthread_mutex_lock(&job->lock);
  job->cancelled = true;
  assert(job->pid >= 0);
  if (job->pid > 0)
    kill(-job->pid, SIGKILL);
  pthread_mutex_unlock(&job->lock);
}

void clew_compile_job_close(struct clew_compile_job *job) {
  assert(job->pid == 0);
  pthread_mutex_destroy(&job->lock);
}

typedef CLEW_VEC(char *) word_list;

static void add_word(word_list *list, const char *format, const char *text) {
  struct clew_text word = {0};
  clew_text_printf(&word, "%s%s", format, text);
  assert(word.data != NULL);
  clew_vec_push(list, word.data);
}

static void free_words(word_list *list) {
  for (uint32_t i = 0; i < list->len; i++)
    clew_free(list->data[i]);
  assert(list->len <= list->cap);
  clew_vec_free(list);
}

static void make_arguments(const struct clew_compiler *compiler, const char *directory,
                           size_t source_bytes, word_list *list) {
  add_word(list, "sh", "");
  add_word(list, "-c", "");
  add_word(list, limiter, "");
  add_word(list, "sh", "");
  add_word(list, compiler->path, "");
  const char *word = compiler->words;
  for (uint32_t i = 1; i < compiler->word_count; i++) {
    word += strlen(word) + 1;
    add_word(list, word, "");
  }
  for (uint32_t i = 0; i < OPTION_COUNT; i++)
    add_word(list, options[i], "");
  add_word(list, optimisation(source_bytes), "");
  add_word(list, "-I", directory);
  add_word(list, "-o", "");
  add_word(list, directory, "/model.so");
  add_word(list, directory, "/model.c");
  assert(list->len > OPTION_COUNT);
  clew_vec_push(list, NULL);
}

/* The environment, with temporary files in the directory. */
static void make_environment(const char *directory, word_list *list) {
  assert(directory[0] != '\0');
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
    if (strncmp(*variable, "TMPDIR=", 7) != 0)
      add_word(list, *variable, "");
  add_word(list, "TMPDIR=", directory);
  clew_vec_push(list, NULL);
}

static int spawn(char *const *arguments, char *const *environment, const char *log, int pipe_end,
                 pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, pipe_end, 3);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  int error = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  assert(error != 0 || *pid > 0);
  return error;
}

/* Whether it has ended; its number is not given back yet. */
static bool has_ended(const struct clew_compile_job *job) {
  siginfo_t info = {0};
  int failed = waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOWAIT | WNOHANG);
  return failed != 0 ? errno != EINTR : info.si_pid != 0;
}

/* Waits until it has ended, or nobody wants the result any longer, or it takes too long; false in
 * the last case. Looks often at first: most models take some tenths of a second. */
static bool await_end(struct clew_compile_job *job) {
  enum { FIRST_NS = 500 * 1000, MOST_NS = 10 * 1000 * 1000 };
  struct timespec pause = {.tv_nsec = FIRST_NS};
  double end_s = clew_clock_wall_s() + limit_s();
  while (!has_ended(job)) {
    if (atomic_load_explicit(job->stop, memory_order_relaxed))
      return true;
    if (clew_clock_wall_s() > end_s)
      return false;
    nanosleep(&pause, NULL);
    pause.tv_nsec = pause.tv_nsec * 2 < MOST_NS ? pause.tv_nsec * 2 : MOST_NS;
  }
  return true;
}

/* Kills whatever is left of the group before the number is given back, so that nobody kills a
 * stranger. */
static int end_job(struct clew_compile_job *job) {
  int status = 0;
  assert(job->pid > 0);
  pthread_mutex_lock(&job->lock);
  kill(-job->pid, SIGKILL);
  while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
    continue;
  job->pid = 0;
  pthread_mutex_unlock(&job->lock);
  return status;
}

/* The first complaint in what the compiler said, as one harmless line. */
static void quote_log(const char *path, struct clew_text *why) {
  enum { READ = 64 << 10, SHOWN = 160 };
  struct clew_text log = {0};
  struct clew_diag_sink ignored = {0};
  if (clew_file_read(path, READ, &log, &ignored) == CLEW_OK && log.len > 0) {
    const char *start = clew_text_str(&log), *found = strstr(start, "error");
    while (found != NULL && found > start && found[-1] != '\n')
      found--;
    start = found == NULL ? start : found;
    clew_text_put(why, ": ");
    for (uint32_t i = 0; i < SHOWN && start[i] != '\0' && start[i] != '\n'; i++)
      clew_text_char(why, start[i] >= ' ' && start[i] < 0x7f ? start[i] : '?');
  }
  assert(ignored.error_count <= 1);
  clew_diag_sink_free(&ignored);
  clew_text_free(&log);
}

/* The shell says by a number beyond 128 that a signal ended what it started. */
static int signal_of(int status) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status);
  return WIFEXITED(status) && WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

static bool judge(const struct clew_compiler *compiler, const char *directory, int status,
                  struct clew_text *why) {
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/model.so", directory);
  bool made = access(clew_text_str(&path), R_OK) == 0;
  clew_text_clear(&path);
  clew_text_printf(&path, "%s/log", directory);
  assert(compiler->word_count > 0);
  if (status != 0 || !made) {
    if (signal_of(status) != 0)
      clew_text_printf(why, "%s was killed (signal %d)", compiler->words, signal_of(status));
    else if (status != 0)
      clew_text_printf(why, "%s failed (exit code %d)", compiler->words, WEXITSTATUS(status));
    else
      clew_text_printf(why, "%s made nothing", compiler->words);
    quote_log(clew_text_str(&path), why);
    made = false;
  }
  clew_text_free(&path);
  return made;
}

/* False when it was cancelled, or with the error. */
static bool start_job(struct clew_compile_job *job, char *const *arguments,
                      char *const *environment, const char *log, int pipe_end, int *error) {
  pthread_mutex_lock(&job->lock);
  assert(job->pid == 0);
  bool started = !job->cancelled;
  if (started) {
    pid_t pid = 0;
    *error = spawn(arguments, environment, log, pipe_end, &pid);
    started = *error == 0;
    job->pid = started ? pid : 0;
  }
  pthread_mutex_unlock(&job->lock);
  return started;
}

bool clew_compiler_run(const struct clew_compiler *compiler, struct clew_compile_job *job,
                       const char *directory, size_t source_bytes, struct clew_text *why) {
  word_list arguments = {0}, environment = {0};
  struct clew_text log = {0};
  int error = 0;
  clew_text_printf(&log, "%s/log", directory);
  make_arguments(compiler, directory, source_bytes, &arguments);
  make_environment(directory, &environment);
  int guard[2] = {-1, -1};
  error = pipe2(guard, O_CLOEXEC) == 0 ? 0 : errno;
  bool started = error == 0 && start_job(job, arguments.data, environment.data, clew_text_str(&log),
                                         guard[0], &error);
  bool made = false;
  if (started) {
    bool in_time = await_end(job);
    int status = end_job(job);
    if (!in_time)
      clew_text_printf(why, "%s took more than %g seconds", compiler->words, limit_s());
    else if (!atomic_load(job->stop))
      made = judge(compiler, directory, status, why);
  } else if (error != 0) {
    clew_text_printf(why, "%s: %s", compiler->words, strerror(error));
  }
  if (guard[0] >= 0) {
    close(guard[0]);
    close(guard[1]);
  }
  free_words(&arguments);
  free_words(&environment);
  clew_text_free(&log);
  return made;
}
