/* How states get to other processes, where their words mean something in one process only
 * (clew_model.learns).
 *
 * Such words have numbers of parts, which each process gives in the order in which it meets them. A
 * sender *tells* what its numbers mean: a message has, beside its states, those of their parts that
 * the receiver may not know. A receiver *learns* them and *adopts* each state: its own numbers take
 * the place of the sender's.
 *
 * Messages overtake each other. So a part counts as known only if it was told before the last time
 * that everything had arrived (`settle`); until then every message that needs it has it again. */
#ifndef CLEW_MODEL_DIALECT_H
#define CLEW_MODEL_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clew_model;

struct clew_dialect {
  /* A number by what the state is: the same in every process. For any thread. */
  uint64_t (*essence)(const struct clew_model *model, const uint64_t *state);
  /* There are so many processes, and nothing that this one has told counts as known. While nobody
   * else uses the model. */
  void (*begin)(const struct clew_model *model, uint32_t ranks);
  /* All that was told has arrived. While nobody else uses the model. */
  void (*settle)(const struct clew_model *model);
  /* A message to a process begins. One thread at a time calls this and `tell`. */
  void (*address)(const struct clew_model *model, uint32_t to);
  /* Writes what the message has to say for this state: at most `room` bytes, whose number is in
   * *bytes. False: there is not enough room, and the state is not to be a part of the message. */
  bool (*tell)(const struct clew_model *model, uint32_t to, const uint64_t *state,
               unsigned char *out, size_t room, size_t *bytes);
  /* Takes in all that a message has to say. False: it is damaged, and *site is CLEW_NONE, or it
   * takes more memory than there is, and *site says so (MEMORY). For any thread. */
  bool (*learn)(const struct clew_model *model, uint32_t from, const unsigned char *data,
                size_t bytes, uint32_t *site);
  /* Replaces the words of the sender by those of this process. False: *site says that there is no
   * room in them (LAYOUT), or is CLEW_NONE: nobody has told what it means. For any thread. */
  bool (*adopt)(const struct clew_model *model, uint32_t from, uint64_t *state, uint32_t *site);
};

#endif
