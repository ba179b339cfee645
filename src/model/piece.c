/* How long a piece is: as many successors as fit into its bytes. */
#include <stdlib.h>

#include "base/text.h"
#include "model/model.h"

uint64_t clew_piece_bytes_each(uint32_t words) {
  const uint64_t beside = 64; /* the edge, and the visit of an engine */
  return 2 * (words * sizeof(uint64_t) + beside);
}

uint32_t clew_piece_length(uint32_t words, uint64_t bytes) {
  uint64_t length = bytes / clew_piece_bytes_each(words);
  length = length > CLEW_PIECE_LEAST ? length : CLEW_PIECE_LEAST;
  return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
}

bool clew_piece_is_exceeded(uint32_t words, uint32_t edge_count) {
  return edge_count * clew_piece_bytes_each(words) > CLEW_PIECE_BYTES;
}

uint32_t clew_piece_forced(void) {
  const char *text = getenv("CLEW_PIECE");
  uint64_t length;
  bool given = text != NULL && clew_text_parse_u64(text, &length) && length > 0;
  return given && length < UINT32_MAX ? (uint32_t)length : 0;
}
