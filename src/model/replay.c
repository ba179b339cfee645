/* One transition of a search, over again: the edge, then the representative of its orbit. */
#include "model/model.h"

bool clew_model_replay(void *model_of_search, const uint64_t *state, uint32_t edge, uint64_t *out) {
  const struct clew_model *model = model_of_search;
  uint32_t site = CLEW_NONE;
  bool fired = model->fire(model, state, edge, out, &site);
  if (fired && model->canonicalise != NULL) {
    model->canonicalise(model, out, 1);
  }
  return fired;
}
