/* The library of CPN ML: types, operators, numbers, texts. Lists and multisets are in lib_list.c.
 *
 * Integers have 31 bits, as in CPN Tools; whatever leaves them raises Overflow. Names that exist in
 * CPN Tools but have no place in an untimed, deterministic net are there, too, and say why they
 * cannot be used. */
#include <assert.h>
#include <string.h>

#include "lang/cpn/ml.h"

#define ARGS struct cpn_ctx *ctx, const struct cpn_value *const *args, const void *data

static const int64_t LEAST = -(INT64_C(1) << 30), MOST = (INT64_C(1) << 30) - 1;

static const struct cpn_value *give_int(struct cpn_ctx *ctx, int64_t number) {
  if (number < LEAST || number > MOST) {
    return cpn_raise(ctx, "Overflow");
  }
  return cpn_value_int(ctx->arena, number);
}

static const struct cpn_value *give_bool(struct cpn_ctx *ctx, bool is_true) {
  return is_true ? ctx->ml->true_value : ctx->ml->false_value;
}

static const struct cpn_value *give_real(struct cpn_ctx *ctx, double real) {
  struct cpn_value *value = cpn_value_int(ctx->arena, 0);
  value->kind = CPN_V_REAL;
  value->real = real;
  return value;
}

/* ---- operators ---- */

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

static const struct cpn_value *arithmetic(ARGS) {
  const struct cpn_value *a = args[0]->parts[0], *b = args[0]->parts[1];
  char op = *(const char *)data;
  if (a->kind == CPN_V_REAL) {
    return give_real(ctx, op == '+'   ? a->real + b->real
                          : op == '-' ? a->real - b->real
                          : op == '*' ? a->real * b->real
                                      : a->real / b->real);
  }
  if ((op == 'd' || op == 'm') && b->number == 0) {
    return cpn_raise(ctx, "Div");
  }
  switch (op) {
  case '+':
    return give_int(ctx, a->number + b->number);
  case '-':
    return give_int(ctx, a->number - b->number);
  case '*':
    return give_int(ctx, a->number * b->number);
  case 'd':
    return give_int(ctx, floor_div(a->number, b->number));
  case 'm':
    return give_int(ctx, a->number - floor_div(a->number, b->number) * b->number);
  case '<':
    return a->number < b->number ? a : b; /* Int.min */
  default:
    return a->number > b->number ? a : b; /* Int.max */
  }
}

static const struct cpn_value *negate(ARGS) {
  const struct cpn_value *a = args[0];
  bool is_abs = data != NULL;
  if (a->kind == CPN_V_REAL) {
    return give_real(ctx, is_abs && a->real > 0 ? a->real : -a->real);
  }
  return give_int(ctx, is_abs && a->number > 0 ? a->number : -a->number);
}

static const struct cpn_value *compare(ARGS) {
  int order = cpn_value_compare(args[0]->parts[0], args[0]->parts[1]);
  switch (*(const char *)data) {
  case '=':
    return give_bool(ctx, order == 0);
  case '!':
    return give_bool(ctx, order != 0);
  case '<':
    return give_bool(ctx, order < 0);
  case '>':
    return give_bool(ctx, order > 0);
  case 'l':
    return give_bool(ctx, order <= 0);
  default:
    return give_bool(ctx, order >= 0);
  }
}

static const struct cpn_value *negation(ARGS) {
  (void)data;
  return give_bool(ctx, !cpn_is_true(ctx->ml, args[0]));
}

static const struct cpn_value *ignore(ARGS) {
  (void)args, (void)data;
  return ctx->ml->unit_value;
}

static const struct cpn_value *compose(ARGS) {
  (void)data;
  const struct cpn_value *inner = cpn_apply(ctx, args[0]->parts[1], args[1]);
  return inner != NULL ? cpn_apply(ctx, args[0]->parts[0], inner) : NULL;
}

/* ---- texts ---- */

