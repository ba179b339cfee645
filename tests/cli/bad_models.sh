# Models that are wrong: exit status 65 and a message, whatever the file holds.

# expect_bad PATTERN: refused, with a message that is not endless.
expect_bad() {
  expect_status 65
  expect_err "$1"
  [ ! -s out ] || give_up "standard output is not empty"
  [ "$(wc -c <err)" -lt 20000 ] || give_up "the message is too long"
}

test_bad_missing_file() { run check nothing.m; expect_bad 'nothing.m: error: .*No such file'; expect_lines err 1; }
test_bad_directory() { mkdir d.m; run check d.m; expect_bad 'd.m: error: .*directory'; expect_lines err 1; }
test_bad_empty_file() { : >e.m; run check e.m; expect_bad 'e.m'; }
test_bad_binary_file() { head -c 5000 "$clew" >b.m; run check b.m; expect_bad 'b.m:1:1: error'; }
test_bad_nul_bytes() { printf 'var x : 0..1;\0\0\0 startstate begin x := 0; end;' >n.m; run check n.m; expect_bad 'n.m:1:'; }
test_bad_random_megabyte() {
  # Reproducible noise.
  awk 'BEGIN { srand(7); for (i = 0; i < 1048576; i++) printf "%c", int(rand() * 255) + 1 }' >r.m
  run check r.m
  expect_bad 'r.m:1:'
}
test_bad_deep_nesting() {
  local i
  { printf 'var x : 0..1;\nstartstate begin x := '
    head -c 200000 /dev/zero | tr '\0' '('
    printf 1
    head -c 200000 /dev/zero | tr '\0' ')'
    printf '; end;\n'; } >deep.m
  run check deep.m
  expect_bad 'deep.m:2:.*nest'
  { printf 'var x : 0..1;\nstartstate begin x := 0; end;\nrule true ==> begin '
    for ((i = 0; i < 20000; i++)); do printf 'if true then '; done; } >deepif.m
  run check deepif.m
  expect_bad 'deepif.m:3:'
}
test_bad_unknown_identifier() {
  printf 'var count : 0..3;\nstartstate begin\n  cuont := 0;\nend;\n' >u.m
  run check u.m
  expect_bad '^u.m:3:3: error: .*cuont'
  expect_err '^  cuont := 0;$'
  expect_err '^  \^~~~~$'
}
test_bad_type() {
  printf 'var x : 0..3; b : boolean;\nstartstate begin x := 0; b := x; end;\nrule true ==> begin end;\n' >t.m
  run check t.m
  expect_bad '^t.m:2:.*error'
}
test_bad_constant_overflow() {
  printf 'const N : 9223372036854775807 + 1;\nvar x : 0..3;\nstartstate begin x := 0; end;\nrule true ==> begin end;\n' >o.m
  run check o.m
  expect_bad '^o.m:1:.*error'
  printf 'const N : 99999999999999999999;\nvar x : 0..3;\nstartstate begin x := 0; end;\nrule true ==> begin end;\n' >p.m
  run check p.m
  expect_bad '^p.m:1:.*error'
}
test_bad_huge_array() {
  printf 'var a : array [1..1000000000] of boolean;\nstartstate begin a[1] := true; end;\nrule true ==> begin end;\n' >h.m
  run check h.m
  expect_bad 'h.m'
}
test_bad_huge_state() {
  printf 'var a : array [1..1000000] of 0..2000000000;\nstartstate begin a[1] := 0; end;\nrule true ==> begin end;\n' >s.m
  run check s.m
  expect_bad 's.m'
}
test_bad_many_instances() {
  printf 'var x : 0..3;\nstartstate begin x := 0; end;\nruleset i : 1..1000000000 do rule x < 3 ==> begin x := x + 1; end; end;\n' >m.m
  run check m.m
  expect_bad 'm.m.*1000000000 instances'
}
test_bad_many_errors_are_cut() {
  local i
  { printf 'var x : 0..3;\nstartstate begin\n'
    for ((i = 0; i < 500; i++)); do printf '  y%d := 0;\n' $i; done
    printf 'end;\n'; } >many.m
  run check many.m
  expect_bad '50[01] errors, the first 20 are shown'
}
test_bad_for_every_command() {
  printf 'var x : 0..3;\nstartstate begin y := 0; end;\n' >y.m
  local command
  for command in check stats simulate info; do
    run $command y.m
    expect_bad '^y.m:2:18: error'
  done
  run graph y.m -o y.dot
  expect_bad '^y.m:2:18: error'
  refuse_file y.dot
  run replay y.m t.json
  expect_bad '^y.m:2:18: error'
}
test_bad_result_file_stays() {
  echo precious >out.json
  run check nothing.m --json out.json
  expect_status 65
  grep -qx precious out.json || give_up "the old result is gone"
}
