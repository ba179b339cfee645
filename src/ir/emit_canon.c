/* Emitting C: canonical forms. The algorithm is canon_rt.h, which the emitted code includes; what
 * is emitted are its tables, as constants of the file, and a call. Every caller passes the same
 * constant tables, so the compiler specialises the algorithm to the layout of the model. */
#include <inttypes.h>

#include "ir/canon_rt.h"
#include "ir/emit_int.h"

/* More than this is too much for the stack of a call; the interpreter's version serves then. */
enum { MAX_LINKS = 1 << 14, MAX_MEMBERS = 1 << 16 };

static void put_u8(struct clew_emitter *e, const char *name, const uint8_t *values, uint32_t n) {
  clew_text_printf(e->out, "static const uint8_t %s[] = {", name);
  for (uint32_t i = 0; i < n; i++)
    clew_text_printf(e->out, "%u,", values[i]);
  clew_text_put(e->out, "0};\n");
}

static void put_u32(struct clew_emitter *e, const char *name, const uint32_t *values, uint32_t n) {
  clew_text_printf(e->out, "static const uint32_t %s[] = {", name);
  for (uint32_t i = 0; i < n; i++)
    clew_text_printf(e->out, "%" PRIu32 ",", values[i]);
  clew_text_put(e->out, "0};\n");
}

static void put_u64(struct clew_emitter *e, const char *name, const uint64_t *values, uint32_t n) {
  clew_text_printf(e->out, "static const uint64_t %s[] = {", name);
  for (uint32_t i = 0; i < n; i++)
    clew_text_printf(e->out, "0x%" PRIx64 "u,", values[i]);
  clew_text_put(e->out, "0};\n");
}

static void put_classes(struct clew_emitter *e, const struct clew_canon *t) {
  uint32_t count = t->class_count + t->part_count;
  clew_text_put(e->out, "static const struct clew_canon_class cn_classes[] = {\n");
  for (uint32_t i = 0; i < count; i++) {
    const struct clew_canon_class *c = &t->classes[i];
    clew_text_printf(
        e->out,
        "{.mask = 0x%" PRIx64 "u, .plain = 0x%" PRIx64 "u, .rest = 0x%" PRIx64
        "u, .kind = %u, .owner = %u, .sparse = %d, .anonymous = %d, .first_item = %" PRIu32
        ", .item_count = %" PRIu32 ", .first_field = %" PRIu32 ", .field_count = %" PRIu32
        ", .word = %" PRIu32 ", .dim_count = %" PRIu32 ", .dim_stride = {",
        c->mask, c->plain, c->rest, c->kind, c->owner, c->sparse, c->anonymous, c->first_item,
        c->item_count, c->first_field, c->field_count, c->word, c->dim_count);
    for (uint32_t d = 0; d < CLEW_CANON_DIMS; d++)
      clew_text_printf(e->out, "%" PRIu32 ",", c->dim_stride[d]);
    clew_text_put(e->out, "}, .dim_role = {");
    for (uint32_t d = 0; d < CLEW_CANON_DIMS; d++)
      clew_text_printf(e->out, "%" PRIu32 ",", c->dim_role[d]);
    clew_text_put(e->out, "}},\n");
  }
  clew_text_put(e->out, "{0}};\n");
}

static uint32_t count_fields(const struct clew_canon *t) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->class_count + t->part_count; i++)
    count += t->classes[i].field_count;
  return count;
}

static uint32_t count_items(const struct clew_canon *t) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->class_count + t->part_count; i++)
    count += t->classes[i].item_count;
  return count;
}

static void put_parts(struct clew_emitter *e, const struct clew_canon *t) {
  clew_text_put(e->out, "static const struct clew_canon_field cn_fields[] = {\n");
  for (uint32_t i = 0; i < count_fields(t); i++) {
    const struct clew_canon_field *f = &t->fields[i];
    clew_text_printf(e->out, "{0x%" PRIx64 "u, %" PRIu32 ", %" PRIu32 ", %u},\n", f->mask, f->role,
                     f->first, f->shift);
  }
  clew_text_put(e->out, "{0}};\nstatic const struct clew_canon_item cn_items[] = {\n");
  for (uint32_t i = 0; i < count_items(t); i++) {
    const struct clew_canon_item *item = &t->items[i];
    clew_text_printf(e->out, "{%" PRIu32 ", {%u, %u, %u, %u}, 0x%" PRIx64 "u},\n", item->bit,
                     item->element[0], item->element[1], item->element[2], item->element[3],
                     item->seed);
  }
  clew_text_put(e->out, "{0}};\nstatic const struct clew_canon_bag cn_bags[] = {\n");
  for (uint32_t i = 0; i < t->bag_count; i++)
    clew_text_printf(e->out, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n", t->bags[i].first_class,
                     t->bags[i].part_count, t->bags[i].dim_count);
  clew_text_put(e->out, "{0}};\n");
}

