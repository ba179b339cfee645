/* Checkpoints on disk: what is written is read back, and whatever a failing machine leaves of it is
 * the last cut that was finished, or a later one, whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "checkpoint/checkpoint.h"

enum { CUTS = 4, MOST_FILES = 64, MOST_EVENTS = 400 };

/* ---- what happens to the directory ---- */

struct event {
  struct clew_vault_event what;
  char *name, *other;
  unsigned char *data;
  uint32_t finished; /* cuts, before it */
};

struct recording {
  struct event events[MOST_EVENTS];
  uint32_t count, finished;
};

static bool record(void *context, const struct clew_vault_event *event) {
  struct recording *recording = context;
  assert_true(recording->count < MOST_EVENTS);
  struct event *copy = &recording->events[recording->count++];
  *copy = (struct event){.what = *event, .finished = recording->finished};
  copy->name = event->name != NULL ? clew_strdup(event->name) : NULL;
  copy->other = event->other != NULL ? clew_strdup(event->other) : NULL;
  if (event->bytes > 0) {
    copy->data = clew_alloc(event->bytes);
    memcpy(copy->data, event->data, event->bytes);
  }
  return true;
}

/* ---- a disk that forgets what was not synchronised ---- */

struct content {
  unsigned char *data;
  size_t bytes, safe;
};

struct entry {
  const char *name; /* NULL: none */
  uint32_t content;
};

struct disk {
  struct content contents[MOST_FILES];
  uint32_t count;
  struct entry names[MOST_FILES], safe_names[MOST_FILES];
};

static struct entry *entry_of(struct disk *disk, const char *name) {
  for (uint32_t i = 0; i < MOST_FILES; i++) {
    if (disk->names[i].name != NULL && strcmp(disk->names[i].name, name) == 0) {
      return &disk->names[i];
    }
  }
  return NULL;
}

static void set_entry(struct disk *disk, const char *name, uint32_t content) {
  struct entry *entry = entry_of(disk, name);
  for (uint32_t i = 0; entry == NULL && i < MOST_FILES; i++) {
    entry = disk->names[i].name == NULL ? &disk->names[i] : NULL;
  }
  assert_non_null(entry);
  *entry = (struct entry){name, content};
}

static void apply(struct disk *disk, const struct event *event) {
  struct entry *entry = event->name != NULL ? entry_of(disk, event->name) : NULL;
  struct content *content = entry != NULL ? &disk->contents[entry->content] : NULL;
  switch (event->what.act) {
  case CLEW_VAULT_CREATE:
    assert_true(disk->count < MOST_FILES);
    set_entry(disk, event->name, disk->count++);
    break;
  case CLEW_VAULT_WRITE:
    content->data = realloc(content->data, content->bytes + event->what.bytes);
    memcpy(content->data + content->bytes, event->data, event->what.bytes);
    content->bytes += event->what.bytes;
    break;
  case CLEW_VAULT_SYNC:
    content->safe = content->bytes;
    break;
  case CLEW_VAULT_RENAME:
    set_entry(disk, event->other, entry->content);
    entry_of(disk, event->name)->name = NULL;
    break;
  case CLEW_VAULT_REMOVE:
    if (entry != NULL) {
      entry->name = NULL;
    }
    break;
  case CLEW_VAULT_SETTLE:
    memcpy(disk->safe_names, disk->names, sizeof disk->names);
    break;
  }
}

enum loss { LOSE_DATA, HALF_THE_DATA, ZEROED_DATA, LOSSES };

/* What is found after the power came back. */
static void write_image(const struct disk *disk, const char *path, enum loss loss,
                        bool names_are_lost) {
  const struct entry *names = names_are_lost ? disk->safe_names : disk->names;
  for (uint32_t i = 0; i < MOST_FILES; i++) {
    if (names[i].name == NULL) {
      continue;
    }
    const struct content *content = &disk->contents[names[i].content];
    size_t lost = content->bytes - content->safe;
    size_t kept = content->safe + (loss == HALF_THE_DATA ? lost / 2 : 0);
    char file[512];
    snprintf(file, sizeof file, "%s/%s", path, names[i].name);
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    if (kept > 0) {
      assert_int_equal(fwrite(content->data, 1, kept, out), kept);
    }
    for (size_t z = 0; loss == ZEROED_DATA && z < lost; z++) {
      fputc(0, out);
    }
    fclose(out);
  }
}

/* ---- a search ---- */

static struct clew_log *make_log(struct clew_budget *budget, uint64_t states) {
  clew_budget_init(budget, 64 << 20);
  struct clew_log *log = clew_log_open(budget, NULL, 32 << 20);
  assert_true(clew_log_reserve(log, 0, states) == states);
  for (uint64_t id = 0; id < states; id++) {
    clew_log_set(log, id, id == 0 ? CLEW_ID_NONE : (id * 7 + id / 3) % id,
                 (uint32_t)(id * 31 % 97));
  }
  return log;
}

