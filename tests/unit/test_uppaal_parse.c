/* The reader of UPPAAL models: XML to text with a map back, both syntaxes to one tree. Trees are
 * compared in a form with all parentheses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "lang/uppaal/uppaal_int.h"

/* ---- Trees as text -------------------------------------------------------------------------- */

static const char *const op_names[] = {
    [UPPAAL_OP_NONE] = "=",        [UPPAAL_OP_NOT] = "!",         [UPPAAL_OP_NEG] = "-",
    [UPPAAL_OP_POS] = "+",         [UPPAAL_OP_OR] = "or",         [UPPAAL_OP_XOR] = "xor",
    [UPPAAL_OP_IMPLY] = "imply",   [UPPAAL_OP_AND] = "and",       [UPPAAL_OP_BIT_OR] = "|",
    [UPPAAL_OP_BIT_XOR] = "^",     [UPPAAL_OP_BIT_AND] = "&",     [UPPAAL_OP_EQ] = "==",
    [UPPAAL_OP_NE] = "!=",         [UPPAAL_OP_LT] = "<",          [UPPAAL_OP_LE] = "<=",
    [UPPAAL_OP_GT] = ">",          [UPPAAL_OP_GE] = ">=",         [UPPAAL_OP_MIN] = "<?",
    [UPPAAL_OP_MAX] = ">?",        [UPPAAL_OP_SHL] = "<<",        [UPPAAL_OP_SHR] = ">>",
    [UPPAAL_OP_ADD] = "+",         [UPPAAL_OP_SUB] = "-",         [UPPAAL_OP_MUL] = "*",
    [UPPAAL_OP_DIV] = "/",         [UPPAAL_OP_MOD] = "%",         [UPPAAL_OP_POWER] = "**",
    [UPPAAL_OP_FORALL] = "forall", [UPPAAL_OP_EXISTS] = "exists", [UPPAAL_OP_SUM] = "sum",
};

static void show(const struct uppaal_expr *e, struct clew_text *out);

static void show_args(const struct uppaal_expr *e, struct clew_text *out) {
  for (uint32_t i = 0; i < e->arg_count; i++) {
    clew_text_printf(out, "%s", i > 0 ? ", " : "");
    if (e->fields != NULL && e->fields[i].name != NULL) {
      clew_text_printf(out, "%s: ", e->fields[i].name->id.text);
    }
    show(e->args[i], out);
  }
}

static void show(const struct uppaal_expr *e, struct clew_text *out) {
  switch (e->kind) {
  case UPPAAL_EXPR_NUMBER:
    clew_text_printf(out, "%lld", (long long)e->number);
    return;
  case UPPAAL_EXPR_BOOLEAN:
    clew_text_printf(out, "%s", e->number != 0 ? "true" : "false");
    return;
  case UPPAAL_EXPR_NAME:
    clew_text_printf(out, "%s", e->ref.name->id.text);
    return;
  case UPPAAL_EXPR_DEADLOCK:
    clew_text_printf(out, "DEADLOCK");
    return;
  case UPPAAL_EXPR_FIELD:
    show(e->a, out);
    clew_text_printf(out, ".%s", e->ref.name->id.text);
    return;
  case UPPAAL_EXPR_INDEX:
    show(e->a, out);
    clew_text_printf(out, "[");
    show(e->b, out);
    clew_text_printf(out, "]");
    return;
  case UPPAAL_EXPR_CALL:
  case UPPAAL_EXPR_LIST:
    if (e->kind == UPPAAL_EXPR_CALL) {
      show(e->a, out);
    }
    clew_text_printf(out, "%s", e->kind == UPPAAL_EXPR_CALL ? "(" : "{");
    show_args(e, out);
    clew_text_printf(out, "%s", e->kind == UPPAAL_EXPR_CALL ? ")" : "}");
    return;
  case UPPAAL_EXPR_RATE:
    show(e->a, out);
    clew_text_printf(out, "'");
    return;
  default:
    break;
  }
  clew_text_printf(out, "(");
  if (e->kind == UPPAAL_EXPR_UNARY || (e->kind == UPPAAL_EXPR_STEP && e->is_prefix)) {
    clew_text_printf(out, "%s%s", op_names[e->op],
                     e->kind == UPPAAL_EXPR_STEP ? op_names[e->op] : "");
    show(e->a, out);
  } else if (e->kind == UPPAAL_EXPR_STEP) {
    show(e->a, out);
    clew_text_printf(out, "%s%s", op_names[e->op], op_names[e->op]);
  } else if (e->kind == UPPAAL_EXPR_QUANTIFY) {
    clew_text_printf(out, "%s %s ", op_names[e->op], e->ref.name->id.text);
    show(e->a, out);
  } else if (e->kind == UPPAAL_EXPR_COND) {
    show(e->a, out);
    clew_text_printf(out, " ? ");
    show(e->b, out);
    clew_text_printf(out, " : ");
    show(e->c, out);
  } else {
    show(e->a, out);
    clew_text_printf(out, " %s%s ", op_names[e->op],
                     e->kind == UPPAAL_EXPR_ASSIGN && e->op != UPPAAL_OP_NONE ? "=" : "");
    show(e->b, out);
  }
  clew_text_printf(out, ")");
}

