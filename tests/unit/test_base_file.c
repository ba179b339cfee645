/* Files and scratch directories. Tests may run as root, whom no permission stops: what must fail is
 * therefore a path through a regular file, in /proc, or to a full device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static char root[64]; /* a fresh directory per test */

static int set_up(void **state) {
  (void)state;
  strcpy(root, "/tmp/clew-test-XXXXXX");
  return mkdtemp(root) == NULL;
}

static int count_entries(const char *path) {
  DIR *directory = opendir(path);
  assert_non_null(directory);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 ? 1 : 0;
  }
  closedir(directory);
  return count;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command);
}

static const char *in_root(const char *name) {
  static char paths[4][256];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", root, name);
  return path;
}

static void expect_error(struct clew_diag_sink *diags, const char *expected) {
  assert_int_equal(diags->error_count, 1);
  struct clew_text out = {0};
  clew_diag_render(&diags->data[0], &out);
  if (strstr(clew_text_str(&out), expected) == NULL) {
    assert_string_equal(clew_text_str(&out), expected);
  }
  clew_text_free(&out);
  clew_diag_sink_free(diags);
}

static void expect_content(const char *path, const void *data, size_t bytes) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_file_read(path, 1 << 20, &text, &diags), CLEW_OK);
  assert_int_equal(text.len, bytes);
  assert_memory_equal(clew_text_str(&text), data, bytes);
  assert_int_equal(clew_text_str(&text)[bytes], 0);
  clew_text_free(&text);
}

static void write_file(const char *path, const void *data, size_t bytes) {
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_file_write(path, data, bytes, &diags), CLEW_OK);
  assert_int_equal(diags.len, 0);
}

static void test_write_then_read(void **state) {
  (void)state;
  static const char data[] = "one\ntwo\0three\xff";
  const char *path = in_root("a");
  write_file(path, data, sizeof data);
  expect_content(path, data, sizeof data);
  write_file(path, NULL, 0); /* replaces */
  expect_content(path, "", 0);
  static char large[300000];
  memset(large, 'x', sizeof large);
  write_file(path, large, sizeof large);
  expect_content(path, large, sizeof large);
  assert_int_equal(count_entries(root), 1);
}

static void test_write_keeps_mode_and_link(void **state) {
  (void)state;
  const char *path = in_root("a"), *link = in_root("link");
  mode_t mask = umask(027);
  write_file(path, "1", 1);
  umask(mask);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  assert_int_equal(chmod(path, 0604), 0);
  assert_int_equal(symlink("a", link), 0);
  write_file(link, "22", 2);
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  expect_content(path, "22", 2);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0604);
}

