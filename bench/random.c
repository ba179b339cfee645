/* Random models, and searches of them that have to agree (tests/unit/random_agree.h says which).
 *
 *   make random
 *   build/random LANGUAGE FIRST COUNT [OPTION VALUE]...
 *
 *   jobs N      models that are looked at together (default: 2)
 *   native N    compile each N-th model, too; 0: none (default: 20)
 *   dir DIR     where models are written; those with a disagreement stay (default: build/random.d)
 *   print 1     only print the models
 *
 * Model n of a language is always the same. Models are looked at by processes of their own, a few
 * dozen by each, so that a crash is one more disagreement; so is a model that takes five minutes.
 * Every disagreement is told by the command that shows it. Native code is compiled without
 * optimisation: that takes a third of the time, and what is emitted is the same.
 *
 * Last line: "N models, N accepted, N disagreements"; exit code 1 if there are any. Models that are
 * refused, and those with too many states, are not compared. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "unit/random_agree.h"
#include "unit/random_models.h"
#include "unit/random_timed.h"

enum { MOST_JOBS = 64, CHUNK = 50, MODEL_SECONDS = 30 };

struct plan {
  const struct random_language *language;
  uint64_t first, count, jobs, native, print;
  const char *directory;
};

/* Written by the process that works on a chunk, read by the one that started it when it is gone. */
struct chunk {
  uint64_t next, end;          /* seeds */
  char command[RA_LINE_BYTES]; /* that was begun last */
  uint64_t fates[RA_FATES], disagreements;
};

/* ---- One model ---- */

static void path_of(const struct plan *plan, uint64_t seed, char *path, size_t bytes) {
  snprintf(path, bytes, "%s/%s-%" PRIu64 ".%s", plan->directory, plan->language->name, seed,
           plan->language->suffix);
}

static void must(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "random: %s: %s\n", what, strerror(errno));
    exit(2);
  }
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  must(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, path);
}

static bool by_turns(uint64_t seed, uint64_t every) {
  return every > 0 && seed % every == 0;
}

/* Told on `out`, because standard output and error take what clew says to its users. */
static void look_at(const struct plan *plan, struct chunk *chunk, FILE *out) {
  char path[PATH_MAX];
  struct clew_text model = {0}, complaints = {0};
  path_of(plan, chunk->next, path, sizeof path);
  plan->language->make(&model, chunk->next);
  write_file(path, clew_text_str(&model));
  struct ra a = {.file = path,
                 .seed = chunk->next,
                 .has_symmetry = plan->language->has_symmetry,
                 .native = by_turns(chunk->next, plan->native),
                 .complaints = &complaints,
                 .now = chunk->command};
  alarm(MODEL_SECONDS);
  enum ra_fate fate = plan->language->is_timed ? rt_compare(&a) : ra_compare(&a);
  chunk->fates[fate]++;
  if (a.complaint_count > 0) {
    chunk->disagreements++;
    fprintf(out, "seed %" PRIu64 ":\n%s", chunk->next, clew_text_str(&complaints));
    fflush(out);
  } else {
    unlink(path);
  }
  clew_text_free(&model);
  clew_text_free(&complaints);
}

static _Noreturn void work(const struct plan *plan, struct chunk *chunk) {
  FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  int nowhere = open("/dev/null", O_WRONLY);
  must(out != NULL && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 &&
           dup2(nowhere, STDERR_FILENO) >= 0,
       "/dev/null");
  for (; chunk->next < chunk->end; chunk->next++) {
    look_at(plan, chunk, out);
  }
  _Exit(0);
}

/* ---- All of them ---- */

struct job {
  pid_t pid; /* 0: none */
  struct chunk *chunk;
};

static void start(const struct plan *plan, struct job *job) {
  fflush(stdout);
  job->pid = fork();
  must(job->pid >= 0, "fork");
  if (job->pid == 0) {
    work(plan, job->chunk);
  }
}

/* Takes up a chunk again behind the model that ended it. */
static bool end(const struct plan *plan, struct job *job, int status) {
  struct chunk *chunk = job->chunk;
  job->pid = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return false;
  }
  chunk->disagreements++;
  chunk->fates[RA_COMPARED]++;
  printf("seed %" PRIu64 ":\n%s: ended by %s %d\n", chunk->next, chunk->command,
         WIFSIGNALED(status) ? "signal" : "exit",
         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  chunk->next++;
  start(plan, job);
  return true;
}