/* ---- Parsing for tests ---------------------------------------------------------------------- */

struct parsed {
  struct clew_source source;
  struct clew_load_request request;
  struct clew_diag_sink diags;
  struct clew_front front;
  struct uppaal_system system;
};

static void parse_source(struct parsed *p, struct clew_source source) {
  *p = (struct parsed){.source = source};
  p->request.source = &p->source;
  bool old = clew_uppaal_is_old(&p->request);
  clew_front_open(&p->front, &p->request, &clew_uppaal_syntax, &p->diags);
  clew_uppaal_parse(&p->front, old, &p->system);
}

static void parse_text(struct parsed *p, const char *text) {
  parse_source(p, (struct clew_source){"sample.xta", text, strlen(text)});
}

static void close_parsed(struct parsed *p) {
  clew_arena_close(p->front.arena);
  clew_diag_sink_free(&p->diags);
}

static void assert_good(const struct parsed *p) {
  for (uint32_t i = 0; i < p->diags.len; i++) {
    print_message("%u:%u: %s\n", p->diags.data[i].position.line, p->diags.data[i].position.column,
                  p->diags.data[i].message);
  }
  assert_int_equal(p->diags.error_count, 0);
}

static const struct uppaal_decl *find_decl(const struct uppaal_decl *list, const char *name) {
  while (list != NULL && (list->name.name == NULL || strcmp(list->name.name->id.text, name) != 0)) {
    list = list->next;
  }
  assert_non_null(list);
  return list;
}