static void test_write_refusals(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  write_file(in_root("file"), "x", 1);
  assert_int_equal(clew_file_write(in_root("file/below"), "y", 1, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "file/below: error: cannot write: Not a directory");
  assert_int_equal(clew_file_write(in_root("none/below"), "y", 1, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "none/below: error: cannot write: No such file or directory");
  assert_int_equal(clew_file_write(root, "y", 1, &diags), CLEW_IO_FAILED);
  expect_error(&diags, ": error: is a directory");
  assert_int_equal(clew_file_write(in_root("new/"), "y", 1, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "new/: error: is a directory");
  assert_int_equal(clew_file_write("", "y", 1, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "No such file or directory");
  assert_int_equal(clew_file_write("/proc/clew", "y", 1, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "/proc/clew: error: cannot write: ");
  assert_int_equal(count_entries(root), 1);
  expect_content(in_root("file"), "x", 1);
}

static void test_write_to_devices(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  write_file("/dev/null", "x", 1);
  struct stat info;
  assert_int_equal(stat("/dev/null", &info), 0);
  assert_true(S_ISCHR(info.st_mode));
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(clew_file_write("/dev/full", "x", 1, &diags), CLEW_IO_FAILED);
    expect_error(&diags, "/dev/full: error: cannot write: No space left on device");
  }
}

static void test_write_to_standard_output(void **state) {
  (void)state;
  const char *path = in_root("out");
  fflush(stdout);
  int saved = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT, 0600);
  dup2(fd, STDOUT_FILENO);
  printf("first ");
  struct clew_diag_sink diags = {0};
  enum clew_status status = clew_file_write("-", "second", 6, &diags);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(fd);
  assert_int_equal(status, CLEW_OK);
  expect_content(path, "first second", 12);
}

static void test_writable(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_file_writable(in_root("new"), &diags), CLEW_OK);
  assert_int_equal(clew_file_writable("/dev/null", &diags), CLEW_OK);
  assert_int_equal(clew_file_writable("-", &diags), CLEW_OK);
  assert_int_equal(count_entries(root), 0);
  write_file(in_root("old"), "x", 1);
  assert_int_equal(clew_file_writable(in_root("old"), &diags), CLEW_OK);
  expect_content(in_root("old"), "x", 1);
  assert_int_equal(diags.len, 0);
  assert_int_equal(clew_file_writable(in_root("old/x"), &diags), CLEW_IO_FAILED);
  expect_error(&diags, "Not a directory");
  assert_int_equal(clew_file_writable(in_root("none/x"), &diags), CLEW_IO_FAILED);
  expect_error(&diags, "No such file or directory");
  assert_int_equal(clew_file_writable(root, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "is a directory");
  assert_int_equal(clew_file_writable("", &diags), CLEW_IO_FAILED);
  expect_error(&diags, "No such file or directory");
  assert_int_equal(count_entries(root), 1);
}

static void test_read_refusals(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  struct clew_text text = {0};
  clew_text_put(&text, "stale");
  assert_int_equal(clew_file_read(in_root("none"), 100, &text, &diags), CLEW_IO_FAILED);
  expect_error(&diags, "/none: error: No such file or directory");
  assert_string_equal(clew_text_str(&text), "");
  assert_int_equal(clew_file_read(root, 100, &text, &diags), CLEW_IO_FAILED);
  expect_error(&diags, ": error: is a directory");
  write_file(in_root("a"), "0123456789", 10);
  assert_int_equal(clew_file_read(in_root("a"), 9, &text, &diags), CLEW_OVER_LIMIT);
  expect_error(&diags, "is larger than the limit of 9 B");
  assert_string_equal(clew_text_str(&text), "");
  assert_int_equal(clew_file_read(in_root("a"), 10, &text, &diags), CLEW_OK);
  assert_string_equal(clew_text_str(&text), "0123456789");
  assert_int_equal(clew_file_read("/dev/zero", 1 << 20, &text, &diags), CLEW_OVER_LIMIT);
  expect_error(&diags, "is larger than the limit of 1 MB");
  clew_text_free(&text);
}

static void test_read_standard_input(void **state) {
  (void)state;
  int ends[2], saved = dup(STDIN_FILENO);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "piped", 5), 5);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  enum clew_status status = clew_file_read("-", 100, &text, &diags);
  if (saved >= 0) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
  assert_int_equal(status, CLEW_OK);
  assert_string_equal(clew_text_str(&text), "piped");
  clew_text_free(&text);
}

static void test_make_directory(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_file_make_directory(in_root("a/b//c/"), &diags), CLEW_OK);
  assert_int_equal(clew_file_make_directory(in_root("a/b/c"), &diags), CLEW_OK);
  assert_int_equal(clew_file_make_directory("/", &diags), CLEW_OK);
  assert_int_equal(count_entries(in_root("a/b/c")), 0);
  write_file(in_root("file"), "x", 1);
  assert_int_equal(clew_file_make_directory(in_root("file/d"), &diags), CLEW_IO_FAILED);
  expect_error(&diags, "file/d: error: cannot create the directory: ");
  assert_int_equal(clew_file_make_directory(in_root("file"), &diags), CLEW_IO_FAILED);
  expect_error(&diags, "cannot create the directory: File exists");
  assert_int_equal(clew_file_make_directory("", &diags), CLEW_IO_FAILED);
  expect_error(&diags, "cannot create the directory: No such file");
}

