/* The text form of a program: one line per declaration, rule and statement.
 *
 *   Paths are written as in the source: net[2].kind, procs[p@0].state; "@0" is the frame cell of a
 *   variable of a frame, "&x" a reference parameter. "!3" behind something that can go wrong is
 *   the site it is reported at; sites are listed at the end. */
#include <assert.h>
#include <inttypes.h>

#include "ir/ir_int.h"

struct dump {
  const struct clew_program *program;
  const struct clew_frame *frame;
  const struct clew_function *function;
  struct clew_text *out;
  int indent;
  bool is_graph; /* nothing that depends on properties is wanted */
};

static void dump_expr(struct dump *dump, const struct clew_expr *expr);

static void put(struct dump *dump, const char *s) {
  clew_text_put(dump->out, s);
}

static void put_number(struct dump *dump, int64_t n) {
  clew_text_printf(dump->out, "%" PRId64, n);
}

static void put_site(struct dump *dump, uint32_t site) {
  assert(site == CLEW_NONE || site < dump->program->sites.len);
  if (site == CLEW_NONE) {
    return;
  }
  if (dump->is_graph) { /* numbers depend on what else there is */
    const struct clew_position *at = &dump->program->sites.data[site].position;
    clew_text_printf(dump->out, "!%u:%u", at->line, at->column);
  } else {
    clew_text_printf(dump->out, "!%u", site);
  }
}

/* ---- Types and places --------------------------------------------------------------------- */

static void dump_domain(struct dump *dump, const struct clew_domain *domain) {
  assert(domain->lo <= domain->hi);
  if (domain->names == NULL) {
    clew_text_printf(dump->out, "%" PRId64 "..%" PRId64, domain->lo, domain->hi);
    return;
  }
  clew_domain_print(domain, domain->lo, dump->out);
  if (domain->hi > domain->lo) {
    put(dump, "..");
    clew_domain_print(domain, domain->hi, dump->out);
  }
}

static void dump_type(struct dump *dump, const struct clew_type *type) {
  assert((unsigned)type->kind <= CLEW_TYPE_BAG);
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    dump_domain(dump, type->domain);
    put(dump, type->undefinable ? "?" : "");
    break;
  case CLEW_TYPE_ARRAY:
    put(dump, "array [");
    dump_domain(dump, type->domain);
    put(dump, "] of ");
    dump_type(dump, type->element);
    break;
  case CLEW_TYPE_RECORD:
    put(dump, "record {");
    for (uint32_t i = 0; i < type->count; i++) {
      clew_text_printf(dump->out, "%s%s: ", i > 0 ? "; " : "", type->fields[i].name);
      dump_type(dump, type->fields[i].type);
    }
    put(dump, "}");
    break;
  case CLEW_TYPE_BAG:
    clew_text_printf(dump->out, "bag [%u] of ", type->count);
    dump_type(dump, type->element);
    break;
  }
}

static void dump_cell(struct dump *dump, uint32_t cell) {
  const struct clew_variable *variable =
      clew_variable_at(dump->frame->variables.data, dump->frame->variables.len, cell);
  assert(variable != NULL);
  clew_text_printf(dump->out, "%s@%u", variable->name, cell);
}

/* A place is stored as a sum; this finds the path again. */
struct path {
  const struct clew_place *place;
  const struct clew_type *type; /* reached so far */
  uint32_t offset;              /* constant cells still to go */
  uint32_t index;               /* next dynamic index */
};