static uint64_t states_of(uint32_t cut) {
  return cut * UINT64_C(40000) + cut; /* more than a block each */
}

/* Free the archive. */
static struct clew_cut make_cut(uint32_t number) {
  struct clew_cut cut = {.states = states_of(number), .waiting_from = number, .by_level = true};
  for (uint32_t i = 0; i < 300; i++) {
    clew_archive_put(&cut.archive, number * 1000 + i);
  }
  return cut;
}

static void keep_cut(struct clew_checkpoint *checkpoint, struct clew_log *log, uint32_t number) {
  struct clew_diag_sink diags = {0};
  struct clew_cut cut = make_cut(number);
  assert_true(clew_checkpoint_keep(checkpoint, log, &cut, &diags));
  clew_archive_free(&cut.archive);
  clew_diag_sink_free(&diags);
}

static void fill_facts(struct clew_manifest *m) {
  clew_vec_push(&m->command, clew_strdup("check"));
  clew_vec_push(&m->command, clew_strdup("a \"model\".m"));
  m->directory = clew_strdup("/nowhere");
  m->version = clew_strdup("0");
  m->engine = clew_strdup("bfs");
  m->store = clew_strdup("exact");
  m->seed = UINT64_MAX - 1;
  m->lossless = true;
}

/* Everything that the checkpoint names can be read, and is what was written. */
static void check_whole(const struct clew_checkpoint *c, struct clew_log *log) {
  struct clew_diag_sink diags = {0};
  struct clew_cut cut;
  assert_int_equal(clew_checkpoint_read_cut(c, &cut, &diags), CLEW_OK);
  uint64_t number = cut.waiting_from;
  assert_int_equal(cut.states, states_of((uint32_t)number));
  assert_true(cut.by_level);
  for (uint32_t i = 0; i < 300; i++) {
    assert_int_equal(clew_archive_get(&cut.archive), number * 1000 + i);
  }
  clew_id id = 0;
  for (uint32_t s = 0; s < c->manifest.segments.len; s++) {
    struct clew_segment_reader *reader =
        clew_segment_open(&c->vault, &c->manifest.segments.data[s], &diags);
    const struct clew_back_edge *records;
    uint32_t count;
    assert_non_null(reader);
    while ((count = clew_segment_next(reader, &records, &diags)) > 0) {
      for (uint32_t i = 0; i < count; i++, id++) {
        struct clew_back_edge expected;
        assert_true(clew_log_get(log, id, &expected));
        assert_int_equal(records[i].parent, expected.parent);
        assert_int_equal(records[i].edge, expected.edge);
      }
    }
    assert_true(clew_segment_is_read(reader));
    clew_segment_close(reader);
  }
  assert_int_equal(id, cut.states);
  assert_int_equal(diags.len, 0);
  clew_archive_free(&cut.archive);
}

