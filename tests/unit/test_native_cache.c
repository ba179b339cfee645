/* Compiling in the background, and the cache of compiled models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "unit/ir_fixture.h"
#include "unit/native_run.h"

/* Compiles, or finds, the program; checks that it works. Seconds in the compiler. */
static double serve_parts(const struct clew_program *program, bool own_fire) {
  struct clew_native *native = clew_native_start(program, NULL);
  const struct clew_native_api *api = clew_native_wait(native);
  if (api == NULL)
    fail_msg("%s", clew_native_notice(native));
  uint64_t state[8] = {0};
  assert_true(program->words <= 8);
  clew_native_fire_fn fire = own_fire ? native_own_fire(native) : NULL;
  assert_int_equal(fire != NULL, own_fire);
  assert_true(native_same(program, api, fire, state));
  double compile_s = clew_native_compile_s(native);
  clew_native_close(native);
  return compile_s;
}

static double serve(const struct clew_program *program) {
  return serve_parts(program, false);
}

/* The files of the cache; the path of one of them. */
static uint32_t cache_files(char path[512]) {
  char directory[256];
  snprintf(directory, sizeof directory, "%s/clew", native_private_cache());
  DIR *entries = opendir(directory);
  uint32_t count = 0;
  assert_non_null(entries);
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    assert_non_null(strstr(entry->d_name, ".so")); /* nothing else is left behind */
    snprintf(path, 512, "%s/%.200s", directory, entry->d_name);
    count++;
  }
  closedir(entries);
  return count;
}

static int fresh_cache(void **state) {
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "rm -rf %s/clew", native_private_cache());
  unsetenv("CLEW_CC");
  return system(command);
}

static int teardown(void **state) {
  (void)state;
  clew_interp_release();
  native_remove_cache();
  return 0;
}

static void test_second_time(void **state) {
  (void)state;
  char path[512];
  struct stat info;
  struct clew_program *program = ir_build_counter(), *other = ir_build_mutex();
  assert_true(serve(program) > 0);
  assert_int_equal(cache_files(path), 1);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 077, 0);
  assert_true(serve(program) == 0);
  assert_true(serve(other) > 0);
  assert_int_equal(cache_files(path), 2);
  *strrchr(path, '/') = '\0';
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  clew_program_close(program);
  clew_program_close(other);
}

/* The part for `fire` has a file of its own, and its time is counted. */
static void test_own_fire(void **state) {
  (void)state;
  char path[512];
  struct clew_program *program = ir_build_counter();
  assert_true(serve(program) > 0);
  assert_true(serve_parts(program, true) > 0);
  assert_int_equal(cache_files(path), 2);
  assert_true(serve_parts(program, true) == 0);
  assert_int_equal(cache_files(path), 2);
  clew_program_close(program);
}

/* A compiler that refuses the second part changes nothing but speed. */
static void test_own_fire_fails(void **state) {
  (void)state;
  char script[256], command[1200];
  struct clew_program *program = ir_build_counter();
  snprintf(script, sizeof script, "%s/choosy-cc", native_private_cache());
  snprintf(command, sizeof command,
           "printf '#!/bin/sh\\nfor last; do :; done\\n"
           "if grep -q \"void next\" \"$last\"; then exec cc \"$@\"; fi\\nexit 1\\n' >%s && "
           "chmod +x %s",
           script, script);
  assert_int_equal(system(command), 0);
  setenv("CLEW_CC", script, 1);
  for (int early = 0; early < 2; early++) {
    struct clew_native *native = clew_native_start(program, NULL);
    if (early != 0)
      clew_native_expect_fire(native);
    const struct clew_native_api *api = clew_native_wait(native);
    assert_non_null(api);
    assert_null(native_own_fire(native));
    assert_true(clew_native_poll_fire(native) == api->fire);
    assert_null(clew_native_notice(native));
    clew_native_close(native);
  }
  unlink(script);
  clew_program_close(program);
}