static void path_element(struct dump *dump, struct path *path) {
  bool bag = path->type->kind == CLEW_TYPE_BAG;
  uint32_t stride = path->type->element->cells + bag;
  const struct clew_index *index =
      path->index < path->place->index_count ? &path->place->indices[path->index] : NULL;
  put(dump, "[");
  if (index != NULL && index->stride == stride && index->count == path->type->count) {
    dump_expr(dump, index->value);
    put_site(dump, index->site);
    path->index++;
  } else {
    assert(stride > 0 && path->offset / stride < path->type->count);
    int64_t position = path->offset / stride;
    path->offset %= stride;
    if (bag) {
      put_number(dump, position);
    } else {
      clew_domain_print(path->type->domain, path->type->domain->lo + position, dump->out);
    }
  }
  put(dump, "]");
  path->type = path->type->element;
  if (bag && path->offset == 0) {
    put(dump, ".present");
    path->type = clew_type_presence();
  } else if (bag) {
    path->offset--;
  }
}

static void path_field(struct dump *dump, struct path *path) {
  uint32_t i = path->type->count;
  assert(path->type->kind == CLEW_TYPE_RECORD && i > 0);
  do {
    i--;
  } while (i > 0 &&
           (path->type->fields[i].offset > path->offset ||
            path->offset - path->type->fields[i].offset >= path->type->fields[i].type->cells));
  clew_text_printf(dump->out, ".%s", path->type->fields[i].name);
  path->offset -= path->type->fields[i].offset;
  path->type = path->type->fields[i].type;
}

static void dump_place(struct dump *dump, const struct clew_place *place) {
  struct path path = {.place = place, .offset = place->offset};
  if (place->space == CLEW_SPACE_REF) {
    const struct clew_reference *reference = &dump->function->references[place->base];
    clew_text_printf(dump->out, "&%s", reference->name);
    path.type = reference->type;
  } else {
    const struct clew_variable *v;
    if (place->space == CLEW_SPACE_STATE) {
      v = clew_variable_at(dump->program->variables.data, dump->program->variables.len,
                           place->base);
      put(dump, v != NULL ? v->name : "{}");
    } else {
      v = clew_variable_at(dump->frame->variables.data, dump->frame->variables.len, place->base);
      clew_text_printf(dump->out, "%s@%u", v != NULL ? v->name : "{}", place->base);
    }
    path.type = v != NULL ? v->type : place->type;
    path.offset += v != NULL ? place->base - v->cell : 0;
  }
  assert(path.type != NULL);
  while (path.type != place->type && path.type->kind != CLEW_TYPE_SCALAR && path.type->cells > 0) {
    if (path.type->kind == CLEW_TYPE_RECORD) {
      path_field(dump, &path);
    } else {
      path_element(dump, &path);
    }
  }
}

/* ---- Expressions -------------------------------------------------------------------------- */

static void dump_call(struct dump *dump, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  assert(function != NULL);
  clew_text_printf(dump->out, "%s(", function->name);
  for (uint32_t i = 0; i < function->value_count; i++) {
    put(dump, i > 0 ? ", " : "");
    dump_expr(dump, call->values[i]);
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    put(dump, i + function->value_count > 0 ? ", ref " : "ref ");
    dump_place(dump, &call->refs[i]);
  }
  put(dump, ")");
  put_site(dump, call->site);
}

static void dump_range(struct dump *dump, uint32_t cell, const struct clew_expr *from,
                       const struct clew_expr *to, int64_t step) {
  assert(step != 0);
  dump_cell(dump, cell);
  put(dump, " from ");
  dump_expr(dump, from);
  put(dump, " to ");
  dump_expr(dump, to);
  if (step != 1) {
    clew_text_printf(dump->out, " by %" PRId64, step);
  }
  put(dump, ": ");
}

