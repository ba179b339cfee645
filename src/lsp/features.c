/* What an editor asks about a place or a document: hover, definition, references, outline,
 * completion, and where to offer a check. */
#include <assert.h>
#include <string.h>

#include "lsp/lsp_int.h"

/* ---- what is at a place ---- */

/* The symbol at the offset. Where the names are those of an older text, by the word that is there:
 * offsets have moved, and so its places are not to be trusted. */
static const struct clew_symbol *find(const struct clew_document *document, uint32_t offset,
                                      struct clew_symbol_use *use) {
  if (!document->has_symbols) {
    return NULL;
  }
  if (document->is_current) {
    return clew_symbols_find(&document->symbols, offset, use);
  }
  *use = clew_document_word(document, offset);
  const char *word = clew_text_str(&document->text) + use->offset;
  for (uint32_t i = 0; i < document->symbols.list.len && use->length > 0; i++) {
    const struct clew_symbol *each = &document->symbols.list.data[i];
    if (strlen(each->name) == use->length && memcmp(each->name, word, use->length) == 0) {
      return each;
    }
  }
  return NULL;
}

struct question {
  struct clew_lsp *lsp;
  const struct clew_json *id, *params;
  struct clew_document *document;
  uint32_t offset; /* of the position, if there is one */
};

static void put_null(const struct question *q) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  clew_json_string(&w, NULL);
  clew_lsp_end(q->lsp, &w, &out);
}

static void put_location(struct clew_json_writer *w, const struct clew_document *document,
                         uint32_t offset, uint32_t length) {
  clew_json_object_open(w);
  clew_json_key(w, "uri");
  clew_json_string(w, document->uri);
  clew_lsp_put_range(w, "range", document, offset, length);
  clew_json_object_close(w);
}

static void hover(const struct question *q) {
  struct clew_symbol_use use;
  const struct clew_symbol *symbol = find(q->document, q->offset, &use);
  if (symbol == NULL) {
    put_null(q);
    return;
  }
  struct clew_text out = {0}, text = {0};
  clew_text_printf(&text, "%s %s%s%s%s%s", clew_symbol_kind_name(symbol->kind), symbol->name,
                   symbol->detail[0] == '\0' || symbol->detail[0] == '(' ? "" : ": ",
                   symbol->detail,
                   symbol->remark == NULL     ? ""
                   : symbol->remark[0] == '=' ? " "
                                              : ", ",
                   symbol->remark != NULL ? symbol->remark : "");
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  clew_json_object_open(&w);
  clew_json_key(&w, "contents");
  clew_json_object_open(&w);
  clew_json_key(&w, "kind");
  clew_json_string(&w, "plaintext");
  clew_json_key(&w, "value");
  clew_json_string(&w, clew_text_str(&text));
  clew_json_object_close(&w);
  clew_lsp_put_range(&w, "range", q->document, use.offset, use.length);
  clew_json_object_close(&w);
  clew_lsp_end(q->lsp, &w, &out);
  clew_text_free(&text);
}

static void definition(const struct question *q) {
  struct clew_symbol_use use;
  const struct clew_symbol *symbol =
      q->document->is_current ? find(q->document, q->offset, &use) : NULL;
  if (symbol == NULL) {
    put_null(q);
    return;
  }
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  put_location(&w, q->document, symbol->offset, symbol->length);
  clew_lsp_end(q->lsp, &w, &out);
}

/* References and highlights. */
static void places(const struct question *q, bool with_uri) {
  struct clew_symbol_use use;
  const struct clew_symbol *symbol =
      q->document->is_current ? find(q->document, q->offset, &use) : NULL;
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  clew_json_array_open(&w);
  for (uint32_t i = 0; symbol != NULL && i <= q->document->symbols.uses.len; i++) {
    bool is_last = i == q->document->symbols.uses.len; /* the declaration itself */
    const struct clew_symbol_use each =
        is_last ? (struct clew_symbol_use){symbol->offset, symbol->length, symbol->offset}
                : q->document->symbols.uses.data[i];
    if (each.target != symbol->offset) {
      continue;
    }
    if (with_uri) {
      put_location(&w, q->document, each.offset, each.length);
    } else {
      clew_json_object_open(&w);
      clew_lsp_put_range(&w, "range", q->document, each.offset, each.length);
      clew_json_object_close(&w);
    }
  }
  clew_json_array_close(&w);
  clew_lsp_end(q->lsp, &w, &out);
}

static void references(const struct question *q) {
  places(q, true);
}

static void highlight(const struct question *q) {
  places(q, false);
}

/* ---- the outline ---- */

/* Numbers of the protocol: SymbolKind and CompletionItemKind. */
static const uint8_t outline_kinds[CLEW_SYMBOL_KINDS] = {
    [CLEW_SYMBOL_CONSTANT] = 14,  [CLEW_SYMBOL_VALUE] = 22,    [CLEW_SYMBOL_TYPE] = 5,
    [CLEW_SYMBOL_FIELD] = 8,      [CLEW_SYMBOL_VARIABLE] = 13, [CLEW_SYMBOL_CLOCK] = 13,
    [CLEW_SYMBOL_PARAMETER] = 13, [CLEW_SYMBOL_FUNCTION] = 12, [CLEW_SYMBOL_CHANNEL] = 11,
    [CLEW_SYMBOL_PROCESS] = 2,    [CLEW_SYMBOL_STATE] = 22,    [CLEW_SYMBOL_RULE] = 24,
    [CLEW_SYMBOL_PROPERTY] = 7,
};
static const uint8_t completion_kinds[CLEW_SYMBOL_KINDS] = {
    [CLEW_SYMBOL_CONSTANT] = 21, [CLEW_SYMBOL_VALUE] = 20,   [CLEW_SYMBOL_TYPE] = 7,
    [CLEW_SYMBOL_FIELD] = 5,     [CLEW_SYMBOL_VARIABLE] = 6, [CLEW_SYMBOL_CLOCK] = 6,
    [CLEW_SYMBOL_PARAMETER] = 6, [CLEW_SYMBOL_FUNCTION] = 3, [CLEW_SYMBOL_CHANNEL] = 8,
    [CLEW_SYMBOL_PROCESS] = 9,   [CLEW_SYMBOL_STATE] = 20,   [CLEW_SYMBOL_RULE] = 23,
    [CLEW_SYMBOL_PROPERTY] = 10,
};