static const struct cpn_value *join(ARGS) {
  (void)data;
  struct clew_text text = {0};
  clew_text_put_n(&text, args[0]->parts[0]->string, args[0]->parts[0]->count);
  clew_text_put_n(&text, args[0]->parts[1]->string, args[0]->parts[1]->count);
  const struct cpn_value *value = cpn_value_string(ctx->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return value;
}

/* concat, implode: a list of texts or characters. */
static const struct cpn_value *join_all(ARGS) {
  (void)data;
  struct clew_text text = {0};
  for (const struct cpn_value *at = args[0]; at->kind == CPN_V_CONS; at = at->tail) {
    clew_text_put_n(&text, at->head->string, at->head->count);
    if (text.len > CPN_MOST_BYTES) {
      ctx->failure = CPN_HUGE;
      break;
    }
  }
  const struct cpn_value *value = cpn_value_string(ctx->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return value;
}

static const struct cpn_value *explode(ARGS) {
  (void)data;
  const struct cpn_value *list = ctx->ml->nil_value;
  for (uint32_t i = args[0]->count; i-- > 0;) {
    list = cpn_value_cons(ctx->arena, cpn_value_string(ctx->arena, args[0]->string + i, 1), list);
  }
  return list;
}

static const struct cpn_value *text_length(ARGS) {
  (void)data;
  return give_int(ctx, args[0]->count);
}

static const struct cpn_value *substring(ARGS) {
  (void)data;
  const struct cpn_value *text = args[0]->parts[0];
  int64_t from = args[0]->parts[1]->number, length = args[0]->parts[2]->number;
  if (from < 0 || length < 0 || from + length > text->count) {
    return cpn_raise(ctx, "Subscript");
  }
  return cpn_value_string(ctx->arena, text->string + from, (size_t)length);
}

static const struct cpn_value *char_code(ARGS) {
  (void)data;
  return give_int(ctx, (unsigned char)args[0]->string[0]);
}

static const struct cpn_value *char_of(ARGS) {
  (void)data;
  char c = (char)args[0]->number;
  if (args[0]->number < 0 || args[0]->number > 255) {
    return cpn_raise(ctx, "Chr");
  }
  return cpn_value_string(ctx->arena, &c, 1);
}

static const struct cpn_value *same(ARGS) {
  (void)ctx, (void)data;
  return args[0];
}

/* Int.toString, Bool.toString. */
static const struct cpn_value *show(ARGS) {
  (void)data;
  struct clew_text text = {0};
  cpn_value_print(args[0], &text);
  const struct cpn_value *value = cpn_value_string(ctx->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return value;
}

static const struct cpn_lib_entry ENTRIES[] = {
    {"+", "'N * 'N -> 'N", arithmetic, 1, "+"},
    {"-", "'N * 'N -> 'N", arithmetic, 1, "-"},
    {"*", "'N * 'N -> 'N", arithmetic, 1, "*"},
    {"/", "real * real -> real", arithmetic, 1, "/"},
    {"div", "int * int -> int", arithmetic, 1, "d"},
    {"mod", "int * int -> int", arithmetic, 1, "m"},
    {"Int.min", "int * int -> int", arithmetic, 1, "<"},
    {"Int.max", "int * int -> int", arithmetic, 1, ">"},
    {"~", "'N -> 'N", negate, 1, NULL},
    {"abs", "'N -> 'N", negate, 1, "abs"},
    {"Int.abs", "int -> int", negate, 1, "abs"},
    {"=", "'a * 'a -> bool", compare, 1, "="},
    {"<>", "'a * 'a -> bool", compare, 1, "!"},
    {"<", "'O * 'O -> bool", compare, 1, "<"},
    {">", "'O * 'O -> bool", compare, 1, ">"},
    {"<=", "'O * 'O -> bool", compare, 1, "l"},
    {">=", "'O * 'O -> bool", compare, 1, "g"},
    {"not", "bool -> bool", negation, 1, NULL},
    {"ignore", "'a -> unit", ignore, 1, NULL},
    {"o", "('a -> 'b) * ('c -> 'a) -> 'c -> 'b", compose, 2, NULL},
    {"^", "string * string -> string", join, 1, NULL},
    {"concat", "string list -> string", join_all, 1, NULL},
    {"String.concat", "string list -> string", join_all, 1, NULL},
    {"implode", "char list -> string", join_all, 1, NULL},
    {"String.implode", "char list -> string", join_all, 1, NULL},
    {"explode", "string -> char list", explode, 1, NULL},
    {"String.explode", "string -> char list", explode, 1, NULL},
    {"String.size", "string -> int", text_length, 1, NULL},
    {"substring", "string * int * int -> string", substring, 1, NULL},
    {"String.substring", "string * int * int -> string", substring, 1, NULL},
    {"ord", "char -> int", char_code, 1, NULL},
    {"Char.ord", "char -> int", char_code, 1, NULL},
    {"chr", "int -> char", char_of, 1, NULL},
    {"Char.chr", "int -> char", char_of, 1, NULL},
    {"str", "char -> string", same, 1, NULL},
    {"Int.toString", "int -> string", show, 1, NULL},
    {"Bool.toString", "bool -> string", show, 1, NULL},
};

/* ---- adding ---- */

struct cpn_global *cpn_add_global(struct cpn_ml *ml, struct cpn_name *name,
                                  const struct cpn_type *type, const struct cpn_value *value) {
  struct cpn_global *global = CLEW_NEW(ml->arena, struct cpn_global);
  *global = (struct cpn_global){.type = type, .value = value};
  name->global = global;
  return global;
}

struct cpn_con *cpn_add_con(struct cpn_ml *ml, struct cpn_name *name, const struct cpn_type *result,
                            const struct cpn_type *arg, uint32_t ordinal) {
  struct cpn_con *con = CLEW_NEW(ml->arena, struct cpn_con);
  *con = (struct cpn_con){
      .name = name->base.text, .ordinal = ordinal, .has_arg = arg != NULL, .type = result};
  const struct cpn_value *value;
  if (arg == NULL) {
    value = cpn_value_con(ml->arena, con, NULL);
  } else {
    struct cpn_value *fn = CLEW_NEW(ml->arena, struct cpn_value);
    struct cpn_fn *code = CLEW_NEW(ml->arena, struct cpn_fn);
    code->con = con;
    code->arity = 1;
    fn->kind = CPN_V_FN;
    fn->fn = code;
    value = fn;
  }
  struct cpn_global *global =
      cpn_add_global(ml, name, arg != NULL ? cpn_type_arrow(ml, arg, result) : result, value);
  global->con = con;
  return con;
}

static struct cpn_name *named(struct cpn_ml *ml, const char *text) {
  return cpn_name(ml, text, strlen(text));
}

/* 'N is a number, 'O has an order. */
static void set_overloads(struct cpn_type *type) {
  type->over = 0;
  if (type->kind == CPN_T_GENERIC) {
    type->over = type->level == 3   ? CPN_OVER_INT | CPN_OVER_REAL | CPN_OVER_TIME
                 : type->level == 4 ? CPN_OVER_INT | CPN_OVER_REAL | CPN_OVER_STRING |
                                          CPN_OVER_CHAR | CPN_OVER_TIME
                                    : 0;
  }
  for (uint32_t i = 0; i < type->count; i++) {
    if (type->parts[i]->kind != CPN_T_CON || type->parts[i]->count > 0) {
      set_overloads(type->parts[i]);
    }
  }
}

static struct cpn_type *read_type(struct cpn_ml *ml, const char *text) {
  struct cpn_text source = {{.name = "library", .text = text, .length = strlen(text)}};
  struct cpn_reader reader = {.ml = ml, .text = &source};
  struct cpn_name *vars[] = {named(ml, "'a"), named(ml, "'b"), named(ml, "'c"), named(ml, "'N"),
                             named(ml, "'O")};
  struct cpn_type *type = cpn_read_type(&reader, cpn_parse_type(&reader), vars, 5);
  assert(type != NULL);
  set_overloads(type);
  return type;
}

void cpn_lib_add(struct cpn_ml *ml, const struct cpn_lib_entry *entry) {
  struct cpn_value *value = CLEW_NEW(ml->arena, struct cpn_value);
  struct cpn_fn *fn = CLEW_NEW(ml->arena, struct cpn_fn);
  *fn = (struct cpn_fn){.builtin = entry->builtin, .data = entry->data, .arity = entry->arity};
  value->kind = CPN_V_FN;
  value->fn = fn;
  (void)cpn_add_global(ml, named(ml, entry->name), read_type(ml, entry->type), value);
}

static struct cpn_type *add_type(struct cpn_ml *ml, const char *name, unsigned over,
                                 const struct cpn_tycon **out) {
  struct cpn_tycon *con = CLEW_NEW(ml->arena, struct cpn_tycon);
  *con = (struct cpn_tycon){.name = name, .over = over};
  struct cpn_type *type = cpn_type_con(ml, con, NULL);
  named(ml, name)->type = type;
  if (out != NULL) {
    *out = con;
  }
  return type;
}

static const struct cpn_tycon *add_type_fn(struct cpn_ml *ml, const char *name) {
  struct cpn_tycon *con = CLEW_NEW(ml->arena, struct cpn_tycon);
  struct cpn_type_fn *fn = CLEW_NEW(ml->arena, struct cpn_type_fn);
  *con = (struct cpn_tycon){.name = name, .arity = 1};
  *fn = (struct cpn_type_fn){.arity = 1, .con = con};
  named(ml, name)->type_fn = fn;
  return con;
}

static void add_types(struct cpn_ml *ml) {
  ml->int_type = add_type(ml, "int", CPN_OVER_INT, &ml->int_);
  ml->real_type = add_type(ml, "real", CPN_OVER_REAL, &ml->real);
  ml->string_type = add_type(ml, "string", CPN_OVER_STRING, &ml->string);
  ml->char_type = add_type(ml, "char", CPN_OVER_CHAR, &ml->char_);
  ml->time_type = add_type(ml, "time", CPN_OVER_TIME, &ml->time);
  ml->exn_type = add_type(ml, "exn", 0, &ml->exn);
  ml->bool_type = add_type(ml, "bool", 0, NULL);
  ml->list = add_type_fn(ml, "list");
  named(ml, "ms")->type_fn = named(ml, "list")->type_fn; /* a multiset is a list */
  ml->unit_type = cpn_type_tuple(ml, NULL, 0);
  named(ml, "unit")->type = ml->unit_type;
  ml->unit_value = cpn_value_tuple(ml->arena, 0);
  ml->false_ = cpn_add_con(ml, named(ml, "false"), ml->bool_type, NULL, 0);
  ml->true_ = cpn_add_con(ml, named(ml, "true"), ml->bool_type, NULL, 1);
  ml->false_value = named(ml, "false")->global->value;
  ml->true_value = named(ml, "true")->global->value;
}

static const struct cpn_value *cons(ARGS) {
  (void)data;
  return cpn_value_cons(ctx->arena, args[0]->parts[0], args[0]->parts[1]);
}

/* nil and :: are constructors with values of their own kinds. */
static void add_lists(struct cpn_ml *ml) {
  struct cpn_type *element = CLEW_NEW(ml->arena, struct cpn_type);
  element->kind = CPN_T_GENERIC;
  struct cpn_type *list = cpn_type_list(ml, element);
  struct cpn_value *nil = CLEW_NEW(ml->arena, struct cpn_value);
  nil->kind = CPN_V_NIL;
  ml->nil_value = nil;
  ml->nil_name = named(ml, "nil");
  ml->cons_name = named(ml, "::");
  (void)cpn_add_con(ml, ml->nil_name, list, NULL, 0);
  ml->nil_name->global->value = nil;
  (void)cpn_add_global(ml, named(ml, "empty"), list, nil);
  static const struct cpn_lib_entry entry = {"::", "'a * 'a list -> 'a list", cons, 1, NULL};
  cpn_lib_add(ml, &entry);
  struct cpn_con *con = CLEW_NEW(ml->arena, struct cpn_con);
  *con = (struct cpn_con){.name = "::", .ordinal = 1, .has_arg = true, .type = list};
  ml->cons_name->global->con = con;
  const struct cpn_tycon *option = add_type_fn(ml, "option");
  struct cpn_type *maybe = cpn_type_con(ml, option, element);
  (void)cpn_add_con(ml, named(ml, "NONE"), maybe, NULL, 0);
  (void)cpn_add_con(ml, named(ml, "SOME"), maybe, element, 1);
}

static void add_exceptions(struct cpn_ml *ml) {
  static const char *const names[] = {"Empty",    "Subscript", "Match", "Bind", "Div",   "Subtract",
                                      "Overflow", "Domain",    "Chr",   "Size", "Option"};
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    (void)cpn_add_con(ml, named(ml, names[i]), ml->exn_type, NULL, i);
  }
  struct cpn_name *fail = named(ml, "Fail");
  (void)cpn_add_con(ml, fail, ml->exn_type, ml->string_type, 50);
}

static void add_operators(struct cpn_ml *ml) {
  static const struct {
    const char *names;
    uint8_t precedence;
    bool is_right;
  } table[] = {{"@", 9, false},
               {"`", 8, false},
               {"* / div mod ** // % @+ @++", 7, false},
               {"+ - ^ ++ --", 6, false},
               {":: ^^", 5, true},
               {"= <> < > <= >=", 4, false},
               {"== >>= <<= >> << <><> := o", 3, false},
               {"before", 0, false}};
  for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const char *at = table[i].names;
    while (*at != '\0') {
      size_t length = strcspn(at, " ");
      struct cpn_name *name = cpn_name(ml, at, length);
      name->infix = (uint8_t)(table[i].precedence + 1);
      name->infix_right = table[i].is_right;
      at += length + (at[length] == ' ' ? 1 : 0);
    }
  }
}

static void add_refused(struct cpn_ml *ml) {
  static const struct {
    const char *names, *why;
  } table[] = {
      {"uniform discrete exponential normal bernoulli binomial chisq erlang poisson student rint "
       "gamma beta weibull",
       "random functions are not supported"},
      {"! := ref inc dec", "reference variables are not supported"},
      {"time intTime ModelTime.time ModelTime.toString @ @+ @++ cpntime modelTime",
       "time is not supported"},
      {"print TextIO.output TextIO.openIn TextIO.openOut TextIO.closeOut TextIO.stdOut use "
       "OS.Process.system",
       "input and output are not supported"},
      {"floor ceil round trunc Real.fromInt real Real.toString sqrt Math.sqrt",
       "real numbers are not supported"},
  };
  for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const char *at = table[i].names;
    while (*at != '\0') {
      size_t length = strcspn(at, " ");
      cpn_add_global(ml, cpn_name(ml, at, length), ml->unit_type, NULL)->broken = table[i].why;
      at += length + (at[length] == ' ' ? 1 : 0);
    }
  }
}

void cpn_lib_open(struct cpn_ml *ml) {
  add_types(ml);
  add_lists(ml);
  add_exceptions(ml);
  add_operators(ml);
  add_refused(ml);
  for (uint32_t i = 0; i < sizeof ENTRIES / sizeof ENTRIES[0]; i++) {
    cpn_lib_add(ml, &ENTRIES[i]);
  }
  cpn_lib_lists(ml);
}
