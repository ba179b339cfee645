/* The multisets and channels of a program as facts of its model (model/collection.h). */
#include <assert.h>
#include <string.h>

#include "ir/ir_int.h"
#include "model/collection.h"

/* The name of what an element belongs to: the name of the element without its index. */
static const char *name_of(struct clew_arena *arena, const char *element) {
  const char *end = strrchr(element, '[');
  return clew_arena_strndup(arena, element,
                            end != NULL ? (size_t)(end - element) : strlen(element));
}

const struct clew_collection *clew_program_collections(struct clew_program *program,
                                                       uint32_t *count) {
  struct clew_collection *list = CLEW_NEW_ARRAY(program->arena, struct clew_collection,
                                                program->bags.len + program->queues.len + 1);
  *count = 0;
  for (uint32_t i = 0; i < program->bags.len; i++) {
    const struct clew_bag *bag = &program->bags.data[i];
    bool is_inner = program->slots[bag->slot].presence != CLEW_NONE;
    if (!is_inner && bag->count > 0) {
      list[(*count)++] =
          (struct clew_collection){.name = name_of(program->arena, program->slots[bag->slot].name),
                                   .slot = bag->slot,
                                   .count = bag->count,
                                   .stride = bag->stride,
                                   .length_slot = CLEW_NONE};
    }
  }
  for (uint32_t i = 0; i < program->queues.len; i++) {
    const struct clew_queue *queue = &program->queues.data[i];
    const struct clew_variable *items = &program->variables.data[queue->items];
    assert(items->type->kind == CLEW_TYPE_ARRAY);
    if (items->type->cells == 0) {
      continue;
    }
    list[(*count)++] =
        (struct clew_collection){.name = items->name,
                                 .slot = items->cell,
                                 .count = items->type->count,
                                 .stride = items->type->element->cells,
                                 .length_slot = program->variables.data[queue->length].cell};
  }
  return list;
}
