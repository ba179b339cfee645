/* Messages of the protocol: heads with a Content-Length, and bodies of so many bytes. Nothing that
 * comes in is trusted: a length that is too large is skipped without being kept, and a head that
 * makes no sense is passed over. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lsp/lsp_int.h"

static const size_t MOST_BYTES = (size_t)64 << 20;
enum { MOST_HEAD_BYTES = 1 << 13, CHUNK_BYTES = 1 << 16 };

void clew_wire_fill(struct clew_wire *wire) {
  char chunk[CHUNK_BYTES];
  ssize_t got;
  do {
    got = read(wire->in, chunk, sizeof chunk);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    wire->ended = true;
    return;
  }
  size_t bytes = (size_t)got, skipped = bytes < wire->skip ? bytes : wire->skip;
  wire->skip -= skipped;
  clew_text_put_n(&wire->buffer, chunk + skipped, bytes - skipped);
}

static void drop(struct clew_wire *wire, size_t bytes) {
  assert(bytes <= wire->buffer.len);
  memmove(wire->buffer.data, wire->buffer.data + bytes, wire->buffer.len - bytes);
  wire->buffer.len -= bytes;
  wire->buffer.data[wire->buffer.len] = '\0';
}

/* The length that the head names; false when it names none that is a number. */
static bool read_length(const char *head, size_t bytes, size_t *length) {
  static const char name[] = "content-length:";
  for (const char *at = head, *end = head + bytes; at < end;) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    line_end = line_end != NULL ? line_end : end;
    if ((size_t)(line_end - at) > sizeof name - 1 && strncasecmp(at, name, sizeof name - 1) == 0) {
      const char *digit = at + sizeof name - 1;
      while (digit < line_end && (*digit == ' ' || *digit == '\t')) {
        digit++;
      }
      bool any = false;
      *length = 0;
      for (; digit < line_end && isdigit((unsigned char)*digit); digit++) {
        any = true;
        *length = *length < SIZE_MAX / 16 ? *length * 10 + (size_t)(*digit - '0') : *length;
      }
      return any;
    }
    at = line_end + 1;
  }
  return false;
}

/* The bytes of the head with the empty line behind it; 0: it is not complete. */
static size_t head_bytes(const struct clew_text *buffer) {
  const char *data = clew_text_str(buffer);
  for (size_t i = 0; i < buffer->len; i++) {
    if (data[i] == '\n' && i + 1 < buffer->len && data[i + 1] == '\n') {
      return i + 2;
    }
    if (data[i] == '\n' && i + 2 < buffer->len && data[i + 1] == '\r' && data[i + 2] == '\n') {
      return i + 3;
    }
  }
  return 0;
}

enum clew_wire_answer clew_wire_take(struct clew_wire *wire, struct clew_text *body) {
  size_t head = head_bytes(&wire->buffer), length;
  if (head == 0) {
    if (wire->buffer.len > MOST_HEAD_BYTES) { /* no head is that long */
      drop(wire, wire->buffer.len);
      return CLEW_WIRE_BAD;
    }
    return wire->ended ? CLEW_WIRE_END : CLEW_WIRE_NOTHING;
  }
  if (!read_length(wire->buffer.data, head, &length)) {
    drop(wire, head);
    return CLEW_WIRE_BAD;
  }
  size_t there = wire->buffer.len - head;
  if (length > MOST_BYTES) {
    size_t now = there < length ? there : length;
    drop(wire, head + now);
    wire->skip = length - now;
    return CLEW_WIRE_TOO_BIG;
  }
  if (there < length) {
    return wire->ended ? CLEW_WIRE_END : CLEW_WIRE_NOTHING;
  }
  clew_text_clear(body);
  clew_text_put_n(body, wire->buffer.data + head, length);
  drop(wire, head + length);
  return CLEW_WIRE_MESSAGE;
}

static void write_all(int fd, const char *data, size_t bytes) {
  while (bytes > 0) {
    ssize_t done = write(fd, data, bytes);
    if (done < 0 && errno != EINTR) {
      return; /* nobody listens: the end of the input will be seen soon */
    }
    data += done > 0 ? done : 0;
    bytes -= done > 0 ? (size_t)done : 0;
  }
}

void clew_wire_send(struct clew_wire *wire, const struct clew_text *body) {
  struct clew_text message = {0};
  clew_text_printf(&message, "Content-Length: %zu\r\n\r\n", body->len);
  clew_text_put_n(&message, clew_text_str(body), body->len);
  write_all(wire->out, message.data, message.len);
  clew_text_free(&message);
}