static void put_own(struct clew_emitter *e, const struct clew_canon *t) {
  clew_text_put(e->out, "static const struct clew_canon_own cn_own[] = {\n");
  for (uint32_t i = 0; i < t->own_first[t->element_count]; i++)
    clew_text_printf(e->out, "{%" PRIu32 ", 0x%" PRIx64 "u},\n", t->own[i].bit, t->own[i].mask);
  clew_text_put(e->out, "{0}};\n");
}

static void put_tables(struct clew_emitter *e, const struct clew_canon *t) {
  put_u8(e, "cn_sets", t->set_first, t->set_count + 1);
  put_u8(e, "cn_named", t->named, t->named_count);
  put_u64(e, "cn_says", t->says, t->named_count);
  put_u64(e, "cn_bit_of", t->bit_of, CLEW_CANON_TABLE);
  put_u64(e, "cn_fixed", t->fixed, t->words);
  put_u32(e, "cn_own_first", t->own_first, t->element_count + 1);
  put_own(e, t);
  put_classes(e, t);
  put_parts(e, t);
  clew_text_printf(e->out,
                   "static const struct clew_canon cn = {.words = %" PRIu32
                   ", .element_count = %" PRIu32 ", .set_count = %" PRIu32
                   ", .class_count = %" PRIu32 ", .part_count = %" PRIu32 ", .bag_count = %" PRIu32
                   ", .named_count = %" PRIu32 ", .link_limit = %" PRIu32
                   ", .member_limit = %" PRIu32 ", .fast = %d,\n"
                   "  .set_first = cn_sets, .named = cn_named, .says = cn_says, .classes = "
                   "cn_classes, .fields = cn_fields,\n"
                   "  .items = cn_items, .bags = cn_bags, .fixed = cn_fixed,\n"
                   "  .own_first = cn_own_first, .own = cn_own, .bit_of = cn_bit_of};\n",
                   t->words, t->element_count, t->set_count, t->class_count, t->part_count,
                   t->bag_count, t->named_count, t->link_limit, t->member_limit, t->fast);
}

/* All bags, whatever they are like: a renaming can change the order in each of them. */
static void put_sort(struct clew_emitter *e) {
  clew_emit_open(e, "static void cn_sort(void *context, uint64_t *p)");
  clew_emit_line(e, "(void)context;");
  clew_emit_line(e, "(void)p;");
  for (uint32_t i = 0; i < e->program->bags.len; i++)
    clew_emit_line(e, "q%" PRIu32 "(p, %" PRIu32 ");", e->sorters[i],
                   e->program->bags.data[i].slot);
  clew_emit_close(e);
}

bool clew_emit_canon(struct clew_emitter *e) {
  const struct clew_canon *t = e->canon;
  if (t == NULL || t->link_limit > MAX_LINKS || t->member_limit > MAX_MEMBERS)
    return false;
  assert(t->words == e->program->words);
  clew_text_put(e->out, "#include \"ir/canon_rt.h\"\n");
  put_tables(e, t);
  put_sort(e);
  clew_emit_open(e, "static void canonicalise(const uint64_t *parent, uint64_t *states, "
                    "uint32_t count)");
  clew_emit_line(e, "uint64_t best[%" PRIu32 "], trial[%" PRIu32 "];", t->words, t->words);
  clew_emit_line(e, "struct clew_canon_link links[%" PRIu32 "];", t->link_limit + 1);
  clew_emit_line(e, "struct clew_canon_member members[%" PRIu32 "];", t->member_limit + 1);
  clew_emit_line(e, "struct clew_canon_work w = {.best = best, .trial = trial, .links = links, "
                    ".members = members, .sort_bags = cn_sort};");
  clew_emit_line(e, "clew_canon_run_all(&cn, &w, parent, states, count);");
  clew_emit_close(e);
  return true;
}
