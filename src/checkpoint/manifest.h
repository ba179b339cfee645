/* The manifest of a checkpoint: which files it consists of, and what search it is of. A file that
 * it does not name is rubbish of an interrupted cut. */
#ifndef CLEW_CHECKPOINT_MANIFEST_H
#define CLEW_CHECKPOINT_MANIFEST_H

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

/* Strings are owned. */
struct clew_manifest {
  uint64_t generation;      /* counts the cuts */
  CLEW_VEC(char *) command; /* the words of the command line, without the program's name */
  char *directory;          /* where it was given */
  char *version, *engine, *store;
  char model_sum[CLEW_DIGEST_TEXT];  /* of what the model describes itself as */
  char source_sum[CLEW_DIGEST_TEXT]; /* of the file that it was read from */
  uint64_t seed;
  bool lossless; /* the store */
  CLEW_VEC(struct clew_segment) segments;
  /* The cut, as in struct clew_cut. */
  struct clew_sealed archive;
  uint64_t states, waiting_from;
  bool by_level;
  struct clew_sealed answer; /* of a search that has ended */
};

void clew_manifest_free(struct clew_manifest *manifest);
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
enum clew_status clew_sealed_read(const struct clew_vault *vault, const struct clew_sealed *sealed,
                                  struct clew_text *out, struct clew_diag_sink *diags);

#endif