/* Whatever happened to the file: it is compiled again, and then found again. */
static void test_damaged_files(void **state) {
  (void)state;
  static const char *const damages[] = {
      "truncate -s 100",
      "truncate -s -1",
      "truncate -s -5000",
      "truncate -s 0",
      "cp /bin/true",
      "dd conv=notrunc status=none seek=3000 "
      "bs=1 count=4 if=/dev/urandom of=",
      "chmod 0777",
      "ln -sf /bin/true",
  };
  struct clew_program *program = ir_build_counter();
  char path[512], command[1024];
  assert_true(serve(program) > 0);
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    assert_int_equal(cache_files(path), 1);
    bool option = damages[i][strlen(damages[i]) - 1] == '=';
    snprintf(command, sizeof command, "%s%s%s", damages[i], option ? "" : " ", path);
    assert_int_equal(system(command), 0);
    assert_true(serve(program) > 0);
    assert_true(serve(program) == 0);
  }
  clew_program_close(program);
}

static void expect_notice(const struct clew_program *program, const char *text) {
  struct clew_native *native = clew_native_start(program, NULL);
  assert_null(clew_native_wait(native));
  assert_null(clew_native_poll(native));
  assert_null(native_own_fire(native));
  assert_null(clew_native_poll_fire(native));
  const char *notice = clew_native_notice(native);
  assert_non_null(notice);
  if (strstr(notice, text) == NULL)
    fail_msg("\"%s\" is not in \"%s\"", text, notice);
  assert_null(strchr(notice, '\n'));
  clew_native_close(native);
}

static void test_no_compiler(void **state) {
  (void)state;
  struct clew_program *program = ir_build_counter();
  char path[512];
  setenv("CLEW_CC", "/nonexistent", 1);
  expect_notice(program, "no native code: /nonexistent: not found; interpreting");
  setenv("CLEW_CC", "no-such-compiler -x", 1);
  expect_notice(program, "no-such-compiler: not found");
  setenv("CLEW_CC", "  ", 1);
  expect_notice(program, "not found");
  setenv("CLEW_CC", "false", 1);
  expect_notice(program, "no native code: false failed (exit code 1); interpreting");
  setenv("CLEW_CC", "true", 1);
  expect_notice(program, "true made nothing");
  setenv("CLEW_CC", "cc -fno-such-option", 1);
  expect_notice(program, "cc failed (exit code 1): ");
  assert_int_equal(cache_files(path), 0);
  setenv("CLEW_CC", "cc -g0", 1);
  assert_true(serve(program) > 0);
  unsetenv("CLEW_CC");
  assert_true(serve(program) > 0); /* another command, another object */
  clew_program_close(program);
}

/* Without a directory to keep things in, it works all the same. */
static void test_no_cache(void **state) {
  (void)state;
  struct clew_program *program = ir_build_counter();
  char *home = getenv("HOME") == NULL ? NULL : clew_strdup(getenv("HOME"));
  setenv("XDG_CACHE_HOME", "relative", 1);
  unsetenv("HOME");
  assert_true(serve(program) > 0);
  assert_true(serve(program) > 0);
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  assert_true(serve(program) > 0);
  if (home != NULL)
    setenv("HOME", home, 1);
  clew_free(home);
  native_private_cache();
  clew_program_close(program);
}

