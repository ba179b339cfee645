/* Coloured Petri nets of CPN Tools. */
#include <string.h>

#include "base/alloc.h"
#include "lang/cpn/cpn_int.h"

/* Where things are drawn is most of a file. */
static bool skips(const char *name, const char *const *attributes) {
  static const char *const names[] = {
      "posattr", "fillattr",   "lineattr",   "textattr",     "bendpoint", "arrowattr", "layout",
      "Aux",     "vguideline", "hguideline", "monitorblock", "options",   "binders",   "IndexNode"};
  (void)attributes;
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

void cpn_net_close(struct cpn_net *net) {
  cpn_forget_peers(net);
  cpn_free_tables(net);
  for (uint32_t i = 0; i < net->places.len && net->bags != NULL; i++) {
    clew_vec_free(&net->bags[i].list);
    clew_free(net->bags[i].table);
    cpn_row_free(&net->bags[i].hashes);
  }
  for (uint32_t i = 0; i < net->pages.len; i++) {
    clew_vec_free(&net->pages.data[i].places);
    clew_vec_free(&net->pages.data[i].transitions);
    clew_vec_free(&net->pages.data[i].arcs);
  }
  clew_vec_free(&net->pages);
  clew_vec_free(&net->variables);
  clew_vec_free(&net->variable_types);
  clew_vec_free(&net->roots);
  clew_vec_free(&net->colours);
  clew_vec_free(&net->places);
  clew_vec_free(&net->transitions);
  clew_vec_free(&net->marks);
  clew_free(net->bags);
  clew_free(net->binding_table);
  clew_free(net->slots);
  clew_free(net->fields);
  cpn_unfolded_free(net->unfolded);
  clew_free(net->domains);
  clew_free(net->sites);
  clew_free(net->rules);
  clew_free(net->label_codes);
  clew_free(net->labels);
  clew_free(net->properties);
  clew_free(net->initial);
  clew_text_free(&net->endless_text);
  cpn_pool_close(&net->pool);
  clew_arena_close(net->bag_arena);
  clew_arena_close(net->binding_arena);
  clew_arena_close(net->scratch);
  pthread_mutex_destroy(&net->lock);
  clew_arena_close(net->arena);
  clew_free(net);
}

static struct cpn_net *open_net(const struct clew_load_request *request,
                                struct clew_diag_sink *diags) {
  struct cpn_net *net = clew_alloc_zero(1, sizeof *net);
  net->arena = clew_arena_open();
  net->request = request;
  net->diags = diags;
  net->ml = (struct cpn_ml){.arena = net->arena,
                            .names = {.arena = net->arena, .name_bytes = sizeof(struct cpn_name)},
                            .diags = diags};
  net->ids = (struct clew_name_table){.arena = net->arena, .name_bytes = sizeof(struct cpn_id)};
  net->bag_arena = clew_arena_open();
  net->binding_arena = clew_arena_open();
  net->scratch = clew_arena_open();
  pthread_mutex_init(&net->lock, NULL);
  cpn_pool_open(&net->pool);
  cpn_lib_open(&net->ml);
  return net;
}

static enum clew_status load(const struct clew_load_request *request, struct clew_diag_sink *diags,
                             struct clew_model **model) {
  struct cpn_net *net = open_net(request, diags);
  *model = NULL;
  const struct clew_xml *root = clew_xml_read(request->source, net->arena, skips, diags);
  if (root != NULL && cpn_read(net, root) && cpn_flatten(net)) {
    *model = cpn_open(net);
  }
  if (*model == NULL) {
    cpn_net_close(net);
    return CLEW_BAD_INPUT;
  }
  return CLEW_OK;
}

static const char *const SUFFIXES[] = {".cpn", NULL};

const struct clew_language clew_language_cpn = {
    .name = "cpn",
    .help = "coloured Petri nets of CPN Tools",
    .suffixes = SUFFIXES,
    .load = load,
};
