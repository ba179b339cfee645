/* Constructs of UPPAAL's language that test_uppaal_meaning.c leaves out, among them documents in
 * XML and the syntax of 3.x: all queries are true, by hand. */
#include "unit/uppaal_ask.h"

static const struct sample samples[] = {
    /* Words. */
    {"int a#b = 2; process P(){ state s,t; init s; trans s->t{ }; } system P;", "A[] a#b == 2",
     TRUE, true},
    {"int exp, log, X, spawn, dynamic, hybrid, U, W, R, M, A, E, sup, inf, bounds, simulation, "
     "control, Pr; process P(){ state s,t; init s; trans s->t{ assign exp = 1, log = 2, X = 3, A = "
     "4, E = A, sup = 5, inf = sup; }; } system P;",
     "A[] P.t imply exp == 1 && log == 2 && X == 3 && A == 4 && E == 4 && inf == 5", TRUE, true},
    {"process P(){ state s,t; init s; trans s -u-> t{ }; } system P;", "E<> P.t", TRUE, true},
    {"int v = INT16_MAX, w = INT8_MIN; int32_t u = INT32_MIN; uint8_t z = UINT8_MAX; process P(){ "
     "state s,t; init s; trans s->t{ }; } system P;",
     "A[] v == 32767 && w == -128 && u == -2147483648 && z == 255", TRUE, true},
    /* Types. */
    {"broadcast urgent chan a; urgent broadcast chan b; typedef chan cc; cc d; typedef chan "
     "arr[2]; arr e; process P(){ state s,t,u; init s; trans s->t{ sync d!; }, t->u{ sync e[1]!; "
     "}; } process Q(){ state s; init s; trans s->s{ sync d?; }, s->s{ sync e[1]?; }; } system "
     "P,Q;",
     "E<> P.u", TRUE, true},
    {"clock x = 3, y; process P(){ state s,t; init s; trans s->t{ }; } system P;", "A[] x - y == 3",
     TRUE, false},
    {"const int N = 3; typedef int[0,N-1] id; typedef id pair[2]; pair p = {1,2}; process P(){ "
     "state s,t; init s; trans s->t{ }; } system P;",
     "A[] p[0] == 1 && p[1] == 2", TRUE, true},
    {"typedef int[2,4] t; int a[t][2] = {{1,2},{3,4},{5,6}}; process P(){ state s,t; init s; trans "
     "s->t{ }; } system P;",
     "A[] a[3][1] == 4", TRUE, true},
    {"struct { int a; bool b[2]; } s1 = { 1, {true,false} }, s2 = { b: {true,false}, a: 1 }; "
     "process P(){ state s,t; init s; trans s->t{ guard s1 == s2; }; } system P;",
     "E<> P.t", TRUE, true},
    {"typedef scalar[3] sc; int v[sc]; process P(const sc me){ state s,t; init s; trans s->t{ "
     "assign v[me] = 1; }; } system P;",
     "A[] forall (i : sc) P(i).t imply v[i] == 1", TRUE, true},
    {"int v; process P(){ state s,t; init s; trans s->t{ }; } system P; progress { v; } gantt { "
     "G(i : int[0,2]) : v > i -> 1, v < 0 -> 2; }",
     "A[] v == 0", TRUE, true},
    /* Functions. */
    {"void swap(int &a, int &b) { int t = a; a = b; b = t; } int u=1,v=2; process P(){ state s,t; "
     "init s; trans s->t{ assign swap(u,v); }; } system P;",
     "A[] P.t imply u == 2 && v == 1", TRUE, true},
    {"typedef struct { int a[2]; } S; void inc(S &s, int i) { s.a[i]++; } S g; process P(){ state "
     "s,t; init s; trans s->t{ assign inc(g,1); }; } system P;",
     "A[] P.t imply g.a[1] == 1", TRUE, true},
    {"int f() { int s = 0; int i = 0; do { s += i; i++; } while (i < 4, i < 3); return s; } int r; "
     "process P(){ state s,t; init s; trans s->t{ assign r = f(); }; } system P;",
     "A[] P.t imply r == 3", TRUE, true},
    /* Templates. */
    {"process T(const int a, int &b){ state s,t; init s; trans s->t{ assign b = a; }; } int v; "
     "P(const int[1,2] i) = T(i, v); system P;",
     "E<> v == 1 && P(2).t", TRUE, true},
    {"process T(const int[0,1] a, const int[0,2] b){ state s; init s; } A1(const int[0,2] k) = "
     "T(1, k); B1 = A1(2); system B1;",
     "A[] B1.a == 1 && B1.b == 2", TRUE, true},
    {"process T(clock &c, chan &d){ state s {c <= 2},t; init s; trans s->t{ sync d!; assign c = 0; "
     "}; } clock x[2]; chan k[2]; process Q(){ state s; init s; trans s->s{ sync k[1]?; }; } P = "
     "T(x[1], k[1]); system P, Q;",
     "E<> P.t && x[1] == 0 && x[0] == 2", TRUE, true},
    /* Locations and edges. */
    {"process P(){ state s {; 3 }, t; init s; trans s->t{ probability 3; }; } system P;", "E<> P.t",
     TRUE, true},
    {"process P(){ state a,b,c; init a; trans a -> b { }, -> c { }; } system P;", "E<> P.c", TRUE,
     true},
    {"bool ok(int a) { return a < 2; } int v; process P(){ state s {ok(v)}; init s; trans s->s{ "
     "assign v++; }; } system P;",
     "A[] v <= 1", TRUE, true},
    {"clock x; int e = 4; process P(){ state s,t; init s; trans s->t{ guard e >= x && x - 1 >= 2; "
     "}; } system P;",
     "A[] P.t imply x >= 3", TRUE, true},
    {"clock x,y; process P(){ state s,u,t; init s; trans s->u{ guard x == 1; assign x = 0; }, "
     "u->t{ guard x < y && y - x == 1; }; } system P;",
     "E<> P.t", TRUE, false},
    {"clock x,y; process P(){ state s,u,t; init s; trans s->u{ guard x == 1; assign x = 0; }, "
     "u->t{ guard x < y && y - x == 2; }; } system P;",
     "A[] not P.t", TRUE, false},
    {"clock x; bool b; process P(){ state s,t; init s; trans s->t{ guard b ? x >= 1 : x >= 2; }; } "
     "system P;",
     "A[] P.t imply x >= 2", TRUE, true},
    {"clock x[3]; process P(){ state s,t; init s; trans s->t{ guard forall (i : int[0,2]) x[i] >= "
     "i; }; } system P;",
     "A[] P.t imply x[2] >= 2", TRUE, true},
    {"clock x[3]; process P(){ state s,t; init s; trans s->t{ guard exists (i : int[0,2]) x[i] >= "
     "i + 3; }; } system P;",
     "E<> P.t && x[0] == 3", TRUE, true},
    {"clock x[3]; process P(){ state s,t; init s; trans s->t{ guard exists (i : int[0,2]) x[i] >= "
     "i + 3; }; } system P;",
     "A[] P.t imply x[0] >= 3", TRUE, true},
    {"chan c[2]; int f(int i) { return i + 1; } process P(){ state s,t; init s; trans s->t{ sync "
     "c[f(0)]!; }; } process Q(){ state s,t; init s; trans s->t{ sync c[1]?; }; } system P,Q;",
     "E<> P.t", TRUE, true},
    {"chan c; process A1(){ state s,t; commit s; init s; trans s->t{ sync c!; }; } process B1(){ "
     "state s,t; init s; trans s->t{ sync c?; }, s->s{ }; } system A1,B1;",
     "A[] A1.t imply B1.t", TRUE, true},
    /* Expressions. */
    {"int a = 6, b = 4, r; process P(){ state s,t; init s; trans s->t{ assign r = (a <? b) + (a >? "
     "b) * 10 + (a & b) * 100 + (a | b) + (a ^ b) * 1000; }; } system P;",
     "A[] P.t imply r == 4 + 60 + 400 + 6 + 2000", TRUE, true},
    {"int a = 6; process P(){ state s,t; init s; trans s->t{ assign a |= 1, a &= 5, a ^= 2, a <<= "
     "1, a >>= 2, a %= 2; }; } system P;",
     "A[] P.t imply a == 1", TRUE, true},
    /* Queries. */
    {"clock x; process P(){ state s {x <= 5},t {x <= 9}; init s; trans s->t{ guard x >= 2; }; } "
     "system P;",
     "P.s --> P.t", TRUE, false},
    {"clock x; process P(){ state s {x <= 5},t {x <= 9}; init s; trans s->t{ guard x >= 2; }; } "
     "system P;",
     "E[] x <= 9", TRUE, false},
    {"clock x; process P(){ state s {x <= 5},t {x <= 9}; init s; trans s->t{ guard x >= 2; }; } "
     "system P;",
     "E<> deadlock && P.t", TRUE, false},
    {"clock x; process P(){ state s {x <= 5},t {x <= 9}; init s; trans s->t{ guard x >= 2; }; } "
     "system P;",
     "A[] P.s imply not deadlock", TRUE, false},
    /* Documents. */
    {"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC \"-//Uppaal Team//DTD Flat "
     "System 1.1//EN\" "
     "\"http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd\">\n<nta><declaration>clock "
     "x;</declaration><template><name>P</name><location "
     "id=\"id0\"><name>s</name></location><location id=\"id1\"><name>t</name></location><init "
     "ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\">x "
     "&gt;= 2 &amp;&amp; x &lt;= 3</label><label kind=\"comments\">c &amp; d</label><nail x=\"1\" "
     "y=\"2\"/></transition></template><system>system P;</system></nta>",
     "A[] P.t imply x >= 2", TRUE, true},
    {"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC \"-//Uppaal Team//DTD Flat "
     "System 1.1//EN\" "
     "\"http://www.it.uu.se/research/group/darts/uppaal/"
     "flat-1_1.dtd\">\n<nta><declaration><![CDATA[clock x; int v = 1 < "
     "2;]]></declaration><template><name>P</name><location "
     "id=\"id0\"><name>s</name></location><location id=\"id1\"><name>t</name></location><init "
     "ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\">x "
     "&gt;= 2 &amp;&amp; x &lt;= 3</label><label kind=\"comments\">c &amp; d</label><nail x=\"1\" "
     "y=\"2\"/></transition></template><system><![CDATA[system P;]]></system></nta>",
     "E<> P.t && v == 1", TRUE, true},
    {"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC \"-//Uppaal Team//DTD Flat "
     "System 1.1//EN\" "
     "\"http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd\">\n<nta><declaration>clock "
     "x;</declaration><template><name>P</name><location "
     "id=\"id0\"><name>s</name></location><location id=\"id1\"><name>t</name></location><init "
     "ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\">x "
     "&gt;= 2 &amp;&amp; x &lt;= 3</label><label kind=\"comments\">c &amp; d</label><nail x=\"1\" "
     "y=\"2\"/></transition></template><instantiation>Q = P();</instantiation><system>system "
     "Q;</system></nta>",
     "E<> Q.t", TRUE, true},
    {"<project><declaration>clock x;</declaration><template><name>P</name><location "
     "id=\"id0\"><name>s</name></location><location id=\"id1\"><name>t</name></location><init "
     "ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\">x "
     "&gt;= 2 &amp;&amp; x &lt;= 3</label><label kind=\"comments\">c &amp; d</label><nail x=\"1\" "
     "y=\"2\"/></transition></template><system>system P;</system></project>",
     "E<> P.t", TRUE, true},
    {"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC \"-//Uppaal Team//DTD Flat "
     "System 1.1//EN\" "
     "\"http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd\">\n<nta><declaration>clock "
     "x;</declaration><template><name>P</name><location id='a' x='1' y='2' color='#ff'><label "
     "kind='invariant'> </label><label kind='exponentialrate'>3</label><label kind='comments'>// "
     "hi</label></location><location id='b'><urgent/></location><location "
     "id='c'><name>c</name><committed/></location><branchpoint id='bp'/><init ref='a'/><transition "
     "controllable='false' action='x'><source ref='a'/><target ref='bp'/><label kind='guard'>// "
     "only a comment</label><label kind='synchronisation'></label></transition><transition><source "
     "ref='bp'/><target ref='b'/><label "
     "kind='probability'>3</label></transition><transition><source ref='bp'/><target "
     "ref='c'/><label kind='probability'>0</label><label kind='assignment'>x = "
     "0</label></transition></template><system>system P;</system></nta>",
     "E<> P.c", TRUE, true},
    {"<?xml version='1.0' encoding='iso-8859-1'?><nta><declaration>/* \351 */ clock "
     "x;</declaration><template><name>P</name><location "
     "id=\"id0\"><name>s</name></location><location id=\"id1\"><name>t</name></location><init "
     "ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\">x "
     "&gt;= 2 &amp;&amp; x &lt;= 3</label><label kind=\"comments\">c &amp; d</label><nail x=\"1\" "
     "y=\"2\"/></transition></template><system>system P;</system></nta>",
     "E<> P.t", TRUE, true},
    {"<nta><declaration>const k 2; int v; clock "
     "x;</declaration><template><name>P</name><parameter>const pid; int w</parameter><location "
     "id='a'><name>a</name><label kind='invariant'>x&lt;=k, w=&lt;3</label></location><location "
     "id='b'><name>b</name></location><init ref='a'/><transition><source ref='a'/><target "
     "ref='b'/><label kind='guard'>x&gt;=k, w == 0</label><label kind='assignment'>x:=0, "
     "w:=pid</label></transition></template><instantiation>P1 := P(1, "
     "v);</instantiation><system>system P1;</system></nta>",
     "E<> P1.b && v == 1 && x == 0", TRUE, true},
    /* The syntax of 3.x. */
    {"const N 5, M 6; const a[2] {1,2}; clock x; int select; process P(const id; int x1, y1; clock "
     "c) { state s {c <= N, c <= M}, t; init s; trans s -> t { guard c >= N, x1 == 0; assign x1 := "
     "id, c := 0; }; } int v, w; P1 := P(3, v, w, x); system P1;",
     "E<> P1.t && v == 3", TRUE, true},
    {"clock x; process P { state s {x =< 3}, t; init s; trans s -> t { guard x => 3; }; } system "
     "P;",
     "A[] P.t imply x >= 3", TRUE, true},
};

