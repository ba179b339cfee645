/* The manifest: a JSON object in which the checksum of the rest stands first. */
#include "checkpoint/manifest.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"

enum { FORMAT = 3, LEVEL = 1 };
static const size_t LIMIT_BYTES = (size_t)256 << 20;
static const size_t SEALED_LIMIT_BYTES = (size_t)4 << 30;
static const char HEAD[] = "{\"checksum\": \"", MIDDLE[] = "\", \"checkpoint\": ", TAIL[] = "}\n";

void clew_digest(const void *data, size_t bytes, char out[CLEW_DIGEST_TEXT]) {
  struct clew_hash128 sum = clew_hash128_bytes(data, bytes, 0);
  snprintf(out, CLEW_DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, sum.high, sum.low);
}

static void free_segments(struct clew_segments *segments) {
  for (uint32_t i = 0; i < segments->len; i++) {
    clew_free(segments->data[i].name);
  }
  clew_vec_free(segments);
}

static void free_ranks(struct clew_manifest *m) {
  for (uint32_t i = 0; i < m->ranks.len; i++) {
    clew_free(m->ranks.data[i].archive.name);
    free_segments(&m->ranks.data[i].segments);
  }
  clew_vec_free(&m->ranks);
}

static void copy_segments(const struct clew_segments *from, struct clew_segments *to) {
  *to = (struct clew_segments){0};
  for (uint32_t i = 0; i < from->len; i++) {
    struct clew_segment segment = from->data[i];
    segment.name = clew_strdup(segment.name);
    clew_vec_push(to, segment);
  }
}

static void copy_sealed(const struct clew_sealed *from, struct clew_sealed *to) {
  *to = *from;
  to->name = from->name != NULL ? clew_strdup(from->name) : NULL;
}

void clew_manifest_copy(const struct clew_manifest *from, struct clew_manifest *to) {
  *to = *from;
  memset(&to->command, 0, sizeof to->command);
  memset(&to->ranks, 0, sizeof to->ranks);
  for (uint32_t i = 0; i < from->command.len; i++) {
    clew_vec_push(&to->command, clew_strdup(from->command.data[i]));
  }
  copy_segments(&from->segments, &to->segments);
  for (uint32_t i = 0; i < from->ranks.len; i++) {
    struct clew_rank_files files = from->ranks.data[i];
    copy_sealed(&from->ranks.data[i].archive, &files.archive);
    copy_segments(&from->ranks.data[i].segments, &files.segments);
    clew_vec_push(&to->ranks, files);
  }
  to->directory = clew_strdup(from->directory);
  to->version = clew_strdup(from->version);
  to->engine = clew_strdup(from->engine);
  to->store = clew_strdup(from->store);
  copy_sealed(&from->archive, &to->archive);
  copy_sealed(&from->answer, &to->answer);
}

void clew_manifest_reset_ranks(struct clew_manifest *m, uint32_t ranks) {
  free_ranks(m);
  for (uint32_t i = 0; i < ranks; i++) {
    clew_vec_push(&m->ranks, (struct clew_rank_files){0});
  }
}

static bool is_name(const struct clew_sealed *sealed, const char *name) {
  return sealed->name != NULL && strcmp(sealed->name, name) == 0;
}