static void put_outline(struct clew_json_writer *w, const struct clew_document *document,
                        uint32_t container) {
  clew_json_array_open(w);
  for (uint32_t i = 0; i < document->symbols.list.len; i++) {
    const struct clew_symbol *each = &document->symbols.list.data[i];
    if (each->container != container || each->is_local) {
      continue;
    }
    clew_json_object_open(w);
    clew_json_key(w, "name");
    clew_json_string(w, each->name[0] != '\0' ? each->name : "?");
    clew_json_key(w, "detail");
    clew_json_string(w, each->detail);
    clew_json_key_u64(w, "kind", outline_kinds[each->kind]);
    clew_lsp_put_range(w, "range", document, each->offset, each->length);
    clew_lsp_put_range(w, "selectionRange", document, each->offset, each->length);
    if (container == UINT32_MAX && each->kind == CLEW_SYMBOL_PROCESS) {
      clew_json_key(w, "children");
      put_outline(w, document, each->offset);
    }
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
}

static void outline(const struct question *q) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  put_outline(&w, q->document, UINT32_MAX);
  clew_lsp_end(q->lsp, &w, &out);
}

/* ---- completion ---- */

static void put_completion(struct clew_json_writer *w, const char *label, uint8_t kind,
                           const char *detail) {
  clew_json_object_open(w);
  clew_json_key(w, "label");
  clew_json_string(w, label);
  clew_json_key_u64(w, "kind", kind);
  if (detail != NULL && detail[0] != '\0') {
    clew_json_key(w, "detail");
    clew_json_string(w, detail);
  }
  clew_json_object_close(w);
}

static void completion(const struct question *q) {
  const struct clew_document *document = q->document;
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  clew_json_array_open(&w);
  for (uint32_t i = 0; i < document->symbols.list.len; i++) {
    const struct clew_symbol *each = &document->symbols.list.data[i];
    if (each->kind != CLEW_SYMBOL_RULE && each->kind != CLEW_SYMBOL_PROPERTY) {
      put_completion(&w, each->name, completion_kinds[each->kind], each->detail);
    }
  }
  const struct clew_language *language = clew_document_language(document);
  for (const char *const *word = language != NULL ? language->words : NULL;
       word != NULL && *word != NULL; word++) {
    enum { KEYWORD = 14 };
    put_completion(&w, *word, KEYWORD, NULL);
  }
  clew_json_array_close(&w);
  clew_lsp_end(q->lsp, &w, &out);
}

/* ---- where to offer a check ---- */

static void code_lens(const struct question *q) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, q->id);
  clew_json_array_open(&w);
  if (clew_document_language(q->document) != NULL) {
    clew_json_object_open(&w);
    clew_lsp_put_range(&w, "range", q->document, 0, 0);
    clew_json_key(&w, "command");
    clew_json_object_open(&w);
    clew_json_key(&w, "title");
    clew_json_string(&w, "Check with clew");
    clew_json_key(&w, "command");
    clew_json_string(&w, "clew.check");
    clew_json_key(&w, "arguments");
    clew_json_array_open(&w);
    clew_json_string(&w, q->document->uri);
    clew_json_array_close(&w);
    clew_json_object_close(&w);
    clew_json_object_close(&w);
  }
  clew_json_array_close(&w);
  clew_lsp_end(q->lsp, &w, &out);
}

/* ---- requests ---- */

static const struct clew_json *part(const struct clew_json *params, const char *key) {
  return params != NULL && params->kind == CLEW_JSON_OBJECT ? clew_json_get(params, key) : NULL;
}

bool clew_lsp_feature(struct clew_lsp *lsp, const char *method, const struct clew_json *id,
                      const struct clew_json *params) {
  static const struct {
    const char *method;
    void (*answer)(const struct question *q);
  } features[] = {
      {"textDocument/hover", hover},
      {"textDocument/definition", definition},
      {"textDocument/references", references},
      {"textDocument/documentHighlight", highlight},
      {"textDocument/documentSymbol", outline},
      {"textDocument/completion", completion},
      {"textDocument/codeLens", code_lens},
  };
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
    if (strcmp(method, features[i].method) != 0) {
      continue;
    }
    const char *uri = clew_lsp_string(part(params, "textDocument"), "uri");
    struct question q = {.lsp = lsp,
                         .id = id,
                         .params = params,
                         .document = uri != NULL ? clew_lsp_find(lsp, uri) : NULL};
    if (q.document == NULL) {
      clew_lsp_fail(lsp, id, CLEW_LSP_PARAMS, "the document is not open");
      return true;
    }
    if (q.document->is_dirty) {
      clew_document_analyse(q.document);
      clew_lsp_publish(lsp, q.document);
    }
    q.offset = clew_document_offset(q.document, clew_lsp_position(part(params, "position")));
    features[i].answer(&q);
    return true;
  }
  return false;
}