static void dump_compound(struct dump *dump, const struct clew_expr *expr) {
  assert(expr->a != NULL);
  put(dump, "(");
  switch (expr->kind) {
  case CLEW_EXPR_UNARY:
    put(dump, clew_op_word(expr->op));
    dump_expr(dump, expr->a);
    break;
  case CLEW_EXPR_BINARY:
    dump_expr(dump, expr->a);
    clew_text_printf(dump->out, " %s", clew_op_word(expr->op));
    put_site(dump, expr->site);
    put(dump, " ");
    dump_expr(dump, expr->b);
    break;
  case CLEW_EXPR_COND:
    dump_expr(dump, expr->a);
    put(dump, " ? ");
    dump_expr(dump, expr->b);
    put(dump, " : ");
    dump_expr(dump, expr->c);
    break;
  case CLEW_EXPR_QUANTIFY:
    clew_text_printf(dump->out, "%s ", clew_op_word(expr->op));
    dump_range(dump, expr->cell, expr->a, expr->b, expr->c->value);
    dump_expr(dump, expr->d);
    break;
  default:
    put(dump, "let ");
    dump_cell(dump, expr->cell);
    put(dump, " = ");
    dump_expr(dump, expr->a);
    put(dump, " in ");
    dump_expr(dump, expr->b);
    break;
  }
  put(dump, ")");
}

static void dump_expr(struct dump *dump, const struct clew_expr *expr) {
  assert(expr != NULL);
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    put_number(dump, expr->value);
    break;
  case CLEW_EXPR_LOAD:
    dump_place(dump, &expr->place);
    put_site(dump, expr->site);
    break;
  case CLEW_EXPR_LOAD_RAW:
    put(dump, "raw ");
    dump_place(dump, &expr->place);
    break;
  case CLEW_EXPR_UNDEFINED:
    put(dump, "undefined");
    break;
  case CLEW_EXPR_IS_UNDEFINED:
    put(dump, "isundefined(");
    dump_place(dump, &expr->place);
    put(dump, ")");
    break;
  case CLEW_EXPR_CALL:
    dump_call(dump, expr->call);
    break;
  case CLEW_EXPR_EQUAL:
    put(dump, "(");
    dump_place(dump, &expr->place);
    put(dump, " == ");
    dump_place(dump, &expr->place2);
    put(dump, ")");
    break;
  case CLEW_EXPR_UNARY:
  case CLEW_EXPR_BINARY:
  case CLEW_EXPR_COND:
  case CLEW_EXPR_QUANTIFY:
  case CLEW_EXPR_LET:
    dump_compound(dump, expr);
    break;
  }
}

/* ---- Statements --------------------------------------------------------------------------- */

static void dump_list(struct dump *dump, const struct clew_stmt *list);

static void line(struct dump *dump, const char *s) {
  assert(dump->indent >= 0);
  clew_text_printf(dump->out, "%*s%s", dump->indent * 2, "", s);
}

static void dump_body(struct dump *dump, const char *head, const struct clew_stmt *body) {
  assert(head != NULL);
  line(dump, head);
  put(dump, "\n");
  dump_list(dump, body);
}

static void dump_switch(struct dump *dump, const struct clew_stmt *stmt) {
  assert(stmt->kind == CLEW_STMT_SWITCH);
  put(dump, "\n");
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    line(dump, "case");
    for (uint32_t j = 0; j < stmt->cases[i].value_count; j++) {
      clew_text_printf(dump->out, " %" PRId64, stmt->cases[i].values[j]);
    }
    put(dump, "\n");
    dump_list(dump, stmt->cases[i].body);
  }
  if (stmt->otherwise != NULL) {
    dump_body(dump, "else", stmt->otherwise);
  }
}

static const char *stmt_name(enum clew_stmt_kind kind) {
  static const char *const names[] = {
      [CLEW_STMT_BLOCK] = "block",        [CLEW_STMT_ASSIGN] = "",
      [CLEW_STMT_COPY] = "copy ",         [CLEW_STMT_CLEAR] = "clear ",
      [CLEW_STMT_UNDEFINE] = "undefine ", [CLEW_STMT_IF] = "if ",
      [CLEW_STMT_SWITCH] = "switch ",     [CLEW_STMT_FOR] = "for ",
      [CLEW_STMT_WHILE] = "while ",       [CLEW_STMT_CALL] = "call ",
      [CLEW_STMT_RETURN] = "return ",     [CLEW_STMT_ASSERT] = "assert ",
      [CLEW_STMT_ASSUME] = "assume ",     [CLEW_STMT_COVER] = "cover ",
      [CLEW_STMT_BAG_ADD] = "add ",       [CLEW_STMT_BAG_REMOVE] = "remove ",
  };
  assert((unsigned)kind < sizeof names / sizeof *names);
  return names[kind];
}