static struct job *find_job(struct job *jobs, uint64_t count, pid_t pid) {
  for (uint64_t i = 0; i < count; i++) {
    if (jobs[i].pid == pid) {
      return &jobs[i];
    }
  }
  return NULL;
}

static int run(const struct plan *plan) {
  struct job jobs[MOST_JOBS] = {{0}};
  size_t bytes = sizeof(struct chunk) * plan->jobs;
  struct chunk *chunks =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  must(chunks != MAP_FAILED, "mmap");
  uint64_t next = plan->first, last = plan->first + plan->count, running = 0;
  for (uint64_t i = 0; i < plan->jobs; i++) {
    jobs[i].chunk = &chunks[i];
  }
  while (next < last || running > 0) {
    struct job *idle = next < last ? find_job(jobs, plan->jobs, 0) : NULL;
    if (idle != NULL) {
      idle->chunk->next = next;
      idle->chunk->end = next = last - next > CHUNK ? next + CHUNK : last;
      start(plan, idle);
      running++;
      continue;
    }
    int status = 0;
    pid_t pid = wait(&status);
    struct job *ended = find_job(jobs, plan->jobs, pid);
    must(pid > 0, "wait");
    running -= ended != NULL && !end(plan, ended, status);
  }
  struct chunk sum = {0};
  for (uint64_t i = 0; i < plan->jobs; i++) {
    for (uint32_t k = 0; k < RA_FATES; k++) {
      sum.fates[k] += chunks[i].fates[k];
    }
    sum.disagreements += chunks[i].disagreements;
  }
  printf("%" PRIu64 " refused, %" PRIu64 " too large\n", sum.fates[RA_REFUSED],
         sum.fates[RA_LARGE]);
  printf("%" PRIu64 " models, %" PRIu64 " accepted, %" PRIu64 " disagreements\n", plan->count,
         plan->count - sum.fates[RA_REFUSED], sum.disagreements);
  return sum.disagreements > 0;
}

/* ---- The command line ---- */

/* A compiler that takes the optimisation back which is asked of it, and a cache of its own. */
static void prepare_native(const struct plan *plan) {
  char path[PATH_MAX + 16], cache[PATH_MAX + 16], where[PATH_MAX];
  must(realpath(plan->directory, where) != NULL, plan->directory);
  snprintf(path, sizeof path, "%s/cc", where);
  snprintf(cache, sizeof cache, "%s/cache", where);
  write_file(path, "#!/bin/sh\nexec cc \"$@\" -O0\n");
  must(chmod(path, S_IRWXU) == 0, path);
  setenv("CLEW_CC", path, 0);
  setenv("XDG_CACHE_HOME", cache, 1);
}

static void print_models(const struct plan *plan) {
  for (uint64_t i = 0; i < plan->count; i++) {
    struct clew_text model = {0};
    plan->language->make(&model, plan->first + i);
    fputs(clew_text_str(&model), stdout);
    clew_text_free(&model);
  }
}

static bool read_plan(struct plan *plan, int argc, char **argv) {
  if (argc < 4 || argc % 2 != 0) {
    return false;
  }
  plan->language = random_language(argv[1]);
  bool ok = plan->language != NULL && clew_text_parse_u64(argv[2], &plan->first) &&
            clew_text_parse_u64(argv[3], &plan->count);
  for (int i = 4; i < argc && ok; i += 2) {
    if (strcmp(argv[i], "dir") == 0) {
      plan->directory = argv[i + 1];
      continue;
    }
    uint64_t *field = strcmp(argv[i], "jobs") == 0     ? &plan->jobs
                      : strcmp(argv[i], "native") == 0 ? &plan->native
                      : strcmp(argv[i], "print") == 0  ? &plan->print
                                                       : NULL;
    ok = field != NULL && clew_text_parse_u64(argv[i + 1], field);
  }
  return ok && plan->jobs > 0 && plan->jobs <= MOST_JOBS;
}

int main(int argc, char **argv) {
  struct plan plan = {.jobs = 2, .native = 20, .directory = "build/random.d"};
  if (!read_plan(&plan, argc, argv)) {
    fprintf(stderr, "random LANGUAGE FIRST COUNT [jobs N] [native N] [dir DIR] [print 1]\n");
    return 2;
  }
  if (plan.print > 0) {
    print_models(&plan);
    return 0;
  }
  must(mkdir(plan.directory, S_IRWXU) == 0 || errno == EEXIST, plan.directory);
  prepare_native(&plan);
  return run(&plan);
}
