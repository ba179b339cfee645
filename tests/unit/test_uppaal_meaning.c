/* What models of UPPAAL mean, construct by construct: small models and queries whose answers follow
 * from the language's documentation by hand. */
#include "unit/uppaal_ask.h"

static const struct sample samples[] = {
    {"int a=0;int b2=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (not a "
     "== b2) ? 1 : 0; }; } system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {"int a=0;int b2=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (not a "
     "== b2) ? 1 : 0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (false imply false || "
     "false) ? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (false imply false || "
     "false) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true imply false || "
     "true) ? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true imply false || "
     "true) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true || false imply "
     "false) ? 1:0; }; } system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true || false imply "
     "false) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true or true and false) "
     "? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true or true and false) "
     "? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true xor true or true) "
     "? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true xor true or true) "
     "? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true or true xor true) "
     "? 1:0; }; } system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (true or true xor true) "
     "? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a=2; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (a & 1 == 0) ? "
     "1:0; }; } system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {"int a=2; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (a & 1 == 0) ? "
     "1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 1 | 2 ^ 3 & 2; }; } "
     "system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 1 | 2 ^ 3 & 2; }; } "
     "system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 1 << 2 + 1; }; } system "
     "M;",
     "A[] M.b imply r == (8)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 1 << 2 + 1; }; } system "
     "M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = -8 >> 1; }; } system M;",
     "A[] M.b imply r == (-4)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = -8 >> 1; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 3 <? 2 + 1; }; } system "
     "M;",
     "A[] M.b imply r == (3)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 3 <? 2 + 1; }; } system "
     "M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 1 + 2 <? 5; }; } system "
     "M;",
     "A[] M.b imply r == (3)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 1 + 2 <? 5; }; } system "
     "M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 4 >? 2 <? 3; }; } system "
     "M;",
     "A[] M.b imply r == (3)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 4 >? 2 <? 3; }; } system "
     "M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (2 < 3 <? 1) ? 1:0; }; } "
     "system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (2 < 3 <? 1) ? 1:0; }; } "
     "system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = -7 / 2; }; } system M;",
     "A[] M.b imply r == (-3)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = -7 / 2; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = -7 % 3; }; } system M;",
     "A[] M.b imply r == (-1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = -7 % 3; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = false ? 1 : true ? 2 : "
     "3; }; } system M;",
     "A[] M.b imply r == (2)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = false ? 1 : true ? 2 : "
     "3; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int q=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (q = 4) + q; }; "
     "} system M;",
     "A[] M.b imply r == (8)", TRUE, true},
    {"int q=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (q = 4) + q; }; "
     "} system M;",
     "E<> M.b", TRUE, true},
    {"int q=3; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q++ + q; }; } "
     "system M;",
     "A[] M.b imply r == (7)", TRUE, true},
    {"int q=3; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q++ + q; }; } "
     "system M;",
     "E<> M.b", TRUE, true},
    {"int q=3; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ++q + q; }; } "
     "system M;",
     "A[] M.b imply r == (8)", TRUE, true},
    {"int q=3; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ++q + q; }; } "
     "system M;",
     "E<> M.b", TRUE, true},
    {"int q=0;int w=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q = w = "
     "5; }; } system M;",
     "A[] M.b imply r == (5)", TRUE, true},
    {"int q=0;int w=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q = w = "
     "5; }; } system M;",
     "E<> M.b", TRUE, true},
    {"bool q=false; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (q = 5) + "
     "0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"bool q=false; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (q = 5) + "
     "0; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (5 == true) ? 1 : 0; }; "
     "} system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (5 == true) ? 1 : 0; }; "
     "} system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = sum (i : int[0,4]) (i % "
     "2 == 0); }; } system M;",
     "A[] M.b imply r == (3)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = sum (i : int[0,4]) (i % "
     "2 == 0); }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 2 ** 3 ** 2; }; } system "
     "M;",
     "A[] M.b imply r == (64)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = 2 ** 3 ** 2; }; } system "
     "M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = - - 3; }; } system M;",
     "A[] M.b imply r == (3)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = - - 3; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = abs(-4); }; } system M;",
     "A[] M.b imply r == (4)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = abs(-4); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a[2]={1,2}; int b2[2]={1,2}; int r = -7; process M(){ state a,b; init a; trans a->b{ "
     "assign r = (a == b2)?1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"int a[2]={1,2}; int b2[2]={1,2}; int r = -7; process M(){ state a,b; init a; trans a->b{ "
     "assign r = (a == b2)?1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"typedef struct {int x; bool y;} S; S s={1,true}; S t={y:true,x:1}; int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = (s == t)?1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"typedef struct {int x; bool y;} S; S s={1,true}; S t={y:true,x:1}; int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = (s == t)?1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"typedef struct {int x; bool y;} S; S s={1,true}; S t={2,true}; int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = (s != t)?1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"typedef struct {int x; bool y;} S; S s={1,true}; S t={2,true}; int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = (s != t)?1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a[3]={0,1,2}; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (exists "
     "(i : int[0,2]) a[i] == 1) ? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"int a[3]={0,1,2}; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (exists "
     "(i : int[0,2]) a[i] == 1) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ((a != 0) imply "
     "(1/a == 1)) ? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ((a != 0) imply "
     "(1/a == 1)) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ((a != 0) && "
     "(1/a == 1)) ? 1:0; }; } system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ((a != 0) && "
     "(1/a == 1)) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ((a == 0) || "
     "(1/a == 1)) ? 1:0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = ((a == 0) || "
     "(1/a == 1)) ? 1:0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = a == 0 ? 9 : "
     "1/a; }; } system M;",
     "A[] M.b imply r == (9)", TRUE, true},
    {"int a=0; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = a == 0 ? 9 : "
     "1/a; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int q=1; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q; }; } system "
     "M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"int q=1; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q; }; } system "
     "M;",
     "E<> M.b", TRUE, true},
    {"int f(int a[2]) { a[0] = 9; return a[0]; } int z[2]={1,2}; int r = -7; process M(){ state "
     "a,b; init a; trans a->b{ assign r = f(z) + z[0]; }; } system M;",
     "A[] M.b imply r == (10)", TRUE, true},
    {"int f(int a[2]) { a[0] = 9; return a[0]; } int z[2]={1,2}; int r = -7; process M(){ state "
     "a,b; init a; trans a->b{ assign r = f(z) + z[0]; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int f(int &a[2]) { a[0] = 9; return a[0]; } int z[2]={1,2}; int r = -7; process M(){ state "
     "a,b; init a; trans a->b{ assign r = f(z) + z[0]; }; } system M;",
     "A[] M.b imply r == (18)", TRUE, true},
    {"int f(int &a[2]) { a[0] = 9; return a[0]; } int z[2]={1,2}; int r = -7; process M(){ state "
     "a,b; init a; trans a->b{ assign r = f(z) + z[0]; }; } system M;",
     "E<> M.b", TRUE, true},
    {"typedef struct {int x; int y;} S; S f(int a) { S s; s.x = a; s.y = a+1; return s; } S t; int "
     "r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (t = f(3)).y; }; } system M;",
     "A[] M.b imply r == (4)", TRUE, true},
    {"typedef struct {int x; int y;} S; S f(int a) { S s; s.x = a; s.y = a+1; return s; } S t; int "
     "r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (t = f(3)).y; }; } system M;",
     "E<> M.b", TRUE, true},
    {"const int c[3]={5,6,7}; int f(const int a[3], int i) { return a[i]; } int k=2; int r = -7; "
     "process M(){ state a,b; init a; trans a->b{ assign r = f(c,k); }; } system M;",
     "A[] M.b imply r == (7)", TRUE, true},
    {"const int c[3]={5,6,7}; int f(const int a[3], int i) { return a[i]; } int k=2; int r = -7; "
     "process M(){ state a,b; init a; trans a->b{ assign r = f(c,k); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int f(int n){ int s=0; while (n > 0) { s += n; n--; } return s; } int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = f(4); }; } system M;",
     "A[] M.b imply r == (10)", TRUE, true},
    {"int f(int n){ int s=0; while (n > 0) { s += n; n--; } return s; } int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = f(4); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int f(int n){ int s=0; do { s += n; n--; } while (n > 0); return s; } int r = -7; process "
     "M(){ state a,b; init a; trans a->b{ assign r = f(0); }; } system M;",
     "A[] M.b imply r == (0)", TRUE, true},
    {"int f(int n){ int s=0; do { s += n; n--; } while (n > 0); return s; } int r = -7; process "
     "M(){ state a,b; init a; trans a->b{ assign r = f(0); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int f(int n){ int s=0; int i; for (i=0;i<n;i++) s += i; return s; } int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = f(4); }; } system M;",
     "A[] M.b imply r == (6)", TRUE, true},
    {"int f(int n){ int s=0; int i; for (i=0;i<n;i++) s += i; return s; } int r = -7; process M(){ "
     "state a,b; init a; trans a->b{ assign r = f(4); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int f(){ int s=0; for (i : int[2,4]) s = s*10+i; return s; } int r = -7; process M(){ state "
     "a,b; init a; trans a->b{ assign r = f(); }; } system M;",
     "A[] M.b imply r == (234)", TRUE, true},
    {"int f(){ int s=0; for (i : int[2,4]) s = s*10+i; return s; } int r = -7; process M(){ state "
     "a,b; init a; trans a->b{ assign r = f(); }; } system M;",
     "E<> M.b", TRUE, true},
    {"typedef int[2,4] t; int a[t]={7,8,9}; int r = -7; process M(){ state a,b; init a; trans "
     "a->b{ assign r = a[3]; }; } system M;",
     "A[] M.b imply r == (8)", TRUE, true},
    {"typedef int[2,4] t; int a[t]={7,8,9}; int r = -7; process M(){ state a,b; init a; trans "
     "a->b{ assign r = a[3]; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int a[2][3]={{1,2,3},{4,5,6}}; int r = -7; process M(){ state a,b; init a; trans a->b{ "
     "assign r = a[1][0]; }; } system M;",
     "A[] M.b imply r == (4)", TRUE, true},
    {"int a[2][3]={{1,2,3},{4,5,6}}; int r = -7; process M(){ state a,b; init a; trans a->b{ "
     "assign r = a[1][0]; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int x1=1; int f(){ int x1=2; { int x1=3; } return x1; } int r = -7; process M(){ state a,b; "
     "init a; trans a->b{ assign r = f(); }; } system M;",
     "A[] M.b imply r == (2)", TRUE, true},
    {"int x1=1; int f(){ int x1=2; { int x1=3; } return x1; } int r = -7; process M(){ state a,b; "
     "init a; trans a->b{ assign r = f(); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int q=7; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (q %= 4) + (q "
     "<<= 2); }; } system M;",
     "A[] M.b imply r == (15)", TRUE, true},
    {"int q=7; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (q %= 4) + (q "
     "<<= 2); }; } system M;",
     "E<> M.b", TRUE, true},
    {"int[3,5] q; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q; }; } "
     "system M;",
     "A[] M.b imply r == (3)", TRUE, true},
    {"int[3,5] q; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = q; }; } "
     "system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = INT8_MAX; }; } system M;",
     "A[] M.b imply r == (127)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = INT8_MAX; }; } system M;",
     "E<> M.b", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (1 < 2 == true)?1:0; }; "
     "} system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {" int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = (1 < 2 == true)?1:0; }; "
     "} system M;",
     "E<> M.b", TRUE, true},
    {"int a=3; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = a ^ 1 == 1 ? 1 : "
     "0; }; } system M;",
     "A[] M.b imply r == (1)", TRUE, true},
    {"int a=3; int r = -7; process M(){ state a,b; init a; trans a->b{ assign r = a ^ 1 == 1 ? 1 : "
     "0; }; } system M;",
     "E<> M.b", TRUE, true},
    {"int v=0; chan c; process S(){ state a,b; init a; trans a->b{ sync c!; assign v = 1; }; } "
     "process R(){ state a,b; init a; trans a->b{ sync c?; assign v = v*2+1; }; } system R,S;",
     "A[] S.b imply v == 3", TRUE, true},
    {"int v=0; chan c; process S(){ state a,b; init a; trans a->b{ sync c!; assign v = 1; }; } "
     "process R(){ state a,b; init a; trans a->b{ sync c?; assign v = v*2+1; }; } system R,S;",
     "E<> S.b && R.b", TRUE, true},
    {"int v=0; chan c; process S(){ state a,b; init a; trans a->b{ sync c!; assign v = 1; }; } "
     "process R(){ state a,b; init a; trans a->b{ guard v == 1; sync c?; }; } system R,S;",
     "E<> S.b", FALSE, true},
    {"int[0,1] v=0; chan c[2]; process S(){ state a,b; init a; trans a->b{ sync c[v]!; assign v = "
     "1; }; } process R(){ state a,b; init a; trans a->b{ sync c[v]?; }; } system R,S;",
     "E<> S.b && R.b", TRUE, true},
    {"int v=0; broadcast chan c; process S(){ state a,b; init a; trans a->b{ sync c!; assign v = "
     "1; }; } process R(){ state a,b; init a; trans a->b{ guard v == 1; sync c?; }; } system R,S;",
     "E<> S.b && R.b", FALSE, true},
    {"int v=0; broadcast chan c; process S(){ state a,b; init a; trans a->b{ sync c!; assign v = "
     "1; }; } process R(){ state a,b; init a; trans a->b{ guard v == 1; sync c?; }; } system R,S;",
     "E<> S.b && R.a", TRUE, true},
    {"int v=1; broadcast chan c; process S(){ state a,b; init a; trans a->b{ sync c!; assign v = "
     "v+1; }; } process R(const int[0,1] i){ state a,b; init a; trans a->b{ sync c?; assign v = "
     "v*3+i; }; } system R,S;",
     "A[] S.b imply v == 19", TRUE, true},
    {"int v=0; broadcast chan c; process S(){ state a,b; init a; trans a->b{ sync c!; }; } process "
     "R(){ state a, b { v == 1 }; init a; trans a->b{ sync c?; }; } system R,S;",
     "E<> S.b", FALSE, true},
    {"broadcast chan c; process S(){ state a,b; init a; trans a->b{ sync c!; }; } process R(){ "
     "state a,b; commit a; init a; trans a->b{ sync c?; }; } process Q(){state a,b; init a; trans "
     "a->b{};} system R,S,Q;",
     "E<> S.b && R.b", TRUE, true},
    {"broadcast chan c; process S(){ state a,b; init a; trans a->b{ sync c!; }; } process R(){ "
     "state a,b; commit a; init a; trans a->b{ sync c?; }; } process Q(){state a,b; init a; trans "
     "a->b{};} system R,S,Q;",
     "A[] R.a imply Q.a && S.a", TRUE, true},
    {"process C(){ state a,b; commit a; init a; trans a->b{}; } process Q(){state a,b; init a; "
     "trans a->b{};} system C,Q;",
     "E<> C.a && Q.b", FALSE, true},
    {"process C(){ state a,b; commit a; init a; trans a->b{}; } process Q(){state a,b; init a; "
     "trans a->b{};} system C,Q;",
     "E<> Q.b", TRUE, true},
    {"chan c; process C(){ state a,b; commit a; init a; trans a->b{ sync c?; }; } process "
     "Q(){state a,b; init a; trans a->b{sync c!;};} process Z(){state a,b; init a; trans a->b{sync "
     "c!;};} system C,Q;",
     "E<> C.b && Q.b", TRUE, true},
    {"clock x; urgent chan u; process A1(){ state a,b; init a; trans a->b{ sync u!; }; } process "
     "B1(){ state a,b; init a; trans a->b{ sync u?; }; } system A1,B1;",
     "A[] A1.a imply x == 0", TRUE, false},
    {"clock x; urgent chan u; process A1(){ state a,b; init a; trans a->b{ sync u!; }; } process "
     "B1(){ state a,b; init a; trans a->b{ sync u?; }; } system A1,B1;",
     "E<> A1.b && x > 3", TRUE, false},
    {"clock x; urgent chan u; int v=0; process A1(){ state a,b; init a; trans a->b{ guard v == 1; "
     "sync u!; }; } process B1(){ state a,b; init a; trans a->b{ sync u?; }; } process C(){ state "
     "s {x<=2}, t; init s; trans s->t { guard x >= 2; assign v = 1; }; } system A1,B1,C;",
     "A[] A1.b imply x >= 2", TRUE, false},
    {"clock x; urgent chan u; int v=0; process A1(){ state a,b; init a; trans a->b{ guard v == 1; "
     "sync u!; }; } process B1(){ state a,b; init a; trans a->b{ sync u?; }; } process C(){ state "
     "s {x<=2}, t; init s; trans s->t { guard x >= 2; assign v = 1; }; } system A1,B1,C;",
     "E<> A1.b && x == 2", TRUE, false},
    {"clock x; urgent chan u; int v=0; process A1(){ state a,b; init a; trans a->b{ guard v == 1; "
     "sync u!; }; } process B1(){ state a,b; init a; trans a->b{ sync u?; }; } process C(){ state "
     "s {x<=2}, t; init s; trans s->t { guard x >= 2; assign v = 1; }; } system A1,B1,C;",
     "E<> A1.a && x > 2", FALSE, false},
    {"clock x; process P(){ state a,b; urgent a; init a; trans a->b{ guard x >= 1; }; } system P;",
     "E<> P.b", FALSE, true},
    {"clock x; process P(){ state a,b; urgent a; init a; trans a->b{ guard x >= 1; }; } system P;",
     "A[] x == 0", TRUE, true},
    {"clock x; process P(){ state a,b; urgent a; init a; trans a->b{ guard x >= 1; }; } system P;",
     "A[] not deadlock", FALSE, true},
    {"int[0,2] v; chan c[3]; process S(){ state a,b; init a; trans a->b{ select i : int[0,2]; "
     "guard i != 1; sync c[i]!; }; } process R(const int[0,2] k){ state a,b; init a; trans a->b{ "
     "sync c[k]?; assign v = k; }; } system S,R;",
     "E<> v == 2", TRUE, true},
    {"int[0,2] v; chan c[3]; process S(){ state a,b; init a; trans a->b{ select i : int[0,2]; "
     "guard i != 1; sync c[i]!; }; } process R(const int[0,2] k){ state a,b; init a; trans a->b{ "
     "sync c[k]?; assign v = k; }; } system S,R;",
     "E<> R(1).b", FALSE, true},
    {"int[0,2] v; chan c[3]; process S(){ state a,b; init a; trans a->b{ select i : int[0,2]; "
     "guard i != 1; sync c[i]!; }; } process R(const int[0,2] k){ state a,b; init a; trans a->b{ "
     "sync c[k]?; assign v = k; }; } system S,R;",
     "E<> R(0).b", TRUE, true},
    {"int[0,2] v; chan c[3]; process S(){ state a,b; init a; trans a->b{ select i : int[0,2]; "
     "guard i != 1; sync c[i]!; }; } process R(const int[0,2] k){ state a,b; init a; trans a->b{ "
     "sync c[k]?; assign v = k; }; } system S,R;",
     "A[] R(2).b imply v == 2", TRUE, true},
    {"int g=0; int h=0; process P(int &x, const int k){ state a,b; init a; trans a->b{ assign x = "
     "x + k; }; } P1 = P(g,2); P2 = P(h,3); P3 = P(g,5); system P1,P2,P3;",
     "E<> g == 7 && h == 3", TRUE, true},
    {"int g=0; int h=0; process P(int &x, const int k){ state a,b; init a; trans a->b{ assign x = "
     "x + k; }; } P1 = P(g,2); P2 = P(h,3); P3 = P(g,5); system P1,P2,P3;",
     "A[] g != 3", TRUE, true},
    {"int g[3]; process P(int &x){ state a,b; init a; trans a->b{ assign x = 1; }; } P1 = P(g[2]); "
     "system P1;",
     "A[] P1.b imply g[2]==1 && g[0]==0", TRUE, true},
    {"clock y; process P(clock &x){ state a,b; init a; trans a->b{ guard x >= 2; assign x = 0; }; "
     "} P1 = P(y); system P1;",
     "E<> P1.b && y == 0", TRUE, false},
    {"clock y; process P(clock &x){ state a,b; init a; trans a->b{ guard x >= 2; assign x = 0; }; "
     "} P1 = P(y); system P1;",
     "E<> P1.b && y<2", TRUE, false},
    {"int[0,3] v=3; process P(){ state a,b; init a; trans a->b{ assign v = v + 1; }; } system P;",
     NULL, FAULT, true},
    {"int[0,3] v=3; int[0,100] w; process P(){ state a,b; init a; trans a->b{ assign w = v * 20 - "
     "10; }; } system P;",
     "A[] P.b imply w == 50", TRUE, true},
    {"int v=32767; process P(){ state a,b; init a; trans a->b{ assign v++; }; } system P;", NULL,
     FAULT, true},
    {"void f(int[0,3] a){ } int v=5; process P(){ state a,b; init a; trans a->b{ assign f(v); }; } "
     "system P;",
     NULL, FAULT, true},
    {"int[0,3] f(int a){ return a; } int v=5; process P(){ state a,b; init a; trans a->b{ assign v "
     "= f(v); }; } system P;",
     NULL, FAULT, true},
    {"int v=0; process P(){ state a,b; init a; trans a->b{ assign v = 1/v; }; } system P;", NULL,
     FAULT, true},
    {"clock x; int v=-1; process P(){ state a,b; init a; trans a->b{ assign x = v; }; } system P;",
     NULL, FAULT, true},
    {"clock x; int v=3; process P(){ state a,b; init a; trans a->b{ assign x = v*2; }; } system P;",
     "A[] P.b imply x >= 6", TRUE, true},
    {"clock x = 4; process P(){ state a; init a; } system P;", "A[] x >= 4", TRUE, true},
    {"int v=0; chan c; process S(){ state a,b {v == 2}; init a; trans a->b{ sync c!; assign v = 1; "
     "}; } process R(){ state a,b; init a; trans a->b{ sync c?; assign v = 2; }; } system R,S;",
     "E<> S.b", TRUE, true},
    {"clock x; process P(){ state a, b {x <= 1}; init a; trans a->b{ guard x >= 2; }; } system P;",
     "E<> P.b", FALSE, true},
    {"clock x; process P(){ state a, b {x <= 1}; init a; trans a->b{ guard x >= 2; assign x = 0; "
     "}; } system P;",
     "E<> P.b", TRUE, true},
    {"meta int t; int v; process P(){ state a,b; init a; trans a->b{ assign t = 3, v = t + 1; }; } "
     "system P;",
     "A[] P.b imply v == 4", TRUE, true},
    {"process P(const int[0,1] i, const int[2,3] j){ state a,b; init a; trans a->b{ guard i == 1 "
     "&& j == 3; }; } system P;",
     "E<> P(1,3).b", TRUE, true},
    {"process P(const int[0,1] i, const int[2,3] j){ state a,b; init a; trans a->b{ guard i == 1 "
     "&& j == 3; }; } system P;",
     "E<> P(0,3).b || P(1,2).b || P(0,2).b", FALSE, true},
    {"process P(const int i, const int[0,1] j){ state a,b; init a; trans a->b{ guard i == 4 && j "
     "== 1; }; } Q(const int[0,1] k) = P(4, k); system Q;",
     "E<> Q(1).b", TRUE, true},
    {"process P(const int i, const int[0,1] j){ state a,b; init a; trans a->b{ guard i == 4 && j "
     "== 1; }; } Q(const int[0,1] k) = P(4, k); system Q;",
     "E<> Q(0).b", FALSE, true},
    {"int v; process P(){ state a,b,c; branchpoint p; init a; trans a->p{ assign v = 1; }, p->b{ "
     "assign v = v+1; probability 1; }, p->c{ assign v = v+5; probability 0; }; } system P;",
     "E<> P.b && v == 2", TRUE, true},
    {"int v; process P(){ state a,b,c; branchpoint p; init a; trans a->p{ assign v = 1; }, p->b{ "
     "assign v = v+1; probability 1; }, p->c{ assign v = v+5; probability 0; }; } system P;",
     "E<> P.c && v == 6", TRUE, true},
    {"process P(const int[0,1] i){ const int k = i*3; int w = k + 1; state a; init a; } system P;",
     "A[] P(1).w == 4 && P(1).k == 3 && P(1).i == 1", TRUE, true},
    {"int i=5; process P(){ state a,b; init a; trans a->b{ select i : int[0,1]; guard i == 1; }; } "
     "system P;",
     "E<> P.b", TRUE, true},
    {"int i=5; process P(){ state a,b; init a; trans a->b{ select i : int[0,1]; guard i == 1; }; } "
     "system P;",
     "A[] i == 5", TRUE, true},
    {"int v; process P(){ state a,b; init a; trans a->b{ select i : int[0,2], j : int[i,2]; assign "
     "v = i*10+j; }; } system P;",
     "E<> v == 12", TRUE, true},
    {"int v; process P(){ state a,b; init a; trans a->b{ select i : int[0,2], j : int[i,2]; assign "
     "v = i*10+j; }; } system P;",
     "E<> v == 21", FALSE, true},
    {"int v; process P(){ state a,b; init a; trans a->b{ select i : int[0,2], j : int[i,2]; assign "
     "v = i*10+j; }; } system P;",
     "E<> v == 22", TRUE, true},
    {"int a=0; process P(){ state s; init s; } system P;", "A[] a != 0 imply 1/a == 1", TRUE, true},
    {"clock x,y; process P(){ state a,b; init a; trans a->b{ guard x >= 3 || y <= 1; }; } system "
     "P;",
     "E<> P.b", TRUE, true},
    {"clock x; bool b; process P(){ state a,b1; init a; trans a->b1{ guard b || x >= 3; }; } "
     "system P;",
     "A[] P.b1 imply x >= 3", TRUE, true},
    {"clock x; bool b=true; process P(){ state a,b1; init a; trans a->b1{ guard b imply x >= 2; }; "
     "} system P;",
     "A[] P.b1 imply x >= 2", TRUE, true},
    {"clock x; bool b=true; process P(){ state a {b imply x <= 2},b1; init a; trans a->b1{ }; } "
     "system P;",
     "A[] P.a imply x <= 2", TRUE, true},
    {"clock x[2]; process P(){ state a {forall (i : int[0,1]) x[i] <= i + 1},b1; init a; trans "
     "a->b1{ }; } system P;",
     "A[] P.a imply x[0] <= 1", TRUE, true},
    {"clock x[2]; process P(){ state a {forall (i : int[0,1]) x[i] <= i + 1},b1; init a; trans "
     "a->b1{ }; } system P;",
     "E<> P.a && x[1] == 1", TRUE, true},
    {"clock x; process P(){ state a {x<=3}; init a; } system P;", "E<> x != 0", TRUE, true},
    {"clock x; process P(){ state a {x<=3}; init a; } system P;", "A[] x != 2", FALSE, true},
    {"clock x,y; process P(){ state a {x' == 0 && y <= 3}, b; init a; trans a->b{ guard y >= 3; }; "
     "} system P;",
     "A[] P.a imply x == 0", TRUE, false},
    {"clock x,y; process P(){ state a {x' == 0 && y <= 3}, b; init a; trans a->b{ guard y >= 3; }; "
     "} system P;",
     "E<> P.b && x == 0", TRUE, false},
    {"chan c,d; chan priority c < default < d; process S(){ state a,b,e; init a; trans a->b{ sync "
     "c!; }, a->e{ sync d!; }; } process R(){ state a; init a; trans a->a{ sync c?; }, a->a{sync "
     "d?;}; } system S,R;",
     "E<> S.b", FALSE, true},
    {"chan c,d; chan priority c < default < d; process S(){ state a,b,e; init a; trans a->b{ sync "
     "c!; }, a->e{ sync d!; }; } process R(){ state a; init a; trans a->a{ sync c?; }, a->a{sync "
     "d?;}; } system S,R;",
     "E<> S.e", TRUE, true},
    {"int v; process A1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 2; }; } system A1 < B1;",
     "E<> v == 1", FALSE, true},
    {"int v; process A1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 2; }; } system A1 < B1;",
     "E<> v == 2", TRUE, true},
    {"typedef struct { int a; int b[2]; } S; S s[2] = {{1,{2,3}},{4,{5,6}}}; process P(){ state "
     "x1,y1; init x1; trans x1->y1{ assign s[0] = s[1], s[1].b[0] = 9; }; } system P;",
     "A[] P.y1 imply s[0].b[0] == 5 && s[1].b[0] == 9 && s[0].a == 4", TRUE, true},
    {"int f(int n) { int r = 1; while (n > 1) { r *= n; n--; } return r; } const int K = f(4); int "
     "a[K]; process P(){ state x1; init x1; } system P;",
     "A[] a[23] == 0", TRUE, true},
    {"clock x; urgent broadcast chan u; process A1(){ state a,b; init a; trans a->b{ sync u!; }; } "
     "system A1;",
     "A[] A1.a imply x == 0", TRUE, true},
    {"clock x; urgent chan u; process A1(){ state a,b; init a; trans a->b{ sync u!; }; } system "
     "A1;",
     "E<> A1.a && x == 5", TRUE, true},
    {"broadcast chan u; process A1(){ state a,b,c; init a; trans a->b{ sync u!; }, a->c{ sync u?; "
     "}; } system A1;",
     "E<> A1.b", TRUE, true},
    {"broadcast chan u; process A1(){ state a,b,c; init a; trans a->b{ sync u!; }, a->c{ sync u?; "
     "}; } system A1;",
     "E<> A1.c", FALSE, true},
    {"broadcast chan u; process S(){ state a,b; init a; trans a->b{ sync u!; }; } process A1(){ "
     "state a,b,c; init a; trans a->b{ sync u?; }, a->c{ sync u?; }; } system S,A1;",
     "E<> A1.b", TRUE, true},
    {"broadcast chan u; process S(){ state a,b; init a; trans a->b{ sync u!; }; } process A1(){ "
     "state a,b,c; init a; trans a->b{ sync u?; }, a->c{ sync u?; }; } system S,A1;",
     "E<> A1.c", TRUE, true},
    {"broadcast chan u; process S(){ state a,b; init a; trans a->b{ sync u!; }; } process A1(){ "
     "state a,b,c; init a; trans a->b{ sync u?; }, a->c{ sync u?; }; } system S,A1;",
     "A[] S.b imply !A1.a", TRUE, true},
    {"process A1(){ state a,b; init a; trans a->b{ }; } system A1;", "E<> deadlock", TRUE, true},
    {"process A1(){ state a,b; init a; trans a->b{ }; } system A1;", "A[] deadlock imply A1.b",
     TRUE, true},
    {"clock x; process A1(){ state a {x<=2},b; init a; trans a->b{ }; } system A1;",
     "A1.a --> A1.b", TRUE, true},
    {"clock x; process A1(){ state a {x<=2},b; init a; trans a->b{ }; } system A1;", "A<> A1.b",
     TRUE, true},
    {"clock x; process A1(){ state a {x<=2},b; init a; trans a->b{ }; } system A1;", "E[] A1.a",
     FALSE, true},
    {"clock x; process A1(){ state a,b; init a; trans a->b{ }; } system A1;", "A1.a --> A1.b",
     FALSE, true},
    {"clock x; process A1(){ state a,b; init a; trans a->b{ }; } system A1;", "A<> A1.b", FALSE,
     true},
    {"clock x; process A1(){ state a,b; init a; trans a->b{ }; } system A1;", "E[] A1.a", TRUE,
     true},
    {"chan exit; int location; int query; int random; process P(){ state start, exit1; init start; "
     "trans start->exit1{ sync exit!; assign location = 1; }; } process Q(){ state a; init a; "
     "trans a->a{ sync exit?; }; } system P,Q;",
     "A[] P.exit1 imply location == 1", TRUE, true},
    {"int a$b = 2; process P(){ state s; init s; } system P;", "A[] a$b == 2", TRUE, true},
    {"process P(){ state s; init s; } system P;", "A [] P.s", TRUE, true},
    {"process P(){ state s; init s; } system P;", "E <> P.s", TRUE, true},
    {"int[-2147483648,0] v = -2147483648; process P(){ state s; init s; } system P;",
     "A[] v == -2147483648", TRUE, true},
    {"bool f(bool b) { return b; } int v = 7; int r; process P(){ state s,t; init s; trans s->t{ "
     "assign r = f(v) + 0; }; } system P;",
     "A[] P.t imply r == 1", TRUE, true},
    {"int g1(int a){ return a+1; } int f(int a){ return g1(a)*2; } int r; process P(){ int h(int "
     "a){ return f(a)+r; } state s,t; init s; trans s->t{ assign r = 1, r = h(2); }; } system P;",
     "A[] P.t imply r == 7", TRUE, true},
    {"int a1; int b1; process P(){ state s,t; init s; trans s->t{ assign a1 = 1, b1 = a1 + 1, a1 = "
     "b1 + 1; }; } system P;",
     "A[] P.t imply a1 == 3 && b1 == 2", TRUE, true},
    {"int a1[3]={0,1,0}; process P(){ state s,t; init s; trans s->t{ guard exists (i : int[0,2]) "
     "a1[i] == 1 && i == 2; }; } system P;",
     "E<> P.t", FALSE, true},
    {"int a1=0; process P(){ state s,t; init s; trans s->t{ guard forall (i : int[0,2]) i < 3 && "
     "a1 == 0; }; } system P;",
     "E<> P.t", TRUE, true},
    {"clock x; const int K = 5; int v = 2; process P(){ state s {x <= K - v},t; init s; trans "
     "s->t{ guard x >= v + 1; }; } system P;",
     "E<> P.t", TRUE, true},
    {"clock x; const int K = 5; int v = 2; process P(){ state s {x <= K - v},t; init s; trans "
     "s->t{ guard x >= v + 1; }; } system P;",
     "A[] P.s imply x <= 3", TRUE, true},
    {"process P(const int a[3], const int i){ state s,t; init s; trans s->t{ guard a[i] == 7; }; } "
     "const int c[3]={5,6,7}; P1 = P(c,2); P2 = P(c,1); system P1,P2;",
     "E<> P1.t", TRUE, true},
    {"process P(const int a[3], const int i){ state s,t; init s; trans s->t{ guard a[i] == 7; }; } "
     "const int c[3]={5,6,7}; P1 = P(c,2); P2 = P(c,1); system P1,P2;",
     "E<> P2.t", FALSE, true},
    {"typedef struct {int lo; int hi;} R; process P(const R r){ clock x; state s {x <= r.hi},t; "
     "init s; trans s->t{ guard x >= r.lo; }; } const R k = {2,3}; P1 = P(k); system P1;",
     "A[] P1.t imply P1.x >= 2", TRUE, false},
    {"typedef struct {int lo; int hi;} R; process P(const R r){ clock x; state s {x <= r.hi},t; "
     "init s; trans s->t{ guard x >= r.lo; }; } const R k = {2,3}; P1 = P(k); system P1;",
     "E<> P1.s && P1.x == 3", TRUE, false},
    {"typedef struct {int lo; int hi;} R; process P(const R r){ clock x; state s {x <= r.hi},t; "
     "init s; trans s->t{ guard x >= r.lo; }; } const R k = {2,3}; P1 = P(k); system P1;",
     "E<> P1.s && P1.x > 3", FALSE, false},
    {"chan c[2]; process P(chan &d[2], const int i){ state s,t; init s; trans s->t{ sync d[i]!; }; "
     "} process Q(){ state s,t; init s; trans s->t{ sync c[1]?; }; } P1 = P(c,1); system P1,Q;",
     "E<> P1.t && Q.t", TRUE, true},
    {"clock x; void r(){ x = 0; } process P(){ state s {x<=2},t; init s; trans s->t{ guard x >= 2; "
     "assign r(); }; } system P;",
     "E<> P.t && x == 0", TRUE, false},
    {"clock x; void r(){ x = 0; } process P(){ state s {x<=2},t; init s; trans s->t{ guard x >= 2; "
     "assign r(); }; } system P;",
     "E<> P.t && x < 1", TRUE, false},
    {"clock x[2]; void r(int i){ x[i] = 0; } process P(){ state s {x[0]<=2},t; init s; trans s->t{ "
     "guard x[0] >= 2; assign r(1); }; } system P;",
     "E<> P.t && x[1] == 0 && x[0] == 2", TRUE, true},
    {"clock x[2]; void r(int i){ x[i] = 0; } process P(){ state s {x[0]<=2},t; init s; trans s->t{ "
     "guard x[0] >= 2; assign r(1); }; } system P;",
     "E<> P.t && x[0] == 0", FALSE, true},
    {"clock x,y; process P(){ state s {x<=2},t{x<=5}; init s; trans s->t{ guard x == 2; assign y = "
     "0; }; } system P;",
     "A[] P.t imply x - y == 2", TRUE, false},
    {"process P(){ chan c; state s,t; init s; trans s->t{ sync c!; }; } system P;", "E<> P.t",
     FALSE, true},
    {"process P(const int n){ typedef int[0,n] t; int[0,9] a[n+1]; t v; state s,u; init s; trans "
     "s->u{ select i : t; assign v = i, a[i] = 4; }; } P1 = P(2); system P1;",
     "E<> P1.a[2] == 4", TRUE, true},
    {"process P(const int n){ typedef int[0,n] t; int[0,9] a[n+1]; t v; state s,u; init s; trans "
     "s->u{ select i : t; assign v = i, a[i] = 4; }; } P1 = P(2); system P1;",
     "A[] P1.v <= 2", TRUE, true},
    {"int v; void f(){ assert(v == 1); } process P(){ state s,t; init s; trans s->t{ assign f(); "
     "}; } system P;",
     NULL, FAULT, true},
    {"int v; int f(){ assert(v == 1); return 1; } process P(){ state s,t; init s; trans s->t{ "
     "assign f(); }; } system P;",
     NULL, FAULT, true},
    {"int v=1; void f(){ assert(v == 1); } process P(){ state s,t; init s; trans s->t{ assign f(); "
     "}; } system P;",
     "E<> P.t", TRUE, true},
    {"int v; int w; before_update { v = 0 } after_update { w = v * 2 } process P(){ state s,t; "
     "init s; trans s->t{ assign v = v + 3; }; } system P;",
     "A[] P.t imply v == 3 && w == 6", TRUE, true},
    {"clock x; process P(){ state s {x <= 1}; init s; } system P;", "A[] not deadlock", FALSE,
     true},
    {"clock x; process P(){ state s {x <= 1}; init s; } system P;", "E<> x == 1", TRUE, true},
    {"clock x; process P(){ state s {x <= 1}; init s; } system P;", "E<> x > 1", FALSE, true},
    {"clock x; int[0,9] v = 5; process P(){ state s {x <= v}; init s; } process Q(){ state a,b; "
     "init a; trans a->b{ assign v = 2; }; } system P,Q;",
     "A[] Q.b imply x <= 2", TRUE, true},
    {"clock x; int[0,9] v = 5; process P(){ state s {x <= v}; init s; } process Q(){ state a,b; "
     "init a; trans a->b{ assign v = 2; }; } system P,Q;",
     "E<> Q.a && x == 5", TRUE, true},
    {"int f(){ int i; int j; int s=0; for (i = 0, j = 5; i < j; i++, j--) s += j - i; return s; } "
     "int r; process P(){ state s,t; init s; trans s->t{ assign r = f(); }; } system P;",
     "A[] P.t imply r == 9", TRUE, true},
    {"int f(int a){ if (a > 0) if (a > 5) return 1; else return 2; return 3; } int r; process P(){ "
     "state s,t; init s; trans s->t{ assign r = f(3)*100+f(9)*10+f(0); }; } system P;",
     "A[] P.t imply r == 213", TRUE, true},
    {"int f(){ for (i : int[0,9]) { if (i*i > 10) return i; } return -1; } int r; process P(){ "
     "state s,t; init s; trans s->t{ assign r = f(); }; } system P;",
     "A[] P.t imply r == 4", TRUE, true},
    {"int a[3]; int i=1; void f(int &x){ x = x + 5; } process P(){ state s,t; init s; trans s->t{ "
     "assign f(a[i]), f(a[i]); }; } system P;",
     "A[] P.t imply a[1] == 10 && a[0] == 0", TRUE, true},
    {"int v=1; int f(int &x, int &y){ x = 5; return y; } int r; process P(){ state s,t; init s; "
     "trans s->t{ assign r = f(v,v); }; } system P;",
     "A[] P.t imply r == 5", TRUE, true},
    {"int a=3; int b1=2; int r; process P(){ state s,t; init s; trans s->t{ assign r = (a && b1) + "
     "(!a) * 10 + (true + true) * 100; }; } system P;",
     "A[] P.t imply r == 201", TRUE, true},
    {"int a=10; int b1=5; process P(){ state s,t; init s; trans s->t{ assign a -= b1 -= 1; }; } "
     "system P;",
     "A[] P.t imply a == 6 && b1 == 4", TRUE, true},
    {"int r; process P(){ state s,t; init s; trans s->t{ select q : bool; assign r = q ? 5 : 7; }; "
     "} system P;",
     "E<> r == 5", TRUE, true},
    {"int r; process P(){ state s,t; init s; trans s->t{ select q : bool; assign r = q ? 5 : 7; }; "
     "} system P;",
     "E<> r == 7", TRUE, true},
    {"process P(const bool q){ state s,t; init s; trans s->t{ guard q; }; } system P;",
     "E<> P(1).t", TRUE, true},
    {"process P(const bool q){ state s,t; init s; trans s->t{ guard q; }; } system P;",
     "E<> P(0).t", FALSE, true},
    {"chan c[2][3]; process P(){ state s,t; init s; trans s->t{ sync c[1][2]!; }; } process "
     "Q(const int[0,1] i, const int[0,2] j){ state s,t; init s; trans s->t{ sync c[i][j]?; }; } "
     "system P,Q;",
     "E<> Q(1,2).t", TRUE, true},
    {"chan c[2][3]; process P(){ state s,t; init s; trans s->t{ sync c[1][2]!; }; } process "
     "Q(const int[0,1] i, const int[0,2] j){ state s,t; init s; trans s->t{ sync c[i][j]?; }; } "
     "system P,Q;",
     "E<> Q(0,2).t || Q(1,1).t || Q(1,0).t", FALSE, true},
    {"broadcast chan c[3]; int v = -1; process P(){ state s,t; init s; trans s->t{ sync c[2]!; }; "
     "} process Q(){ state s,t; init s; trans s->t{ select i : int[0,2]; sync c[i]?; assign v = i; "
     "}; } system P,Q;",
     "A[] P.t imply Q.t && v == 2", TRUE, true},
    {"int a[3]; int i; process P(){ state s,t; init s; trans s->t{ assign a[i++] = 4, a[i] = 6; }; "
     "} system P;",
     "A[] P.t imply a[0] == 4 && a[1] == 6 && i == 1", TRUE, true},
    {"clock x; int[0,1] v; process P(){ state s {x' == v}; init s; trans s->s{ guard v == 0; "
     "assign v = 1; }; } system P;",
     "A[] v == 0 imply x == 0", TRUE, false},
    {"clock x; int[0,1] v; process P(){ state s {x' == v}; init s; trans s->s{ guard v == 0; "
     "assign v = 1; }; } system P;",
     "E<> x > 3", TRUE, false},
    {"clock x; process P(){ state s {x<=7},t; init s; trans s->t{ guard x >= 3;}; } system P;",
     "A[] P.s imply x <= 7", TRUE, true},
    {"clock x; process P(){ state s {x<=7},t; init s; trans s->t{ guard x >= 3;}; } system P;",
     "E<> P.s && x == 7", TRUE, true},
    {"int a=-1; int r; process P(){ state s,t; init s; trans s->t{ assign r = 1 << a; }; } system "
     "P;",
     NULL, FAULT, true},
    {"int a[2]; int i=2; int r; process P(){ state s,t; init s; trans s->t{ assign r = a[i]; }; } "
     "system P;",
     NULL, FAULT, true},
    {"chan c[2]; int i=2; process P(){ state s,t; init s; trans s->t{ sync c[i]!; }; } process "
     "Q(){ state s; init s; trans s->s{ sync c[0]?; }; } system P,Q;",
     NULL, FAULT, true},
    {"int a[2]; int i=0; process P(){ state s,t {a[i] == 0}; init s; trans s->t{ assign i = 2; }; "
     "} system P;",
     NULL, FAULT, true},
    {"int a[2]; int i=2; process P(){ state s,t; init s; trans s->t{ guard a[i] == 0; }; } system "
     "P;",
     NULL, FAULT, true},
    {"typedef struct { int a; } A1; typedef struct { A1 p; int q[2]; } B1; B1 v = { {3}, {4,5} }; "
     "B1 w; process P(){ state s,t; init s; trans s->t{ assign w = v, v.p.a = 9; }; } system P;",
     "A[] P.t imply w.p.a == 3 && w.q[1] == 5 && v.p.a == 9 && w != v", TRUE, true},
    {"clock x; process P(){ state s; commit s; init s; } system P;", "A[] x == 0", TRUE, true},
    {"clock x; process P(){ state s; commit s; init s; } system P;", "A[] not deadlock", FALSE,
     true},
    {"clock x; process P(){ state s,t; init s; trans s->t{ guard x > 2 && x < 3; }; } system P;",
     "E<> P.t", TRUE, false},
    {"clock x; process P(){ state s,t; init s; trans s->t{ guard x > 2 && x < 3; }; } system P;",
     "E<> P.t && x < 2", FALSE, false},
    {"clock x; process P(){ state s,t; init s; trans s->t{ guard x > 2 && x < 2; }; } system P;",
     "E<> P.t", FALSE, false},
    {"clock x; process P(){ state s,t,u; init s; trans s->t{ guard x >= 5; assign x = 0; }, t->u{ "
     "guard x <= 1; }; } system P;",
     "E<> P.u", TRUE, true},
    {"clock x; process P(){ state s,t,u; init s; trans s->t{ guard x >= 5; assign x = 0; }, t->u{ "
     "guard x <= 1; }; } system P;",
     "E<> P.u && x == 0", TRUE, true},
    {"clock x,y; process P(){ state s {x<=3},t {y<=2},u; init s; trans s->t{ guard x>=1; assign y "
     "= 0; }, t->u{ guard y >= 2 && x <= 4; }; } system P;",
     "E<> P.u && x == 3", TRUE, false},
    {"clock x,y; process P(){ state s {x<=3},t {y<=2},u; init s; trans s->t{ guard x>=1; assign y "
     "= 0; }, t->u{ guard y >= 2 && x <= 4; }; } system P;",
     "E<> P.u && x < 3", FALSE, false},
    {"clock x,y; process P(){ state s {x<=3},t {y<=2},u; init s; trans s->t{ guard x>=1; assign y "
     "= 0; }, t->u{ guard y >= 2 && x <= 4; }; } system P;",
     "A[] P.u imply x - y <= 2", TRUE, false},
    {"int g; process P(int &v){ state s,t; init s; trans s->t{ assign v = 3; }; } const int K2 = "
     "4; int loc1; P1 = P(loc1); system P1;",
     "A[] P1.t imply loc1 == 3", TRUE, true},
    {"const bool F = false; const bool T1 = !F; process P(){ state s,t; init s; trans s->t{ guard "
     "T1 && !F; }; } system P;",
     "E<> P.t", TRUE, true},
    {"process U(int &zz){ state s; init s; trans s->s{ guard nosuch; }; } process P(){ state s; "
     "init s; } system P;",
     "A[] P.s", TRUE, true},
    {"int v; process A1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 2; }; } process C1(){ state "
     "a,b; init a; trans a->b{ guard v == 0; assign v = 3; }; } system A1, B1 < C1;",
     "E<> v == 1 || v == 2", FALSE, true},
    {"int v; process A1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard v == 0; assign v = 2; }; } process C1(){ state "
     "a,b; init a; trans a->b{ guard v == 0; assign v = 3; }; } system A1, B1 < C1;",
     "E<> v == 3", TRUE, true},
    {"clock x; int v; process A1(){ state a,b; init a; trans a->b{ assign v = v*10+1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = v*10+2; }; } system A1 < B1;",
     "E<> A1.b && B1.a && x == 1", TRUE, true},
    {"clock x; int v; process A1(){ state a,b; init a; trans a->b{ assign v = v*10+1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = v*10+2; }; } system A1 < B1;",
     "E<> v == 12", TRUE, true},
    {"clock x; int v; process A1(){ state a,b; init a; trans a->b{ assign v = v*10+1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = v*10+2; }; } system A1 < B1;",
     "E<> v == 21", TRUE, true},
    {"clock x; int v; process A1(){ state a,b; init a; trans a->b{ assign v = v*10+1;}; } process "
     "B1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = v*10+2; }; } system A1 < B1;",
     "E<> A1.b && B1.a && x > 5", TRUE, true},
    {"clock x; int v; process A1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = "
     "v*10+1;}; } process B1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = v*10+2; }; "
     "} system A1 < B1;",
     "E<> v == 12", FALSE, true},
    {"clock x; int v; process A1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = "
     "v*10+1;}; } process B1(){ state a,b; init a; trans a->b{ guard x >= 2; assign v = v*10+2; }; "
     "} system A1 < B1;",
     "E<> v == 21", TRUE, true},
    {"process P(const int[0,2] i){ state s,t; init s; trans s->t{ guard i == 2; }; } system P;",
     "E<> exists (k : int[0,2]) P(k).t", TRUE, true},
    {"process P(const int[0,2] i){ state s,t; init s; trans s->t{ guard i == 2; }; } system P;",
     "A[] forall (k : int[0,1]) P(k).s", TRUE, true},
    {"process P(const int[0,2] i){ state s,t; init s; trans s->t{ guard i == 2; }; } system P;",
     "A[] (sum (k : int[0,2]) P(k).t) <= 1", TRUE, true},
    {"clock x; bool q=true; process P(){ state s,t; init s; trans s->t{ guard q && x >= 1 && !(x > "
     "2); }; } system P;",
     "E<> P.t && x == 0", FALSE, true},
    {"clock x; bool q=true; process P(){ state s,t; init s; trans s->t{ guard q && x >= 1 && !(x > "
     "2); }; } system P;",
     "E<> P.t && x == 2", TRUE, true},
    {"int a = 3; int b1; process P(){ state s,t; init s; trans s->t{ assign b1 := -a; }; } system "
     "P;",
     "A[] P.t imply b1 == -3", TRUE, true},
    {"meta int i; int s1; process P(){ void f(){ for (i = 0; i < 3; i++) s1 += i; } state s,t; "
     "init s; trans s->t{ assign f(); }; } system P;",
     "A[] P.t imply s1 == 3", TRUE, true},
    {"int a[2]={1,2}; int b1[2]={3,4}; bool q=true; int r; process P(){ state s,t; init s; trans "
     "s->t{ assign r = (q ? a[1] : b1[1]); }; } system P;",
     "A[] P.t imply r == 2", TRUE, true},
    {"clock x; int v=3; int lim(){ return v - 1; } process P(){ state s {x <= lim()}; init s; } "
     "system P;",
     "E<> x == 2", TRUE, true},
    {"clock x; int v=3; int lim(){ return v - 1; } process P(){ state s {x <= lim()}; init s; } "
     "system P;",
     "E<> x > 2", FALSE, true},
    {"clock x,y; broadcast chan a; process S(){ state s,e; init s; trans s->e{ guard x >= 2; sync "
     "a!; assign x = 0; }; } process R(){ state p,q,r; init p; trans p->q{ guard y <= 3; sync a?; "
     "}, p->r{ guard y >= 5; sync a?; }; } system S,R;",
     "E<> R.q", TRUE, false},
    {"clock x,y; broadcast chan a; process S(){ state s,e; init s; trans s->e{ guard x >= 2; sync "
     "a!; assign x = 0; }; } process R(){ state p,q,r; init p; trans p->q{ guard y <= 3; sync a?; "
     "}, p->r{ guard y >= 5; sync a?; }; } system S,R;",
     "E<> R.r", TRUE, false},
    {"clock x,y; broadcast chan a; process S(){ state s,e; init s; trans s->e{ guard x >= 2; sync "
     "a!; assign x = 0; }; } process R(){ state p,q,r; init p; trans p->q{ guard y <= 3; sync a?; "
     "}, p->r{ guard y >= 5; sync a?; }; } system S,R;",
     "E<> S.e && R.p", TRUE, false},
    {"clock x,y; broadcast chan a; process S(){ state s,e; init s; trans s->e{ guard x >= 2; sync "
     "a!; assign x = 0; }; } process R(){ state p,q,r; init p; trans p->q{ guard y <= 3; sync a?; "
     "}, p->r{ guard y >= 5; sync a?; }; } system S,R;",
     "A[] R.q imply y >= 2", TRUE, false},
    {"clock x,y; broadcast chan a; process S(){ state s,e; init s; trans s->e{ guard x >= 2; sync "
     "a!; assign x = 0; }; } process R(){ state p,q,r; init p; trans p->q{ guard y <= 3; sync a?; "
     "}, p->r{ guard y >= 5; sync a?; }; } system S,R;",
     "E<> R.q && x == 0 && y > 3", FALSE, false},
    {"broadcast chan c; process C(){ state a,b; commit a; init a; trans a->b{ guard false; sync "
     "c?; }, a->b{ }; } process S(){ state a,b; init a; trans a->b{ sync c!; }; } system C,S;",
     "E<> S.b && C.a", FALSE, true},
    {"broadcast chan c; process C(){ state a,b; commit a; init a; trans a->b{ guard false; sync "
     "c?; }, a->b{ }; } process S(){ state a,b; init a; trans a->b{ sync c!; }; } system C,S;",
     "E<> S.b && C.b", TRUE, true},
    {"clock x[3]; int i = 0; int v; int zero(clock &c, int k) { c = k; v++; return k + 1; } "
     "process P(){ state s {x[0] <= 5 && x[1] <= 5 && x[2] <= 5}, e, f; init s;  trans s->e{ guard "
     "x[0] >= 3; assign i = 2, v = zero(x[i], 1) * 10 + v; }, s->f { guard x[0] >= 4; assign "
     "zero(x[i], 0), i++, zero(x[i], 0); }; } system P;",
     "E<> P.e && x[0] == 3 && x[1] == 3 && x[2] == 1", TRUE, true},
    {"clock x[3]; int i = 0; int v; int zero(clock &c, int k) { c = k; v++; return k + 1; } "
     "process P(){ state s {x[0] <= 5 && x[1] <= 5 && x[2] <= 5}, e, f; init s;  trans s->e{ guard "
     "x[0] >= 3; assign i = 2, v = zero(x[i], 1) * 10 + v; }, s->f { guard x[0] >= 4; assign "
     "zero(x[i], 0), i++, zero(x[i], 0); }; } system P;",
     "A[] P.e imply v == 21", TRUE, true},
    {"clock x[3]; int i = 0; int v; int zero(clock &c, int k) { c = k; v++; return k + 1; } "
     "process P(){ state s {x[0] <= 5 && x[1] <= 5 && x[2] <= 5}, e, f; init s;  trans s->e{ guard "
     "x[0] >= 3; assign i = 2, v = zero(x[i], 1) * 10 + v; }, s->f { guard x[0] >= 4; assign "
     "zero(x[i], 0), i++, zero(x[i], 0); }; } system P;",
     "E<> P.f && x[0] == 0 && x[1] == 0 && x[2] == 4", TRUE, true},
    {"clock x[3]; int i = 0; int v; int zero(clock &c, int k) { c = k; v++; return k + 1; } "
     "process P(){ state s {x[0] <= 5 && x[1] <= 5 && x[2] <= 5}, e, f; init s;  trans s->e{ guard "
     "x[0] >= 3; assign i = 2, v = zero(x[i], 1) * 10 + v; }, s->f { guard x[0] >= 4; assign "
     "zero(x[i], 0), i++, zero(x[i], 0); }; } system P;",
     "E<> P.e && x[2] == 0", FALSE, true},
    {"clock x[3], t; int[0,2] i = 1; process P(){ state s {x[i]' == 0 && t <= 4}, e {t <= 4}; init "
     "s; trans s->s{ guard i == 1 && t == 2; assign i = 2; }, s->e{ guard t == 4; }; } system P;",
     "E<> P.e && x[1] == 2 && x[2] == 2 && x[0] == 4", TRUE, false},
    {"clock x[3], t; int[0,2] i = 1; process P(){ state s {x[i]' == 0 && t <= 4}, e {t <= 4}; init "
     "s; trans s->s{ guard i == 1 && t == 2; assign i = 2; }, s->e{ guard t == 4; }; } system P;",
     "A[] x[0] == t", TRUE, false},
    {"clock x[3], t; int[0,2] i = 1; process P(){ state s {x[i]' == 0 && t <= 4}, e {t <= 4}; init "
     "s; trans s->s{ guard i == 1 && t == 2; assign i = 2; }, s->e{ guard t == 4; }; } system P;",
     "E<> P.e && x[1] == 0 && x[2] == 4", TRUE, false},
    {"clock x[3], t; int[0,2] i = 1; process P(){ state s {x[i]' == 0 && t <= 4}, e {t <= 4}; init "
     "s; trans s->s{ guard i == 1 && t == 2; assign i = 2; }, s->e{ guard t == 4; }; } system P;",
     "E<> P.e && x[1] == 1", FALSE, false},
    {"clock x[3]; int i = 2; int v; int zero(clock &c, int k) { c = k; v++; return k + 1; } "
     "process P(){ state s {x[0] <= 5 && x[1] <= 5 && x[2] <= 5}, e, f; init s;  trans s->e{ guard "
     "x[0] >= 3; assign i = 3, v = zero(x[i], 1) * 10 + v; }, s->f { guard x[0] >= 4; assign "
     "zero(x[i], 0), i++, zero(x[i], 0); }; } system P;",
     NULL, FAULT, true},
    {"clock x[3], t; int[0,3] i = 1; process P(){ state s {x[i]' == 0 && t <= 4}, e {t <= 4}; init "
     "s; trans s->s{ guard i == 1 && t == 2; assign i = 3; }, s->e{ guard t == 4; }; } system P;",
     NULL, FAULT, false},
};

static void test_samples(void **state) {
  (void)state;
  ask_samples(samples, sizeof samples / sizeof samples[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
