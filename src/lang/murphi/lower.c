/* Lowering as a whole, and the services its parts share: sites, variables, preparations. */
#include "lang/murphi/lower.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

const char *clew_murphi_keep(struct murphi_lowering *l, const char *text) {
  return clew_arena_strndup(l->arena, text, strlen(text));
}

uint32_t clew_murphi_site(struct murphi_lowering *l, enum clew_site_kind kind,
                          struct clew_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  uint32_t site = clew_front_vsite(l->m->front, l->program, kind, span, format, args);
  va_end(args);
  return site;
}

/* ---- Frames --------------------------------------------------------------------------------- */

void clew_murphi_enter(struct murphi_lowering *l, struct clew_frame *frame,
                       struct murphi_instance *instance) {
  assert(l->preps.len == 0);
  l->frame = frame;
  l->instance = instance;
  l->scratch = (struct clew_place){0};
}

struct clew_place clew_murphi_local(struct murphi_lowering *l, const char *name,
                                    const struct clew_type *type) {
  uint32_t index = clew_frame_add(l->frame, name, type);
  if (index == CLEW_NONE) {
    if (!l->full) {
      l->full = true;
      clew_front_error_whole(
          l->m->front,
          "the local variables of one rule or function are too large: the limit is %d "
          "simple parts",
          CLEW_MAX_CELLS);
    }
    /* The program is lost; a frame of its own keeps the rest of this phase in order. */
    l->frame = clew_program_add_frame(l->program);
    l->scratch = (struct clew_place){0};
    index = clew_frame_add(l->frame, name, type);
    assert(index != CLEW_NONE);
  }
  return clew_place_frame(l->frame, index);
}

struct clew_place clew_murphi_temporary(struct murphi_lowering *l, const char *name,
                                        const struct clew_expr *value) {
  assert(value->lo <= value->hi);
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = value->lo, .hi = value->hi};
  return clew_murphi_local(l, name, clew_type_scalar(l->arena, domain, false));
}

struct clew_place clew_murphi_scratch(struct murphi_lowering *l) {
  if (l->scratch.type == NULL) {
    l->scratch = clew_murphi_local(l, "scratch", l->integer);
  }
  return l->scratch;
}

/* ---- Preparations --------------------------------------------------------------------------- */

void clew_murphi_prepare(struct murphi_lowering *l, struct clew_place place,
                         const struct clew_expr *value, uint32_t site) {
  assert(place.space == CLEW_SPACE_FRAME && place.index_count == 0);
  struct murphi_prep prep = {.place = place, .value = value, .site = site};
  clew_vec_push(&l->preps, prep);
}

/* place := value. When the value need not fit, the least one goes first, so that whatever reads the
 * variable after a fault finds a proper value. */
static void set_stmts(struct murphi_lowering *l, const struct murphi_prep *prep,
                      struct clew_list *list) {
  struct clew_stmt *stmt = clew_stmt_assign(l->program, prep->place, prep->value, prep->site);
  if (stmt->checked) {
    const struct clew_expr *least = clew_murphi_const(l, prep->place.type->domain->lo);
    clew_list_add(list, clew_stmt_assign(l->program, prep->place, least, CLEW_NONE));
  }
  clew_list_add(list, stmt);
}

void clew_murphi_prep_stmts(struct murphi_lowering *l, uint32_t mark, struct clew_list *list) {
  assert(mark <= l->preps.len);
  for (uint32_t i = mark; i < l->preps.len; i++) {
    const struct murphi_prep *prep = &l->preps.data[i];
    if (prep->is_requirement) {
      struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_ASSERT);
      stmt->value = prep->value;
      stmt->site = prep->site;
      clew_list_add(list, stmt);
    } else {
      set_stmts(l, prep, list);
    }
  }
  l->preps.len = mark;
}

const struct clew_expr *clew_murphi_prep_lets(struct murphi_lowering *l, uint32_t mark,
                                              const struct clew_expr *body) {
  assert(mark <= l->preps.len);
  while (l->preps.len > mark) {
    struct murphi_prep prep = clew_vec_pop(&l->preps);
    struct clew_place place = prep.place;
    const struct clew_expr *value = prep.value;
    if (prep.is_requirement) {
      /* There is no assertion among expressions, but a division faults just as well. */
      place = clew_murphi_scratch(l);
      value =
          clew_expr_binary(l->program, CLEW_OP_DIV, clew_murphi_const(l, 1), prep.value, prep.site);
    }
    body = clew_expr_let(l->program, place.base, value, body);
  }
  return body;
}

/* ---- The model ------------------------------------------------------------------------------ */

static void lower_variables(struct murphi_lowering *l) {
  for (struct murphi_decl *decl = l->m->model.decls; decl != NULL; decl = decl->next) {
    if (decl->kind != MURPHI_DECL_TYPE) {
      clew_program_add_declared(l->program, decl->name->id.text,
                                clew_front_model_position(l->m->front, decl->span),
                                decl->kind == MURPHI_DECL_CONST, decl->symbol->is_used);
    }
    if (decl->kind == MURPHI_DECL_VAR) {
      assert(decl->symbol->kind == MURPHI_SYMBOL_STATE);
      uint32_t variable =
          clew_program_add_variable(l->program, clew_murphi_keep(l, decl->name->id.text),
                                    clew_murphi_lower_type(l, decl->symbol->type));
      decl->symbol->place = clew_place_state(l->program, variable);
    }
  }
}

static void lower_covers(struct murphi_lowering *l) {
  assert(l->program->cover_count == 0);
  l->program->cover_count = l->m->cover_count;
  for (const struct murphi_stmt *stmt = l->m->covers; stmt != NULL; stmt = stmt->next_cover) {
    const char *name = clew_murphi_property_name(l, MURPHI_PROPERTY_COVER, stmt->text);
    clew_program_add_property(l->program, CLEW_PROPERTY_COVER, name,
                              clew_front_position(l->m->front, stmt->span), stmt->cover, true);
  }
}

void clew_murphi_lower(struct murphi *m, struct clew_program *program) {
  static const struct clew_domain all = {.lo = INT64_MIN + 1, .hi = INT64_MAX};
  struct murphi_lowering l = {.m = m, .program = program, .arena = program->arena};
  l.to_do_end = &l.to_do;
  l.integer = clew_type_scalar(l.arena, &all, false);
  l.anything = clew_type_scalar(l.arena, &all, true);
  clew_murphi_lower_names(&l);
  lower_variables(&l);
  clew_murphi_lower_rules(&l, m->model.rules);
  clew_murphi_lower_functions(&l);
  lower_covers(&l);
  assert(l.preps.len == 0);
  clew_vec_free(&l.preps);
}