/* What stands between the place, if any, and the value. */
static const char *stmt_infix(enum clew_stmt_kind kind) {
  switch (kind) {
  case CLEW_STMT_ASSIGN:
  case CLEW_STMT_COPY:
    return " := ";
  case CLEW_STMT_BAG_ADD:
    return " <- ";
  case CLEW_STMT_BAG_REMOVE:
    return " at ";
  default:
    return "";
  }
}

static void dump_head(struct dump *dump, const struct clew_stmt *stmt) {
  assert(stmt != NULL);
  line(dump, stmt_name(stmt->kind));
  if (stmt->kind == CLEW_STMT_FOR) {
    dump_range(dump, stmt->cell, stmt->value, stmt->value2, stmt->step);
    put(dump, stmt->exhaustive ? " exhaustive" : "");
    return;
  }
  if (stmt->kind == CLEW_STMT_COVER) {
    clew_text_printf(dump->out, "%u ", stmt->cell);
  }
  if (stmt->place.type != NULL) {
    dump_place(dump, &stmt->place);
    put(dump, stmt_infix(stmt->kind));
  }
  if (stmt->place2.type != NULL) {
    dump_place(dump, &stmt->place2);
  }
  if (stmt->value != NULL) {
    dump_expr(dump, stmt->value);
  }
  if (stmt->call != NULL) {
    dump_call(dump, stmt->call);
  }
  if (stmt->site != CLEW_NONE) {
    put(dump, " ");
    put_site(dump, stmt->site);
  }
}

static void dump_list(struct dump *dump, const struct clew_stmt *list) {
  dump->indent++;
  for (const struct clew_stmt *stmt = list; stmt != NULL; stmt = stmt->next) {
    dump_head(dump, stmt);
    if (stmt->kind == CLEW_STMT_SWITCH) {
      dump_switch(dump, stmt);
      continue;
    }
    put(dump, "\n");
    dump_list(dump, stmt->body);
    if (stmt->otherwise != NULL) {
      dump_body(dump, "else", stmt->otherwise);
    }
  }
  dump->indent--;
  assert(dump->indent >= 0);
}

/* ---- Declarations ------------------------------------------------------------------------- */

static void dump_variables(struct dump *dump, const struct clew_variable *variables,
                           uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    assert(variables[i].type != NULL);
    line(dump, "var ");
    clew_text_printf(dump->out, "%s@%u : ", variables[i].name, variables[i].cell);
    dump_type(dump, variables[i].type);
    put(dump, "\n");
  }
}

static void dump_frame(struct dump *dump, const struct clew_frame *frame) {
  assert(frame != NULL);
  dump->frame = frame;
  dump->indent++;
  dump_variables(dump, frame->variables.data, frame->variables.len);
  dump->indent--;
}

static void dump_function(struct dump *dump, const struct clew_function *function) {
  assert(dump->function == NULL);
  dump->function = function;
  clew_text_printf(dump->out, "function %s (%u values", function->name, function->value_count);
  for (uint32_t i = 0; i < function->reference_count; i++) {
    clew_text_printf(dump->out, "; %s &%s : ",
                     function->references[i].space == CLEW_SPACE_STATE ? "state" : "frame",
                     function->references[i].name);
    dump_type(dump, function->references[i].type);
  }
  put(dump, ")");
  if (function->result != NULL) {
    put(dump, " : ");
    dump_type(dump, function->result);
    put_site(dump, function->no_result_site);
  }
  put(dump, "\n");
  dump_frame(dump, function->frame);
  dump_list(dump, function->body);
  dump->function = NULL;
}

