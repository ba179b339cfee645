/* Numbers and bytes in a row. */
#include "base/archive.h"

#include <assert.h>
#include <string.h>

void clew_archive_free(struct clew_archive *archive) {
  clew_vec_free(&archive->data);
  *archive = (struct clew_archive){0};
}

void clew_archive_put_bytes(struct clew_archive *archive, const void *bytes, size_t count) {
  assert(count < UINT32_MAX - archive->data.len);
  clew_vec_reserve(&archive->data, archive->data.len + (uint32_t)count);
  if (count > 0) {
    memcpy(archive->data.data + archive->data.len, bytes, count);
  }
  archive->data.len += (uint32_t)count;
}

void clew_archive_put(struct clew_archive *archive, uint64_t number) {
  clew_archive_put_bytes(archive, &number, sizeof number);
}

void clew_archive_get_bytes(struct clew_archive *archive, void *bytes, size_t count) {
  assert(archive->at <= archive->data.len);
  if (count == 0) {
    return; /* perhaps to nowhere */
  }
  if (archive->damaged || count > archive->data.len - archive->at) {
    archive->damaged = true;
    memset(bytes, 0, count);
    return;
  }
  memcpy(bytes, archive->data.data + archive->at, count);
  archive->at += (uint32_t)count;
}

uint64_t clew_archive_get(struct clew_archive *archive) {
  uint64_t number;
  clew_archive_get_bytes(archive, &number, sizeof number);
  return number;
}

uint32_t clew_archive_get_count(struct clew_archive *archive, size_t bytes_each) {
  assert(bytes_each > 0);
  uint64_t count = clew_archive_get(archive);
  if (archive->damaged || count > (archive->data.len - archive->at) / bytes_each) {
    archive->damaged = true;
    return 0;
  }
  return (uint32_t)count;
}

bool clew_archive_is_read(const struct clew_archive *archive) {
  return !archive->damaged && archive->at == archive->data.len;
}
