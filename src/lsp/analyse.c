/* From a text to what is wrong with it and what its names mean: the front end that also serves
 * every other command, asked for symbols. */
#include <string.h>

#include "cli/registry.h"
#include "lsp/lsp_int.h"

const struct clew_language *clew_document_language(const struct clew_document *document) {
  const struct clew_language *language =
      document->language != NULL ? clew_registry_language(document->language) : NULL;
  return language != NULL ? language : clew_registry_language_of(document->name);
}

static void note_findings(struct clew_document *document, const struct clew_diag_sink *diags) {
  clew_findings_clear(document, false);
  for (uint32_t i = 0; i < diags->len; i++) {
    const struct clew_diag *diag = &diags->data[i];
    struct clew_finding finding = {
        .severity = diag->severity,
        .offset = clew_document_place(document, diag->position),
        .length = diag->position.line > 0 ? diag->caret_length : 0,
        .source = "clew",
    };
    clew_finding_add(document, false, finding, diag->message);
  }
}

void clew_document_analyse(struct clew_document *document) {
  const struct clew_language *language = clew_document_language(document);
  document->is_dirty = false;
  if (language == NULL) {
    return;
  }
  struct clew_diag_sink diags = {0};
  struct clew_symbols symbols;
  struct clew_source source = {
      .name = document->name, .text = clew_text_str(&document->text), .length = document->text.len};
  struct clew_load_request request = {.source = &source,
                                      .exec = CLEW_MODE_INTERP,
                                      .symmetry = CLEW_SYMMETRY_OFF,
                                      .symbols = &symbols};
  struct clew_model *model = NULL;
  clew_symbols_open(&symbols);
  if (language->load(&request, &diags, &model) == CLEW_OK) {
    model->close(model);
  }
  clew_symbols_finish(&symbols);
  /* A text that cannot be parsed has no names: those of the text before are better than none. */
  document->is_current = symbols.list.len > 0;
  if (document->is_current || !document->has_symbols) {
    if (document->has_symbols) {
      clew_symbols_close(&document->symbols);
    }
    document->symbols = symbols;
    document->has_symbols = true;
  } else {
    clew_symbols_close(&symbols);
  }
  note_findings(document, &diags);
  clew_diag_sink_free(&diags);
}
