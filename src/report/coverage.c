/* Remarks about what a search has not met. The elements of an array are one variable here: a value
 * counts as taken if one of them takes it. */
#include "report/coverage.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/vec.h"
#include "model/collection.h"

void clew_coverage_free(struct clew_coverage *coverage) {
  clew_free(coverage->fired);
  clew_free(coverage->taken);
  clew_free(coverage->tested);
  *coverage = (struct clew_coverage){0};
}

void clew_remarks_free(struct clew_remarks *remarks) {
  for (uint32_t i = 0; i < remarks->len; i++) {
    clew_text_free(&remarks->data[i].text);
    clew_free((void *)remarks->data[i].name);
  }
  clew_vec_free(remarks);
}

static struct clew_remark *add(struct clew_remarks *out, const char *kind, const char *name,
                               uint32_t line) {
  struct clew_remark remark = {
      .kind = kind, .line = line, .name = clew_strndup(name, strlen(name))};
  clew_vec_push(out, remark);
  return &out->data[out->len - 1];
}

/* ---- Rules ---- */

static void remark_rules(const struct clew_model *model, const struct clew_coverage *coverage,
                         struct clew_remarks *out) {
  for (uint32_t i = 0; coverage->fired != NULL && i < model->rule_count; i++) {
    if (coverage->fired[i] == 0 && model->rules[i].name != NULL) {
      struct clew_remark *remark =
          add(out, "rule", model->rules[i].name, model->rules[i].position.line);
      clew_text_printf(&remark->text, "rule \"%s\" never fires", model->rules[i].name);
    }
  }
}

/* ---- Variables ---- */

/* The name of a slot with every index replaced: "state[*].at". */
static void put_family(const char *name, struct clew_text *out) {
  clew_text_clear(out);
  for (uint32_t depth = 0; *name != '\0'; name++) {
    depth += *name == '[';
    if (depth == 0 || *name == '[' || *name == ']') {
      clew_text_put(out, *name == '[' && depth == 1 ? "[*" : "");
      if (*name != '[') {
        clew_text_char(out, *name);
      }
    }
    depth -= *name == ']' && depth > 0;
  }
}

/* Slots of the same name, but for indices, and of the same domain. */
struct family {
  struct clew_text name;
  const struct clew_domain *domain;
  uint32_t declared; /* as in struct clew_slot */
  uint64_t taken;
  bool is_read;
};

struct families { /* a CLEW_VEC */
  struct family *data;
  uint32_t len, cap;
};

static struct family *family_of(struct families *families, const struct clew_slot *slot,
                                struct clew_text *name) {
  put_family(slot->name, name);
  for (uint32_t i = families->len; i-- > 0;) { /* neighbours come last */
    struct family *each = &families->data[i];
    if (each->domain == slot->domain &&
        strcmp(clew_text_str(&each->name), clew_text_str(name)) == 0) {
      return each;
    }
  }
  struct family family = {.domain = slot->domain, .declared = slot->declared};
  clew_text_put(&family.name, clew_text_str(name));
  clew_vec_push(families, family);
  return &families->data[families->len - 1];
}

/* Adds the slots that something reads; false when there is too much to look at. */
static bool find_read(const struct clew_model *model, uint64_t *read) {
  const uint64_t most = 100 * 1000;
  uint32_t words = CLEW_BITSET_WORDS(model->slot_count);
  if (model->access == NULL || (uint64_t)model->group_count * (words + 64) > most) {
    return false;
  }
  uint64_t *sets = clew_alloc_zero((size_t)words * 3 + 3, sizeof *sets);
  for (uint32_t i = 0; i < model->group_count; i++) {
    struct clew_access access = {
        .read = sets, .may_write = sets + words + 1, .must_write = sets + 2 * (words + 1)};
    model->access(model, i, &access);
    for (uint32_t w = 0; w < words; w++) {
      read[w] |= sets[w];
    }
  }
  for (uint32_t i = 0; i < model->label_count; i++) {
    model->label_access(model, i, read);
  }
  clew_free(sets);
  return true;
}

/* The values that stand for nothing at all: "-", in nets, where none of the places has a token. */
static uint64_t empty_values(const struct clew_domain *domain) {
  uint64_t size = (uint64_t)domain->hi - (uint64_t)domain->lo + 1, values = 0;
  for (uint64_t v = 0; domain->names != NULL && v < size && v < CLEW_COVERAGE_VALUES; v++) {
    values |= (uint64_t)(strcmp(domain->names[v], "-") == 0) << v;
  }
  return values;
}

static void gather_families(const struct clew_model *model, const struct clew_coverage *coverage,
                            const uint64_t *read, struct families *families) {
  struct clew_text name = {0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    const struct clew_collection *collection = clew_collection_of(model, i);
    bool is_filler = collection != NULL && collection->length_slot != CLEW_NONE;
    if (slot->hidden || is_filler) {
      continue; /* messages of a channel: beyond its length they are zero */
    }
    struct family *family = family_of(families, slot, &name);
    family->is_read |= read == NULL || clew_bitset_has(read, i);
    family->taken |= coverage->has_values ? coverage->taken[i] | empty_values(slot->domain) : 0;
  }
  clew_text_free(&name);
}