static void test_samples(void **state) {
  (void)state;
  ask_samples(samples, sizeof samples / sizeof samples[0]);
}

/* ---- Comparisons ---- */

struct comparison {
  const char *op, *mirrored;
  bool below, equal, above; /* whether it holds if the clock is less, equal, greater */
};

/* Asks whether t is reached with a value below 3, of 3, above 3, where `guard` compares it. */
static void ask_about(const char *declarations, const char *guard, const char *value,
                      const struct comparison *c) {
  const bool expected[] = {c->below, c->equal, c->above};
  static const char *const ops[] = {"<", "==", ">"};
  char model[400], query[100];
  snprintf(model, sizeof model,
           "%s process P() { state s, m, t; urgent t; init s; trans s -> m { assign y = 0; }, m -> "
           "t { guard "
           "%s; }; } system P;",
           declarations, guard);
  for (uint32_t i = 0; i < 3; i++) {
    snprintf(query, sizeof query, "E<> P.t && %s %s 3", value, ops[i]);
    struct sample sample = {model, query, expected[i] ? TRUE : FALSE, false};
    ask_samples(&sample, 1);
  }
}

/* Every comparison, with the clock on either side, the bound a constant, a variable or another
 * clock. y was set when x was anything, so x - y is anything, too. */
static void test_comparisons(void **state) {
  (void)state;
  static const struct comparison all[] = {
      {"<", ">", true, false, false},   {"<=", ">=", true, true, false},
      {"==", "==", false, true, false}, {">=", "<=", false, true, true},
      {">", "<", false, false, true},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    static const struct {
      const char *left, *right, *value;
    } sides[] = {{"x", "3", "x"},         {"x", "v + 1", "x"},
                 {"x - y", "3", "x - y"}, {"x - y", "v + 1", "x - y"},
                 {"x - v", "1", "x"},     {"x", "y + 3", "x - y"}};
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
      char guard[100];
      snprintf(guard, sizeof guard, "%s %s %s", sides[k].left, all[i].op, sides[k].right);
      ask_about("int v = 2; clock x, y;", guard, sides[k].value, &all[i]);
      snprintf(guard, sizeof guard, "%s %s %s", sides[k].right, all[i].mirrored, sides[k].left);
      ask_about("int v = 2; clock x, y;", guard, sides[k].value, &all[i]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples),
                                     cmocka_unit_test(test_comparisons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