static void test_scratch_leaves_nothing(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  assert_int_equal(clew_scratch_open(&scratch, root, &diags), CLEW_OK);
  assert_null(scratch.path);
  assert_int_equal(count_entries(root), 0); /* nothing until it is needed */
  int first = clew_scratch_file(&scratch, "queue"), second = clew_scratch_file(&scratch, "log");
  assert_true(first >= 0 && second >= 0);
  struct stat info;
  assert_int_equal(stat(scratch.path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  assert_int_equal(count_entries(root), 1);
  assert_int_equal(count_entries(scratch.path), 2);
  assert_int_equal(clew_scratch_file(&scratch, "log"), -1);
  assert_int_equal(errno, EEXIST);
  /* Also what others put there, but nothing that a link there leads to. */
  char path[512];
  snprintf(path, sizeof path, "%s/sub/deeper", scratch.path);
  assert_int_equal(clew_file_make_directory(path, &diags), CLEW_OK);
  write_file(in_root("keep"), "x", 1);
  snprintf(path, sizeof path, "%s/sub/link", scratch.path);
  assert_int_equal(symlink(root, path), 0);
  close(first);
  close(second);
  clew_scratch_close(&scratch);
  assert_null(scratch.path);
  assert_int_equal(count_entries(root), 1);
  expect_content(in_root("keep"), "x", 1);
  clew_scratch_close(&scratch);
}

static void test_scratch_refusals(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  assert_int_equal(clew_scratch_open(&scratch, in_root("none"), &diags), CLEW_IO_FAILED);
  expect_error(&diags, "none: error: No such file or directory");
  write_file(in_root("file"), "x", 1);
  assert_int_equal(clew_scratch_open(&scratch, in_root("file"), &diags), CLEW_IO_FAILED);
  expect_error(&diags, "file: error: is not a directory");
  clew_scratch_close(&scratch);
  /* The directory goes away between the check and the use. */
  assert_int_equal(mkdir(in_root("gone"), 0700), 0);
  assert_int_equal(clew_scratch_open(&scratch, in_root("gone"), &diags), CLEW_OK);
  assert_int_equal(rmdir(in_root("gone")), 0);
  assert_int_equal(clew_scratch_file(&scratch, "a"), -1);
  assert_int_equal(errno, ENOENT);
  clew_scratch_close(&scratch);
}

/* What a process that was killed has left goes when the next directory is made beside it; what one
 * that lives holds stays, as does everything that only looks like it. */
static void test_scratch_of_the_dead(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  int tell[2];
  assert_int_equal(pipe(tell), 0);
  pid_t child = fork();
  if (child == 0) {
    struct clew_scratch scratch;
    if (clew_scratch_open(&scratch, root, &diags) == CLEW_OK) {
      (void)clew_scratch_file(&scratch, "log");
    }
    (void)!write(tell[1], "x", 1);
    pause();
    _exit(1);
  }
  char byte;
  assert_int_equal(read(tell[0], &byte, 1), 1);
  assert_int_equal(mkdir(in_root("clew-1-abcdefg"), 0700), 0);
  assert_int_equal(mkdir(in_root("clew-models"), 0700), 0);
  struct clew_scratch mine, later;
  assert_int_equal(clew_scratch_open(&mine, root, &diags), CLEW_OK);
  int fd = clew_scratch_file(&mine, "a");
  assert_true(fd >= 0);
  assert_int_equal(count_entries(root), 4); /* the child lives */
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(clew_scratch_open(&later, root, &diags), CLEW_OK);
  int other = clew_scratch_file(&later, "b");
  assert_true(other >= 0);
  assert_int_equal(count_entries(root), 4); /* mine, the new one, and the two others */
  assert_int_equal(count_entries(mine.path), 1);
  close(fd);
  close(other);
  close(tell[0]);
  close(tell[1]);
  clew_scratch_close(&mine);
  clew_scratch_close(&later);
  assert_int_equal(count_entries(root), 2);
}

/* A process that exits in the middle of everything leaves nothing; a child that it forked removes
 * nothing. */
static void test_scratch_at_exit(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  pid_t child = fork();
  if (child == 0) {
    assert_int_equal(clew_scratch_open(&scratch, root, &diags), CLEW_OK);
    exit(clew_scratch_file(&scratch, "log") >= 0 && count_entries(root) == 1 ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(count_entries(root), 0);
  assert_int_equal(clew_scratch_open(&scratch, root, &diags), CLEW_OK);
  int fd = clew_scratch_file(&scratch, "log");
  child = fork();
  if (child == 0) {
    exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(count_entries(root), 1);
  close(fd);
  clew_scratch_close(&scratch);
}

static void test_scratch_uses_tmpdir(void **state) {
  (void)state;
  const char *before = getenv("TMPDIR");
  char *saved = before != NULL ? strdup(before) : NULL;
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  setenv("TMPDIR", root, 1);
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  assert_string_equal(scratch.parent, root);
  clew_scratch_close(&scratch);
  unsetenv("TMPDIR");
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  bool is_usual = strcmp(scratch.parent, "/var/tmp") == 0 || strcmp(scratch.parent, "/tmp") == 0;
  assert_true(is_usual);
  assert_true(!clew_scratch_is_memory(&scratch) || strcmp(scratch.parent, "/tmp") == 0);
  clew_scratch_close(&scratch);
  if (saved != NULL) {
    setenv("TMPDIR", saved, 1);
  }
  free(saved);
}

static void test_transfers(void **state) {
  (void)state;
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  assert_int_equal(clew_scratch_open(&scratch, root, &diags), CLEW_OK);
  int fd = clew_scratch_file(&scratch, "data");
  char back[6] = "";
  assert_true(clew_fd_write_at(fd, "world", 5, 6));
  assert_true(clew_fd_write_at(fd, "hello ", 6, 0));
  assert_true(clew_fd_read_at(fd, back, 5, 6));
  assert_string_equal(back, "world");
  assert_true(clew_fd_read_at(fd, back, 0, 11));
  errno = 0;
  assert_false(clew_fd_read_at(fd, back, 5, 7)); /* one byte short */
  assert_int_not_equal(errno, 0);
  /* Beyond four gigabytes; the file is sparse. */
  assert_true(clew_fd_write_at(fd, "far", 3, UINT64_C(5) << 30));
  assert_true(clew_fd_read_at(fd, back, 3, UINT64_C(5) << 30));
  assert_memory_equal(back, "far", 3);
  close(fd);
  assert_false(clew_fd_write_at(-1, "x", 1, 0));
  assert_int_equal(errno, EBADF);
  assert_false(clew_fd_read_at(-1, back, 1, 0));
  assert_int_equal(errno, EBADF);
  clew_scratch_close(&scratch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_write_then_read),
      TEST(test_write_keeps_mode_and_link),
      TEST(test_write_refusals),
      TEST(test_write_to_devices),
      TEST(test_write_to_standard_output),
      TEST(test_writable),
      TEST(test_read_refusals),
      TEST(test_read_standard_input),
      TEST(test_make_directory),
      TEST(test_scratch_leaves_nothing),
      TEST(test_scratch_refusals),
      TEST(test_scratch_of_the_dead),
      TEST(test_scratch_at_exit),
      TEST(test_scratch_uses_tmpdir),
      TEST(test_transfers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