/* "idle, 3..7" */
static void put_missing(const struct family *family, struct clew_text *out) {
  uint64_t size = (uint64_t)(family->domain->hi - family->domain->lo) + 1;
  bool any = false;
  for (uint64_t v = 0; v < size; v++) {
    if ((family->taken >> v & 1) != 0) {
      continue;
    }
    uint64_t last = v;
    while (family->domain->names == NULL && last + 1 < size &&
           (family->taken >> (last + 1) & 1) == 0) {
      last++;
    }
    clew_text_put(out, any ? ", " : "");
    clew_domain_print(family->domain, family->domain->lo + (int64_t)v, out);
    if (last > v) {
      clew_text_put(out, last > v + 1 ? ".." : ", ");
      clew_domain_print(family->domain, family->domain->lo + (int64_t)last, out);
    }
    any = true;
    v = last;
  }
}

/* The declaration of slots; NULL: not known. */
static const struct clew_declared *declaration_of(const struct clew_model *model,
                                                  const struct family *family) {
  if (family->declared > 0) {
    return &model->declared[family->declared - 1];
  }
  const char *name = clew_text_str(&family->name);
  size_t length = strcspn(name, "["), longest = 0;
  const struct clew_declared *found = NULL;
  for (uint32_t i = 0; i < model->declared_count; i++) {
    const struct clew_declared *each = &model->declared[i];
    size_t own = strlen(each->name);
    bool begins = own <= length && strncmp(each->name, name, own) == 0 &&
                  (name[own] == '\0' || name[own] == '[' || name[own] == '.');
    if (begins && !each->is_constant && !each->is_unmatched && own > longest) {
      found = each;
      longest = own;
    }
  }
  return found;
}

static void remark_family(const struct clew_model *model, const struct clew_coverage *coverage,
                          const struct family *family, struct clew_remarks *out) {
  const char *name = clew_text_str(&family->name);
  const struct clew_declared *declared = declaration_of(model, family);
  uint32_t line = declared != NULL ? declared->position.line : 0;
  if (declared != NULL && !declared->is_used) {
    return; /* which is said already */
  }
  if (!family->is_read) {
    struct clew_remark *remark = add(out, "variable", name, line);
    clew_text_printf(&remark->text, "%s is never read", name);
  }
  uint64_t span = (uint64_t)family->domain->hi - (uint64_t)family->domain->lo;
  bool is_small = span < CLEW_COVERAGE_VALUES && span > 0;
  uint64_t all = is_small ? clew_bits_mask((uint32_t)span + 1) : 0;
  /* Of a variable that never has a value nothing is said: it may be part of messages that are never
   * sent, or one of those that symmetry renames. */
  if (coverage->has_values && is_small && family->taken != 0 && family->taken != all) {
    struct clew_remark *remark = add(out, "value", name, line);
    clew_text_printf(&remark->text, "%s is never ", name);
    put_missing(family, &remark->text);
  }
}

static void remark_unmatched(const struct clew_model *model, struct clew_remarks *out) {
  for (uint32_t i = 0; i < model->declared_count; i++) {
    const struct clew_declared *each = &model->declared[i];
    if (each->is_unmatched) {
      struct clew_remark *remark = add(out, "rule", each->name, each->position.line);
      clew_text_printf(&remark->text, "\"%s\" never happens: it has no partner", each->name);
    }
  }
}

static void remark_unused(const struct clew_model *model, struct clew_remarks *out) {
  for (uint32_t i = 0; i < model->declared_count; i++) {
    const struct clew_declared *each = &model->declared[i];
    if (!each->is_used) {
      struct clew_remark *remark = add(out, "unused", each->name, each->position.line);
      const char *what = each->is_constant ? "constant" : "variable";
      clew_text_printf(&remark->text, "the %s %s is never used",
                       each->what != NULL ? each->what : what, each->name);
    }
  }
}

static void remark_variables(const struct clew_model *model, const struct clew_coverage *coverage,
                             struct clew_remarks *out) {
  struct families families = {0};
  uint64_t *read = clew_alloc_zero(CLEW_BITSET_WORDS((size_t)model->slot_count) + 1, sizeof *read);
  bool is_known = find_read(model, read);
  gather_families(model, coverage, is_known ? read : NULL, &families);
  for (uint32_t i = 0; i < families.len; i++) {
    remark_family(model, coverage, &families.data[i], out);
    clew_text_free(&families.data[i].name);
  }
  clew_vec_free(&families);
  clew_free(read);
}

/* ---- Invariants ---- */

static void remark_invariants(const struct clew_model *model, const struct clew_coverage *coverage,
                              struct clew_remarks *out) {
  for (uint32_t i = 0; coverage->has_values && i < model->property_count; i++) {
    const struct clew_property *property = &model->properties[i];
    if (property->kind != CLEW_PROPERTY_INVARIANT || property->query != CLEW_QUERY_NONE ||
        clew_bitset_has(coverage->tested, i)) {
      continue;
    }
    struct clew_remark *remark = add(out, "invariant", property->name, property->position.line);
    clew_text_printf(
        &remark->text,
        "invariant \"%s\" was never put to the test: the premise of its implication never "
        "held (or the left side of its \"or\" always did)",
        property->name);
  }
}

void clew_coverage_remark(const struct clew_model *model, const struct clew_coverage *coverage,
                          struct clew_remarks *out) {
  remark_invariants(model, coverage, out);
  remark_rules(model, coverage, out);
  remark_unmatched(model, out);
  remark_unused(model, out);
  remark_variables(model, coverage, out);
}