static void remove_directory(const char *path) {
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

static void test_reads_what_was_written(void **state) {
  (void)state;
  char path[] = "/tmp/clew-test-XXXXXX";
  assert_non_null(mkdtemp(path));
  struct clew_diag_sink diags = {0};
  struct clew_budget budget;
  struct clew_log *log = make_log(&budget, states_of(CUTS));
  struct clew_checkpoint c;
  assert_int_equal(clew_checkpoint_create(&c, path, &diags), CLEW_OK);
  fill_facts(&c.manifest);
  for (uint32_t cut = 1; cut <= CUTS; cut++) {
    keep_cut(&c, log, cut);
    clew_checkpoint_close(&c);
    assert_int_equal(clew_checkpoint_open(&c, path, &diags), CLEW_OK);
    check_whole(&c, log);
    assert_string_equal(c.manifest.command.data[1], "a \"model\".m");
    assert_true(c.manifest.seed == UINT64_MAX - 1);
  }
  struct clew_checkpoint other; /* one process at a time */
  assert_int_equal(clew_checkpoint_open(&other, path, &diags), CLEW_IO_FAILED);
  clew_checkpoint_close(&other);
  clew_checkpoint_close(&c);
  assert_int_equal(clew_checkpoint_create(&c, path, &diags), CLEW_IO_FAILED);
  clew_checkpoint_close(&c);
  clew_log_close(log);
  clew_diag_sink_free(&diags);
  remove_directory(path);
}

static void record_search(struct recording *recording, struct clew_log *log) {
  char path[] = "/tmp/clew-test-XXXXXX";
  assert_non_null(mkdtemp(path));
  struct clew_diag_sink diags = {0};
  struct clew_checkpoint c;
  assert_int_equal(clew_checkpoint_create(&c, path, &diags), CLEW_OK);
  fill_facts(&c.manifest);
  c.vault.watch = record;
  c.vault.watch_context = recording;
  for (uint32_t cut = 1; cut <= CUTS; cut++) {
    keep_cut(&c, log, cut);
    recording->finished = cut;
  }
  struct clew_text answer = {0};
  clew_text_put(&answer, "exit 0\n");
  struct clew_cut end = make_cut(CUTS);
  assert_true(clew_checkpoint_finish(&c, NULL, 0, &end, &answer, &diags));
  clew_archive_free(&end.archive);
  clew_text_free(&answer);
  clew_checkpoint_close(&c);
  remove_directory(path);
}

/* The power fails before this event. */
static void fail_before(const struct recording *recording, uint32_t end, enum loss loss,
                        bool names_are_lost, struct clew_log *log) {
  struct disk *disk = clew_alloc_zero(1, sizeof *disk);
  for (uint32_t i = 0; i < end; i++) {
    apply(disk, &recording->events[i]);
  }
  char path[] = "/tmp/clew-test-XXXXXX";
  assert_non_null(mkdtemp(path));
  write_image(disk, path, loss, names_are_lost);
  uint32_t finished =
      end < recording->count ? recording->events[end].finished : recording->finished;
  struct clew_diag_sink diags = {0};
  struct clew_checkpoint c;
  enum clew_status status = clew_checkpoint_open(&c, path, &diags);
  if (finished > 0) {
    assert_int_equal(status, CLEW_OK);
    assert_true(c.manifest.waiting_from >= finished);
  }
  if (status == CLEW_OK) {
    check_whole(&c, log);
  }
  clew_checkpoint_close(&c);
  clew_diag_sink_free(&diags);
  remove_directory(path);
  for (uint32_t i = 0; i < disk->count; i++) {
    free(disk->contents[i].data);
  }
  clew_free(disk);
}

static void test_power_failures(void **state) {
  (void)state;
  struct recording *recording = clew_alloc_zero(1, sizeof *recording);
  struct clew_budget budget;
  struct clew_log *log = make_log(&budget, states_of(CUTS));
  record_search(recording, log);
  assert_true(recording->count > 50);
  for (uint32_t end = 0; end <= recording->count; end++) {
    for (int loss = 0; loss < LOSSES; loss++) {
      fail_before(recording, end, (enum loss)loss, false, log);
      fail_before(recording, end, (enum loss)loss, true, log);
    }
  }
  for (uint32_t i = 0; i < recording->count; i++) {
    clew_free(recording->events[i].name);
    clew_free(recording->events[i].other);
    clew_free(recording->events[i].data);
  }
  clew_free(recording);
  clew_log_close(log);
}

/* ---- a disk that refuses ---- */

struct refusal {
  uint32_t left; /* events until it refuses, once */
};

static bool refuse(void *context, const struct clew_vault_event *event) {
  struct refusal *refusal = context;
  (void)event;
  return refusal->left-- != 0;
}

/* A cut that fails leaves the one before, and the next one succeeds. */
static void test_refusals(void **state) {
  (void)state;
  struct clew_budget budget;
  struct clew_log *log = make_log(&budget, states_of(3));
  for (uint32_t at = 0;; at++) {
    char path[] = "/tmp/clew-test-XXXXXX";
    assert_non_null(mkdtemp(path));
    struct clew_diag_sink diags = {0};
    struct clew_checkpoint c;
    assert_int_equal(clew_checkpoint_create(&c, path, &diags), CLEW_OK);
    fill_facts(&c.manifest);
    keep_cut(&c, log, 1);
    struct refusal refusal = {at};
    c.vault.watch = refuse;
    c.vault.watch_context = &refusal;
    struct clew_cut cut = make_cut(2);
    bool kept = clew_checkpoint_keep(&c, log, &cut, &diags);
    bool refused = refusal.left > at; /* it went below zero */
    clew_archive_free(&cut.archive);
    c.vault.watch = NULL;
    clew_checkpoint_close(&c);
    struct clew_diag_sink later = {0};
    assert_int_equal(clew_checkpoint_open(&c, path, &later), CLEW_OK);
    assert_true(c.manifest.waiting_from == 1 || c.manifest.waiting_from == 2);
    assert_true(!kept || c.manifest.waiting_from == 2);
    check_whole(&c, log);
    keep_cut(&c, log, 3);
    clew_checkpoint_close(&c);
    assert_int_equal(clew_checkpoint_open(&c, path, &later), CLEW_OK);
    assert_int_equal(c.manifest.waiting_from, 3);
    check_whole(&c, log);
    clew_checkpoint_close(&c);
    clew_diag_sink_free(&later);
    clew_diag_sink_free(&diags);
    remove_directory(path);
    if (!refused) {
      assert_true(kept && at > 10);
      break;
    }
  }
  clew_log_close(log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_power_failures),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
