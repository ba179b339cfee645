/* What the options of a search name: engine, store, properties. Each answers CLEW_EXIT_OK, or the
 * exit code after the user has been told what is wrong. */
#ifndef CLEW_CLI_CHOOSE_H
#define CLEW_CLI_CHOOSE_H

#include "cli/options.h"
#include "ir/exec.h"
#include "model/model.h"
#include "search/engine.h"
#include "store/store.h"

enum clew_exit clew_choose_engine(const struct clew_options *options,
                                  const struct clew_engine_type **engine);
/* The one that is named, else the default. `model` may be NULL: it is not known yet, and the
 * default is that of models whose states have no order. */
enum clew_exit clew_choose_store(const struct clew_options *options,
                                 const struct clew_engine_type *engine,
                                 const struct clew_model *model,
                                 const struct clew_store_type **store);
/* Whether this store may be changed for others during the search: it is the default, or `auto`. */
bool clew_choose_auto(const struct clew_options *options, const struct clew_store_type *store);
/* Whether a timed model is to be loaded with flat zones: where the store that is named, or another
 * option, leaves no use for their order. */
enum clew_exit clew_choose_zones(const struct clew_options *options,
                                 const struct clew_store_type *store, bool *flat);
/* What --symmetry says. */
enum clew_symmetry_mode clew_choose_symmetry(const struct clew_options *options);
/* All properties, or those that --property names, without deadlock when that is switched off. The
 * bit set is the caller's to free. */
enum clew_exit clew_choose_properties(const struct clew_options *options,
                                      const struct clew_model *model, uint64_t **enabled);
/* Whether the command line names no property and asks no question: all of the model's are asked. */
bool clew_choose_everything(const struct clew_options *options);
/* How many of the parts that nothing can check were asked for: all, unless the command line asks
 * questions of its own or names properties. */
uint32_t clew_choose_unchecked(const struct clew_options *options, const struct clew_model *model);

#endif
