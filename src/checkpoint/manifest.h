/* The manifest of a checkpoint: which files it consists of, and what search it is of. A file that
 * it does not name is rubbish of an interrupted cut. */
#ifndef CLEW_CHECKPOINT_MANIFEST_H
#define CLEW_CHECKPOINT_MANIFEST_H

#include "base/archive.h"
#include "base/vec.h"
#include "checkpoint/segment.h"
#include "checkpoint/vault.h"

#define CLEW_MANIFEST "manifest.json"
#define CLEW_MANIFEST_BEFORE "manifest.prev.json"

enum { CLEW_DIGEST_TEXT = 33 };

/* A file whose contents are known by their checksum. */
struct clew_sealed {
  char *name; /* owned; NULL: there is none */
  uint64_t bytes;
  char sum[CLEW_DIGEST_TEXT];
};

/* In order; a CLEW_VEC. */
struct clew_segments {
  struct clew_segment *data;
  uint32_t len, cap;
};

/* What one rank of several has kept (search/spread.h): parents are names. */
struct clew_rank_files {
  uint64_t states;
  struct clew_sealed archive;
  struct clew_segments segments;
};

/* Strings are owned. */
struct clew_manifest {
  uint64_t generation;      /* counts the cuts */
  CLEW_VEC(char *) command; /* the words of the command line, without the program's name */
  char *directory;          /* where it was given */
  char *version, *engine, *store;
  char model_sum[CLEW_DIGEST_TEXT];  /* of what the model describes itself as */
  char graph_sum[CLEW_DIGEST_TEXT];  /* of the part of it that does not depend on properties */
  char source_sum[CLEW_DIGEST_TEXT]; /* of the file that it was read from */
  uint64_t seed;
  bool lossless; /* the store */
  struct clew_segments segments;
  /* By rank; `segments` is empty then, and `archive` that of the first. Empty: of one process. */
  CLEW_VEC(struct clew_rank_files) ranks;
  /* The cut, as in struct clew_cut. */
  struct clew_sealed archive;
  uint64_t states, waiting_from;
  bool by_level;
  struct clew_sealed answer; /* of a search that has ended */
};

void clew_manifest_free(struct clew_manifest *manifest);
void clew_manifest_copy(const struct clew_manifest *from, struct clew_manifest *to);
/* Forgets what ranks have kept, and has room for so many. */
void clew_manifest_reset_ranks(struct clew_manifest *manifest, uint32_t ranks);
/* Whether the file is part of it. */
bool clew_manifest_names(const struct clew_manifest *manifest, const char *name);
/* The sum of some bytes, as text. */
void clew_digest(const void *data, size_t bytes, char out[CLEW_DIGEST_TEXT]);
/* Replaces the manifest in the directory; the one before is kept beside it. False, and errno. */
bool clew_manifest_write(struct clew_vault *vault, const struct clew_manifest *manifest);
/* Reads a manifest (CLEW_MANIFEST or the one before). NOT OK and a message if it is not there or
 * damaged. */
enum clew_status clew_manifest_read(const struct clew_vault *vault, const char *name,
                                    struct clew_manifest *manifest, struct clew_diag_sink *diags);

/* Sealed files. */
bool clew_sealed_write(struct clew_vault *vault, const char *name, const void *data, size_t bytes,
                       struct clew_sealed *sealed);
/* Compressed, behind their length; what is read is appended to `out`. */
bool clew_packed_write(struct clew_vault *vault, const char *name, const void *data, size_t bytes,
                       struct clew_sealed *sealed);
enum clew_status clew_packed_read(const struct clew_vault *vault, const struct clew_sealed *sealed,
                                  struct clew_archive *out, struct clew_diag_sink *diags);
enum clew_status clew_sealed_read(const struct clew_vault *vault, const struct clew_sealed *sealed,
                                  struct clew_text *out, struct clew_diag_sink *diags);

#endif