static bool is_segment(const struct clew_segments *segments, const char *name) {
  for (uint32_t i = segments->len; i-- > 0;) {
    if (strcmp(segments->data[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

bool clew_manifest_names(const struct clew_manifest *m, const char *name) {
  bool found =
      is_name(&m->archive, name) || is_name(&m->answer, name) || is_segment(&m->segments, name);
  for (uint32_t i = 0; i < m->ranks.len && !found; i++) {
    found =
        is_name(&m->ranks.data[i].archive, name) || is_segment(&m->ranks.data[i].segments, name);
  }
  return found;
}

void clew_manifest_free(struct clew_manifest *m) {
  for (uint32_t i = 0; i < m->command.len; i++) {
    clew_free(m->command.data[i]);
  }
  clew_vec_free(&m->command);
  free_segments(&m->segments);
  free_ranks(m);
  clew_free(m->directory);
  clew_free(m->version);
  clew_free(m->engine);
  clew_free(m->store);
  clew_free(m->archive.name);
  clew_free(m->answer.name);
  *m = (struct clew_manifest){0};
}

/* ---- writing ---- */

static void put_key_string(struct clew_json_writer *w, const char *key, const char *value) {
  clew_json_key(w, key);
  clew_json_string(w, value);
}

/* Numbers of 64 bits, which JSON has not. */
static void put_key_id(struct clew_json_writer *w, const char *key, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, value);
  put_key_string(w, key, text);
}

static void put_sealed(struct clew_json_writer *w, const char *key,
                       const struct clew_sealed *sealed) {
  if (sealed->name == NULL) {
    return;
  }
  clew_json_key(w, key);
  clew_json_object_open(w);
  put_key_string(w, "name", sealed->name);
  clew_json_key_u64(w, "bytes", sealed->bytes);
  put_key_string(w, "sum", sealed->sum);
  clew_json_object_close(w);
}

static void put_segments(struct clew_json_writer *w, const struct clew_segments *segments) {
  clew_json_key(w, "segments");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < segments->len; i++) {
    const struct clew_segment *segment = &segments->data[i];
    clew_json_object_open(w);
    put_key_string(w, "name", segment->name);
    clew_json_key_u64(w, "first", segment->first);
    clew_json_key_u64(w, "count", segment->count);
    clew_json_key_u64(w, "bytes", segment->bytes);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_ranks(struct clew_json_writer *w, const struct clew_manifest *m) {
  if (m->ranks.len == 0) {
    return;
  }
  clew_json_key(w, "ranks");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < m->ranks.len; i++) {
    clew_json_object_open(w);
    clew_json_key_u64(w, "states", m->ranks.data[i].states);
    put_sealed(w, "archive", &m->ranks.data[i].archive);
    put_segments(w, &m->ranks.data[i].segments);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void put_all(struct clew_json_writer *w, const struct clew_manifest *m) {
  clew_json_object_open(w);
  clew_json_key_u64(w, "format", FORMAT);
  clew_json_key_u64(w, "generation", m->generation);
  put_key_string(w, "version", m->version);
  clew_json_key(w, "command");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < m->command.len; i++) {
    clew_json_string(w, m->command.data[i]);
  }
  clew_json_array_close(w);
  put_key_string(w, "directory", m->directory);
  put_key_string(w, "search", m->engine);
  put_key_string(w, "store", m->store);
  put_key_string(w, "model", m->model_sum);
  put_key_string(w, "graph", m->graph_sum);
  put_key_string(w, "source", m->source_sum);
  put_key_id(w, "seed", m->seed);
  clew_json_key(w, "lossless");
  clew_json_bool(w, m->lossless);
  clew_json_key_u64(w, "states", m->states);
  put_key_id(w, "waiting_from", m->waiting_from);
  clew_json_key(w, "by_level");
  clew_json_bool(w, m->by_level);
  put_sealed(w, "archive", &m->archive);
  put_sealed(w, "answer", &m->answer);
  put_segments(w, &m->segments);
  put_ranks(w, m);
  clew_json_object_close(w);
}

bool clew_manifest_write(struct clew_vault *vault, const struct clew_manifest *m) {
  struct clew_text body = {0}, whole = {0};
  struct clew_json_writer w;
  char sum[CLEW_DIGEST_TEXT];
  clew_json_begin(&w, &body);
  put_all(&w, m);
  clew_json_end(&w);
  clew_digest(body.data, body.len, sum);
  clew_text_printf(&whole, "%s%s%s", HEAD, sum, MIDDLE);
  clew_text_put_n(&whole, body.data, body.len);
  clew_text_put(&whole, TAIL);
  struct clew_vault_file file;
  /* The name of the one before is free first: at every moment one of them is complete. */
  bool ok = !clew_vault_has(vault, CLEW_MANIFEST) ||
            clew_vault_rename(vault, CLEW_MANIFEST, CLEW_MANIFEST_BEFORE);
  if (ok) {
    clew_vault_begin(&file, vault, CLEW_MANIFEST);
    clew_vault_write(&file, whole.data, whole.len);
    ok = clew_vault_commit(&file);
  }
  int error = errno;
  clew_text_free(&body);
  clew_text_free(&whole);
  errno = error;
  return ok;
}

/* ---- reading ---- */

/* Reads from the object; the first thing that is not as it should be is remembered. */
struct reader {
  const struct clew_json *object;
  const char *bad; /* the key */
};

static const struct clew_json *get(struct reader *r, const char *key, enum clew_json_kind kind) {
  const struct clew_json *value = r->object != NULL ? clew_json_get(r->object, key) : NULL;
  if (value == NULL || value->kind != kind) {
    r->bad = r->bad == NULL ? key : r->bad;
    return NULL;
  }
  return value;
}

static uint64_t get_u64(struct reader *r, const char *key) {
  const struct clew_json *value = get(r, key, CLEW_JSON_NUMBER);
  if (value != NULL && (!value->is_integer || value->integer < 0)) {
    r->bad = r->bad == NULL ? key : r->bad;
    return 0;
  }
  return value != NULL ? (uint64_t)value->integer : 0;
}

static bool get_bool(struct reader *r, const char *key) {
  const struct clew_json *value = get(r, key, CLEW_JSON_BOOL);
  return value != NULL && value->boolean;
}

static char *get_string(struct reader *r, const char *key) {
  const struct clew_json *value = get(r, key, CLEW_JSON_STRING);
  return clew_strdup(value != NULL ? value->string : "");
}

static uint64_t get_id(struct reader *r, const char *key) {
  const struct clew_json *value = get(r, key, CLEW_JSON_STRING);
  uint64_t number = 0;
  if (value != NULL && !clew_text_parse_u64(value->string, &number)) {
    r->bad = r->bad == NULL ? key : r->bad;
  }
  return number;
}

static void get_sum(struct reader *r, const char *key, char out[CLEW_DIGEST_TEXT]) {
  const struct clew_json *value = get(r, key, CLEW_JSON_STRING);
  snprintf(out, CLEW_DIGEST_TEXT, "%s", value != NULL ? value->string : "");
}

/* The name of a file of this directory. */
static char *get_name(struct reader *r) {
  char *name = get_string(r, "name");
  if (strchr(name, '/') != NULL || name[0] == '.') {
    r->bad = r->bad == NULL ? "name" : r->bad;
  }
  return name;
}

static void get_sealed(struct reader *r, const char *key, struct clew_sealed *out) {
  const struct clew_json *outer = r->object;
  r->object = get(r, key, CLEW_JSON_OBJECT);
  out->name = get_name(r);
  out->bytes = get_u64(r, "bytes");
  get_sum(r, "sum", out->sum);
  r->object = outer;
}

static void get_segments(struct reader *r, struct clew_segments *segments, uint64_t states) {
  const struct clew_json *outer = r->object, *list = get(r, "segments", CLEW_JSON_ARRAY);
  clew_id next = 0;
  for (uint32_t i = 0; list != NULL && i < list->count && r->bad == NULL; i++) {
    r->object = &list->items[i];
    struct clew_segment segment = {.name = get_name(r)};
    segment.first = get_u64(r, "first");
    segment.count = get_u64(r, "count");
    segment.bytes = get_u64(r, "bytes");
    clew_vec_push(segments, segment);
    if (segment.first != next || segment.count == 0 || segment.count > CLEW_ID_LIMIT) {
      r->bad = "segments";
    }
    next += segment.count;
  }
  r->object = outer;
  if (next != states) {
    r->bad = r->bad == NULL ? "states" : r->bad;
  }
}

static void get_ranks(struct reader *r, struct clew_manifest *m) {
  const struct clew_json *outer = r->object, *list = get(r, "ranks", CLEW_JSON_ARRAY);
  clew_manifest_reset_ranks(m, list != NULL ? list->count : 0);
  for (uint32_t i = 0; i < m->ranks.len; i++) {
    struct clew_rank_files *files = &m->ranks.data[i];
    r->object = &list->items[i];
    files->states = get_u64(r, "states");
    get_sealed(r, "archive", &files->archive);
    get_segments(r, &files->segments, files->states);
  }
  r->object = outer;
}

static void get_all(struct reader *r, struct clew_manifest *m) {
  m->generation = get_u64(r, "generation");
  m->version = get_string(r, "version");
  const struct clew_json *command = get(r, "command", CLEW_JSON_ARRAY);
  for (uint32_t i = 0; command != NULL && i < command->count; i++) {
    const char *word = command->items[i].string;
    clew_vec_push(&m->command, clew_strdup(word != NULL ? word : ""));
  }
  m->directory = get_string(r, "directory");
  m->engine = get_string(r, "search");
  m->store = get_string(r, "store");
  get_sum(r, "model", m->model_sum);
  get_sum(r, "graph", m->graph_sum);
  get_sum(r, "source", m->source_sum);
  m->seed = get_id(r, "seed");
  m->states = get_u64(r, "states");
  m->waiting_from = get_id(r, "waiting_from");
  m->by_level = get_bool(r, "by_level");
  m->lossless = get_bool(r, "lossless");
  get_sealed(r, "archive", &m->archive);
  if (clew_json_get(r->object, "answer") != NULL) {
    get_sealed(r, "answer", &m->answer);
  }
  get_segments(r, &m->segments, m->states);
  if (clew_json_get(r->object, "ranks") != NULL) {
    get_ranks(r, m);
  }
}

/* The object behind the checksum; NULL when that is wrong. */
static const struct clew_json *open_body(const struct clew_text *text, struct clew_arena *arena,
                                         const char **why) {
  size_t head = strlen(HEAD), sum_bytes = CLEW_DIGEST_TEXT - 1, middle = strlen(MIDDLE);
  size_t front = head + sum_bytes + middle, tail = strlen(TAIL), offset;
  char sum[CLEW_DIGEST_TEXT];
  *why = "it is not the manifest of a checkpoint";
  if (text->len < front + tail || memcmp(text->data, HEAD, head) != 0 ||
      memcmp(text->data + head + sum_bytes, MIDDLE, middle) != 0) {
    return NULL;
  }
  const char *body = text->data + front;
  size_t bytes = text->len - front - tail;
  clew_digest(body, bytes, sum);
  if (memcmp(sum, text->data + head, sum_bytes) != 0 || memcmp(body + bytes, TAIL, tail) != 0) {
    *why = "its checksum is wrong";
    return NULL;
  }
  return clew_json_parse(arena, body, bytes, &offset, why);
}

enum clew_status clew_manifest_read(const struct clew_vault *vault, const char *name,
                                    struct clew_manifest *m, struct clew_diag_sink *diags) {
  *m = (struct clew_manifest){0};
  struct clew_text text = {0}, path = {0};
  struct clew_arena *arena = clew_arena_open();
  const char *why = NULL;
  clew_text_printf(&path, "%s/%s", vault->path, name);
  enum clew_status status = clew_vault_read_all(vault, name, LIMIT_BYTES, &text, diags);
  const struct clew_json *body = status == CLEW_OK ? open_body(&text, arena, &why) : NULL;
  struct reader reader = {.object = body};
  if (status == CLEW_OK && body == NULL) {
    clew_diag_plain(diags, CLEW_ERROR, clew_text_str(&path), "is damaged: %s", why);
    status = CLEW_BAD_INPUT;
  } else if (body != NULL && get_u64(&reader, "format") != FORMAT) {
    clew_diag_plain(diags, CLEW_ERROR, clew_text_str(&path),
                    "was written by another version of clew");
    status = CLEW_BAD_INPUT;
  } else if (body != NULL) {
    get_all(&reader, m);
    if (reader.bad != NULL) {
      clew_diag_plain(diags, CLEW_ERROR, clew_text_str(&path),
                      "is damaged: '%s' is not there or "
                      "makes no sense",
                      reader.bad);
      status = CLEW_BAD_INPUT;
    }
  }
  clew_arena_close(arena);
  clew_text_free(&text);
  clew_text_free(&path);
  return status;
}

/* ---- sealed files ---- */

bool clew_packed_write(struct clew_vault *vault, const char *name, const void *data, size_t bytes,
                       struct clew_sealed *sealed) {
  size_t room = ZSTD_compressBound(bytes);
  unsigned char *packed = clew_alloc(room + sizeof(uint64_t));
  uint64_t length = bytes;
  memcpy(packed, &length, sizeof length);
  size_t stored = ZSTD_compress(packed + sizeof length, room, data, bytes, LEVEL);
  if (ZSTD_isError(stored)) {
    clew_free(packed);
    errno = ENOMEM;
    return false;
  }
  bool ok = clew_sealed_write(vault, name, packed, stored + sizeof length, sealed);
  int error = errno;
  clew_free(packed);
  errno = error;
  return ok;
}

enum clew_status clew_packed_read(const struct clew_vault *vault, const struct clew_sealed *sealed,
                                  struct clew_archive *out, struct clew_diag_sink *diags) {
  struct clew_text packed = {0};
  enum clew_status status = clew_sealed_read(vault, sealed, &packed, diags);
  uint64_t bytes = 0;
  if (status == CLEW_OK && packed.len >= sizeof bytes) {
    memcpy(&bytes, packed.data, sizeof bytes);
  }
  if (status == CLEW_OK && bytes < UINT32_MAX) {
    clew_vec_reserve(&out->data, (uint32_t)bytes + 1);
    size_t got = ZSTD_decompress(out->data.data, bytes, packed.data + sizeof bytes,
                                 packed.len - sizeof bytes);
    out->data.len = got == bytes ? (uint32_t)bytes : 0;
  }
  if (status == CLEW_OK && out->data.len != bytes) {
    clew_diag_plain(diags, CLEW_ERROR, vault->path, "%s is damaged", sealed->name);
    status = CLEW_BAD_INPUT;
  }
  clew_text_free(&packed);
  return status;
}

bool clew_sealed_write(struct clew_vault *vault, const char *name, const void *data, size_t bytes,
                       struct clew_sealed *sealed) {
  struct clew_vault_file file;
  clew_vault_begin(&file, vault, name);
  clew_vault_write(&file, data, bytes);
  if (!clew_vault_commit(&file)) {
    return false;
  }
  clew_free(sealed->name);
  sealed->name = clew_strdup(name);
  sealed->bytes = bytes;
  clew_digest(data, bytes, sealed->sum);
  return true;
}

enum clew_status clew_sealed_read(const struct clew_vault *vault, const struct clew_sealed *sealed,
                                  struct clew_text *out, struct clew_diag_sink *diags) {
  assert(sealed->name != NULL);
  enum clew_status status =
      clew_vault_read_all(vault, sealed->name, SEALED_LIMIT_BYTES, out, diags);
  if (status != CLEW_OK) {
    return status;
  }
  char sum[CLEW_DIGEST_TEXT];
  clew_digest(clew_text_str(out), out->len, sum);
  if (out->len != sealed->bytes || strcmp(sum, sealed->sum) != 0) {
    clew_diag_plain(diags, CLEW_ERROR, vault->path, "%s is damaged: %s", sealed->name,
                    out->len != sealed->bytes ? "it has another length" : "its checksum is wrong");
    return CLEW_BAD_INPUT;
  }
  return CLEW_OK;
}