static void check_expr(const char *expression, const char *expected) {
  struct clew_text text = {0}, shown = {0};
  clew_text_printf(&text, "int v = %s;\nprocess P() { state a; init a; }\nsystem P;\n", expression);
  struct parsed p;
  parse_text(&p, clew_text_str(&text));
  assert_good(&p);
  show(find_decl(p.system.decls, "v")->value, &shown);
  assert_string_equal(clew_text_str(&shown), expected);
  close_parsed(&p);
  clew_text_free(&text);
  clew_text_free(&shown);
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static void test_precedence(void **state) {
  (void)state;
  check_expr("a imply b || c", "((a imply b) or c)");
  check_expr("a or b and c", "(a or (b and c))");
  check_expr("not a == b", "((!a) == b)");
  check_expr("a & 1 == 0", "(a & (1 == 0))");
  check_expr("a | b ^ c & d", "(a | (b ^ (c & d)))");
  check_expr("a + b * c ** d", "(a + (b * (c ** d)))");
  check_expr("a - b - c", "((a - b) - c)");
  check_expr("a <? b + 1 >? c << 2", "((a <? (b + 1)) >? (c << 2))");
  check_expr("x < y == true", "((x < y) == true)");
  check_expr("a ? b : c ? d : e", "(a ? b : (c ? d : e))");
  check_expr("a = b += c", "(a = (b += c))");
  check_expr("a := 3", "(a = 3)");
  check_expr("-x++ + --y", "((-(x++)) + (--y))");
  check_expr("forall (i : int[0,3]) a[i] && b", "(forall i (a[i] and b))");
  check_expr("1 + sum (i : id_t) s.f[i](2, x).g", "(1 + (sum i s.f[i](2, x).g))");
  check_expr("(x - y <= 3) && x' == 0", "(((x - y) <= 3) and (x' == 0))");
  check_expr("{1, {true, false}}", "{1, {true, false}}");
  check_expr("{a: 1, b: {2}}", "{a: 1, b: {2}}");
  check_expr("progress + gantt + exit + default", "(((progress + gantt) + exit) + default)");
}

/* ---- Whole models --------------------------------------------------------------------------- */

static const char model[] =
    "const int N = 3, M[2] = {1, 2};\n"
    "typedef int[0, N-1] id_t, pair_t[2];\n"
    "typedef struct { int a; bool b[2]; } rec_t;\n"
    "clock x, y[id_t]; urgent broadcast chan go, c[N][2]; meta int t; chan priority go < default < "
    "c[0][1];\n"
    "rec_t r = {1, {true, false}}; int z[int[0,2]];\n"
    "int f(int a, int &b, const id_t c[N]) { int i = 0; for (i = 0; i < N; i++) { b += a; } for (j "
    ": id_t)\n"
    "  if (j > 1) return j; else while (true, b) b--; do { ; } while (b < 3); return 0; }\n"
    "void g() { assert x == 1; }\n"
    "process P(const id_t id, clock &cl) {\n"
    "  int local; void h() { local++; }\n"
    "  state a {x <= 3 && x' == 0; 2}, b, d; branchpoint m; commit b; urgent d; init a;\n"
    "  trans a -> b { select i : id_t, k : int[0,i]; guard x > 2; sync c[i][f(1)]!; assign x = 0, "
    "h(); },\n"
    "        -> d { sync go?; }, d -> m { }, m -> a { probability 3; }, b -u-> a { };\n"
    "}\n"
    "int between;\n"
    "Q(const id_t i) = P(i, x); R = Q(1);\n"
    "system Q, R < P;\n"
    "progress { x; } gantt { G: true -> 1; }\n";

static void test_model(void **state) {
  (void)state;
  struct parsed p;
  parse_text(&p, model);
  assert_good(&p);
  assert_false(p.system.is_old);
  const struct uppaal_decl *decls = p.system.decls, *f = find_decl(decls, "f");
  assert_int_equal(find_decl(decls, "pair_t")->kind, UPPAAL_DECL_TYPEDEF);
  assert_int_equal(find_decl(decls, "pair_t")->dimension_count, 1);
  assert_non_null(find_decl(decls, "z")->dimensions[0].type);
  assert_int_equal(find_decl(decls, "c")->dimension_count, 2);
  assert_true(find_decl(decls, "c")->type->is_broadcast && find_decl(decls, "go")->type->is_urgent);
  assert_int_equal(f->kind, UPPAAL_DECL_FUNCTION);
  assert_false(f->params->is_reference);
  assert_true(f->params->next->is_reference);
  assert_non_null(f->body->decls);
  assert_int_equal(f->body->body->kind, UPPAAL_STMT_FOR);
  assert_int_equal(f->body->body->next->kind, UPPAAL_STMT_EACH);
  const struct uppaal_stmt *branch = f->body->body->next->body;
  assert_int_equal(branch->kind, UPPAAL_STMT_IF);
  assert_int_equal(branch->otherwise->values.count, 2);
  assert_int_equal(f->body->body->next->next->kind, UPPAAL_STMT_DO);
  const struct uppaal_decl *q = find_decl(decls, "Q"), *template = find_decl(decls, "P");
  assert_int_equal(q->kind, UPPAAL_DECL_INSTANCE);
  assert_string_equal(q->template.name->id.text, "P");
  assert_int_equal(q->args.count, 2);
  assert_non_null(find_decl(template->decls, "h"));
  const struct uppaal_location *a = template->process->locations, *m = a->next->next->next;
  assert_int_equal(a->invariant.count, 1);
  assert_int_equal(a->rate.count, 1);
  assert_true(a->next->is_committed && a->next->next->is_urgent && m->is_branchpoint);
  const struct uppaal_edge *edge = template->process->edges;
  assert_non_null(edge->selections->next);
  assert_true(edge->sends);
  assert_int_equal(edge->update.count, 2);
  assert_string_equal(edge->next->source.name->id.text, "a");
  assert_false(edge->next->sends);
  assert_int_equal(p.system.processes->count, 2);
  assert_non_null(p.system.processes->next);
  close_parsed(&p);
}

static void test_old_syntax(void **state) {
  (void)state;
  struct parsed p;
  parse_text(&p,
             "const N 5, M 6; const a[2] {1, 2}; int[0,9] select := 3; clock x; chan c;\n"
             "process P(const id, k; int v, w; clock t) { state s {t =< 3, x <= N}, for; init s;\n"
             "trans s -> for { guard t => 2, v == id; sync c!; assign t := 0; }; }\n"
             "P1 := P(1, 2, select, select, x);\nsystem P1;\n");
  assert_good(&p);
  assert_true(p.system.is_old);
  const struct uppaal_decl *n = find_decl(p.system.decls, "N"),
                           *template = find_decl(p.system.decls, "P");
  assert_true(n->type->is_const);
  assert_int_equal(n->value->number, 5);
  assert_int_equal(find_decl(p.system.decls, "a")->value->arg_count, 2);
  assert_false(find_decl(template->params, "k")->is_reference);
  assert_true(find_decl(template->params, "w")->is_reference);
  assert_true(find_decl(template->params, "t")->is_reference);
  assert_int_equal(template->process->locations->invariant.count, 2);
  assert_int_equal(template->process->edges->guard.count, 2);
  assert_int_equal(template->process->edges->guard.data[0]->op, UPPAAL_OP_GE);
  close_parsed(&p);
}

/* ---- Errors --------------------------------------------------------------------------------- */

static void check_error(const char *text, uint32_t line, const char *message) {
  struct parsed p;
  parse_text(&p, text);
  assert_int_equal(p.diags.error_count, 1);
  assert_non_null(strstr(p.diags.data[0].message, message));
  assert_int_equal(p.diags.data[0].position.line, line);
  close_parsed(&p);
}

static void test_errors(void **state) {
  (void)state;
  check_error("int x\nint y;\nsystem P;", 1, "expected ';'");
  check_error("int[0] x;\nsystem P;", 1, "expected ','");
  check_error("process P() { state a; }\nsystem P;", 1, "no initial location");
  check_error("process P() { state a, a; init a; }\nsystem P;", 1, "two locations 'a'");
  check_error("process P() { state a; commit b; init a; }\nsystem P;", 1, "no location 'b'");
  check_error("chan c;\nprocess P() { state a; init a; trans a -> a { sync c; }; }\nsystem P;", 2,
              "sends ('!') or receives ('?')");
  check_error("dynamic P();\nsystem P;", 1, "dynamic templates are not supported");
  check_error("int x = 1.5;\nsystem P;", 1, "fraction");
  check_error("int x = 3000000000;\nsystem P;", 1, "too large");
  check_error("int x;\n", 2, "expected 'system'");
  check_error("process P() { state a; init a; }\nsystem P;\nint x;", 3, "expected the end");
}

static void test_nesting(void **state) {
  (void)state;
  struct clew_text text = {0};
  clew_text_printf(&text, "int v = ");
  for (uint32_t i = 0; i < 100000; i++) {
    clew_text_printf(&text, "(");
  }
  struct parsed p;
  parse_text(&p, clew_text_str(&text));
  assert_int_equal(p.diags.error_count, 1);
  assert_non_null(strstr(p.diags.data[0].message, "nested too deeply"));
  close_parsed(&p);
  clew_text_free(&text);
}

/* ---- XML ------------------------------------------------------------------------------------ */

static const char xml_model[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' "
    "'http://example.org/flat.dtd'>\n"
    "<nta><declaration>clock x; chan go; // all\n</declaration>\n"
    "<template><name x=\"1\">P</name><parameter>const int k</parameter><declaration>int "
    "v;</declaration>\n"
    "<location id=\"id0\"><name>start</name><label kind=\"invariant\">x &lt;= "
    "k</label></location>\n"
    "<location id=\"id1\"><committed/></location><branchpoint id=\"id2\"/>\n"
    "<init ref=\"id0\"/>\n"
    "<transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\">x &gt;= 2 // "
    "late</label>\n"
    "<label kind=\"synchronisation\">go!</label><label kind=\"assignment\"> /* nothing */ "
    "</label>\n"
    "<label kind=\"comments\">hello</label><nail x=\"1\"/></transition>\n"
    "<transition><source ref=\"id1\"/><target ref=\"id2\"/></transition>\n"
    "<transition><source ref=\"id2\"/><target ref=\"id0\"/><label "
    "kind=\"probability\">1</label></transition>\n"
    "</template>\n"
    "<lsc><name>L</name><instance id=\"i\"/></lsc>\n"
    "<system>A = P(3);\nsystem A;</system>\n"
    "<queries><query><formula>E&lt;&gt; A.start</formula><comment>why</comment></query>\n"
    "<query><formula></formula></query></queries></nta>\n";

static void test_xml(void **state) {
  (void)state;
  struct clew_source file = {"sample.xml", xml_model, strlen(xml_model)};
  struct clew_diag_sink diags = {0};
  struct clew_arena *arena = clew_arena_open();
  struct uppaal_xml xml;
  assert_true(clew_uppaal_read_xml(&file, arena, &diags, &xml));
  assert_true(xml.has_lsc);
  assert_int_equal(xml.query_count, 2);
  assert_string_equal(xml.queries[0].formula, "E<> A.start");
  assert_string_equal(xml.queries[0].comment, "why");
  assert_memory_equal(xml_model + xml.queries[0].from, "E&lt;", 5);
  struct parsed p;
  parse_source(&p, xml.text);
  assert_good(&p);
  const struct uppaal_decl *template = find_decl(p.system.decls, "P");
  const struct uppaal_process *process = template->process;
  assert_string_equal(process->init.name->id.text, "start");
  assert_string_equal(process->locations->next->name.name->id.text, "_id1");
  assert_true(process->locations->next->is_committed);
  assert_true(process->locations->next->next->is_branchpoint);
  assert_int_equal(process->edges->guard.count, 1);
  assert_int_equal(process->edges->update.count, 0);
  assert_int_equal(process->edges->next->next->weight.count, 1);
  /* The bound of the guard, 2, where it stands in the file. */
  struct clew_span span = process->edges->guard.data[0]->b->span;
  uint32_t from = clew_uppaal_xml_origin(&xml, span.offset);
  assert_memory_equal(xml_model + from, "2 // late", 9);
  close_parsed(&p);
  clew_arena_close(arena);
  clew_diag_sink_free(&diags);
}

static void check_xml_error(const char *text, const char *message) {
  struct clew_source file = {"sample.xml", text, strlen(text)};
  struct clew_diag_sink diags = {0};
  struct clew_arena *arena = clew_arena_open();
  struct uppaal_xml xml;
  assert_false(clew_uppaal_read_xml(&file, arena, &diags, &xml));
  assert_int_equal(diags.error_count, 1);
  assert_non_null(strstr(diags.data[0].message, message));
  clew_arena_close(arena);
  clew_diag_sink_free(&diags);
}

static void test_bad_xml(void **state) {
  (void)state;
  check_xml_error("", "no element found");
  check_xml_error("<nta><declaration></nta>", "mismatched tag");
  check_xml_error("<html></html>", "neither <nta> nor <project>");
  check_xml_error("<nta><template><name>T</name><location id=\"a\"/></template></nta>",
                  "'T' has no initial location");
  check_xml_error("<nta><template><name>T</name><location id=\"a\"/><location id=\"a\"/>"
                  "<init ref=\"a\"/></template></nta>",
                  "the same id");
  check_xml_error(
      "<nta><template><name>T</name><location id=\"a\"/><init ref=\"a\"/>"
      "<transition><source ref=\"a\"/><target ref=\"b\"/></transition></template></nta>",
      "leads to no location");
  check_xml_error("<!DOCTYPE nta [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><nta>&b;</nta>",
                  "must not declare entities");
  check_xml_error("<!DOCTYPE nta [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><nta>&a;</nta>",
                  "must not declare entities");
  struct clew_text deep = {0};
  clew_text_printf(&deep, "<nta>");
  for (uint32_t i = 0; i < 1000; i++) {
    clew_text_printf(&deep, "<a>");
  }
  check_xml_error(clew_text_str(&deep), "nested too deeply");
  clew_text_free(&deep);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_precedence), cmocka_unit_test(test_model),
      cmocka_unit_test(test_old_syntax), cmocka_unit_test(test_errors),
      cmocka_unit_test(test_nesting),    cmocka_unit_test(test_xml),
      cmocka_unit_test(test_bad_xml),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