static void dump_family(struct dump *dump, const char *what, const struct clew_family *family) {
  clew_text_printf(dump->out, "%s from edge %u, %u instances\n", what, family->first_edge,
                   family->instance_count);
  dump_frame(dump, family->frame);
  for (uint32_t i = 0; i < family->parameter_count; i++) {
    put(dump, "  parameter ");
    dump_cell(dump, family->parameters[i].cell);
    put(dump, " in ");
    dump_domain(dump, family->parameters[i].domain);
    put(dump, "\n");
  }
  dump->indent++;
  for (uint32_t i = 0; i < family->rule_count; i++) {
    const struct clew_rule *rule = &family->rules[i];
    assert(rule->name != NULL);
    line(dump, "rule ");
    clew_text_printf(dump->out, "%u \"%s\" priority %d", rule->index, rule->name, rule->priority);
    if (rule->guard != NULL) {
      put(dump, " when ");
      dump_expr(dump, rule->guard);
    }
    put(dump, "\n");
    dump_list(dump, rule->body);
  }
  dump->indent--;
}

static void dump_label(struct dump *dump, uint32_t number) {
  const struct clew_label_code *label = &dump->program->labels.data[number];
  assert(label->value != NULL);
  if (!dump->is_graph) {
    clew_text_printf(dump->out, "label %u \"%s\" = ", number, label->name);
  }
  dump->frame = label->frame;
  dump_expr(dump, label->value);
  put(dump, "\n");
  dump_frame(dump, label->frame);
}

/* What transitions there are. */
static void dump_graph(struct dump *dump) {
  const struct clew_program *program = dump->program;
  clew_text_printf(dump->out, "program \"%s\" (%s), %u words\n", program->name, program->language,
                   program->words);
  dump_variables(dump, program->variables.data, program->variables.len);
  for (uint32_t i = 0; i < program->functions.len; i++) {
    dump_function(dump, program->functions.data[i]);
  }
  for (uint32_t i = 0; i < program->starts.len; i++) {
    dump_family(dump, "start", program->starts.data[i]);
  }
  for (uint32_t i = 0; i < program->families.len; i++) {
    dump_family(dump, "family", program->families.data[i]);
  }
}

void clew_program_dump_graph(const struct clew_program *program, struct clew_text *out) {
  assert(program != NULL && out != NULL);
  struct dump dump = {.program = program, .out = out, .is_graph = true};
  dump_graph(&dump);
  for (uint32_t i = 0; i < program->assumptions.len; i++) {
    put(&dump, "assumption ");
    dump_label(&dump, program->assumptions.data[i]);
  }
}

void clew_program_dump(const struct clew_program *program, struct clew_text *out) {
  assert(program != NULL && out != NULL);
  struct dump dump = {.program = program, .out = out};
  dump_graph(&dump);
  for (uint32_t i = 0; i < program->labels.len; i++) {
    dump_label(&dump, i);
  }
  for (uint32_t i = 0; i < program->assumptions.len; i++) {
    clew_text_printf(out, "assumption of label %u\n", program->assumptions.data[i]);
  }
  for (uint32_t i = 0; i < program->properties.len; i++) {
    const struct clew_property *property = &program->properties.data[i];
    clew_text_printf(out, "property %s \"%s\"", clew_property_kind_name(property->kind),
                     property->name);
    if (property->label != CLEW_NONE) {
      clew_text_printf(out, " of %s %u", property->is_statement ? "statement" : "label",
                       property->label);
    }
    put(&dump, "\n");
  }
  for (uint32_t i = 0; i < program->sites.len; i++) {
    const struct clew_site *site = &program->sites.data[i];
    clew_text_printf(out, "site %u at %u:%u: %s\n", i, site->position.line, site->position.column,
                     site->message);
  }
}