/* Closing kills the compiler and everything it has started. */
static void test_cancel(void **state) {
  (void)state;
  struct clew_program *program = ir_build_counter();
  char script[256], pids[256], path[512], command[2000];
  snprintf(script, sizeof script, "%s/slow-cc", native_private_cache());
  snprintf(pids, sizeof pids, "%s/pids", native_private_cache());
  snprintf(command, sizeof command,
           "printf '#!/bin/sh\\nsleep 1000 & echo $$ $! >%s.tmp; mv %s.tmp %s; wait\\n' >%s && "
           "chmod +x %s",
           pids, pids, pids, script, script);
  assert_int_equal(system(command), 0);
  setenv("CLEW_CC", script, 1);
  struct clew_native *native = clew_native_start(program, NULL);
  for (int i = 0; i < 1000 && access(pids, F_OK) != 0; i++)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  int leader = 0, child = 0;
  FILE *file = fopen(pids, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%d %d", &leader, &child), 2);
  fclose(file);
  assert_null(clew_native_poll(native));
  assert_null(clew_native_notice(native));
  assert_int_equal(kill(child, 0), 0);
  double start_s = clew_clock_wall_s();
  clew_native_close(native);
  assert_true(clew_clock_wall_s() - start_s < 10);
  /* the orphan is reaped by whoever adopts it; it may be a zombie until then */
  bool gone = false;
  for (int i = 0; i < 500 && !gone; i++) {
    char status[64], line[256] = "";
    snprintf(status, sizeof status, "/proc/%d/stat", child);
    FILE *stat_file = fopen(status, "r");
    gone = stat_file == NULL || fgets(line, sizeof line, stat_file) == NULL ||
           strstr(line, ") Z") != NULL;
    if (stat_file != NULL)
      fclose(stat_file);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  assert_true(gone);
  assert_int_equal(cache_files(path), 0);
  unlink(script);
  unlink(pids);
  clew_program_close(program);
}

/* Closing at once, at whatever moment that is. */
static void test_close_early(void **state) {
  (void)state;
  struct clew_program *program = ir_build_counter();
  for (int i = 0; i < 18; i++) {
    struct clew_native *native = clew_native_start(program, NULL);
    if (i % 3 == 1)
      clew_native_expect_fire(native);
    nanosleep(&(struct timespec){.tv_nsec = i * 2000000}, NULL);
    if (i % 3 == 2)
      clew_native_expect_fire(native);
    clew_native_close(native);
  }
  clew_native_close(NULL);
  clew_program_close(program);
}

static void test_many_processes(void **state) {
  (void)state;
  struct clew_program *program = ir_build_undefined();
  char path[512];
  pid_t children[6];
  for (size_t i = 0; i < 6; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (children[i] == 0) {
      struct clew_native *native = clew_native_start(program, NULL);
      bool good = clew_native_wait(native) != NULL;
      clew_native_close(native);
      _exit(good ? 0 : 1);
    }
  }
  for (size_t i = 0; i < 6; i++) {
    int status = 1;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_int_equal(status, 0);
  }
  assert_int_equal(cache_files(path), 1);
  assert_true(serve(program) == 0);
  clew_program_close(program);
}

/* The oldest files go, and directories that a crash has left. */
static void test_eviction(void **state) {
  (void)state;
  struct clew_program *program = ir_build_counter();
  char path[512], command[1200];
  assert_true(serve(program) > 0);
  assert_int_equal(cache_files(path), 1);
  assert_int_equal(unlink(path), 0);
  *strrchr(path, '/') = '\0';
  snprintf(command, sizeof command,
           "cd %s && for i in $(seq 210); do touch -d \"2020-01-01 $i minutes\" $i.so; done; "
           "mkdir -p clew-abcdef/ir && touch clew-abcdef/ir/x && "
           "touch -d 2020-01-01 clew-abcdef",
           path);
  assert_int_equal(system(command), 0);
  assert_true(serve(program) > 0);
  char kept[600];
  snprintf(kept, sizeof kept, "%s/1.so", path);
  assert_int_equal(access(kept, F_OK), -1);
  snprintf(kept, sizeof kept, "%s/210.so", path);
  assert_int_equal(access(kept, F_OK), 0);
  assert_int_equal(cache_files(path), 200);
  assert_true(serve(program) == 0);
  clew_program_close(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_second_time, fresh_cache),
      cmocka_unit_test_setup(test_own_fire, fresh_cache),
      cmocka_unit_test_setup(test_own_fire_fails, fresh_cache),
      cmocka_unit_test_setup(test_damaged_files, fresh_cache),
      cmocka_unit_test_setup(test_no_compiler, fresh_cache),
      cmocka_unit_test_setup(test_no_cache, fresh_cache),
      cmocka_unit_test_setup(test_cancel, fresh_cache),
      cmocka_unit_test_setup(test_close_early, fresh_cache),
      cmocka_unit_test_setup(test_many_processes, fresh_cache),
      cmocka_unit_test_setup(test_eviction, fresh_cache),
  };
  native_private_cache();
  return cmocka_run_group_tests(tests, NULL, teardown);
}
