# Mistakes on the command line: exit status 2, one line, and where to read more.

test_usage_no_command() { run; expect_usage '^clew: no command; see clew help$'; }
test_usage_unknown_command() { run chekc x.m; expect_usage "unknown command 'chekc' \(did you mean check\?\)"; }
test_usage_missing_model() { run check; expect_usage 'missing argument: .*clew check MODEL'; }
test_usage_two_models() { run check a.m b.m; expect_usage "unexpected argument 'b.m'"; }
test_usage_unknown_option() {
  run check "$models/lock.m" --serch dfs
  expect_usage 'unknown option --serch \(did you mean --search\?\); see clew help check'
}
test_usage_missing_value() { run check "$models/lock.m" --json; expect_usage '--json needs a value'; }
test_usage_foreign_option() { run info "$models/lock.m" --search dfs; expect_usage '--search does not apply to info'; }
test_usage_unknown_search() { run check "$models/lock.m" --search best; expect_usage "no search 'best' \(available: bfs, dfs, symbolic, auto\)"; }
test_usage_unknown_store() { run check "$models/lock.m" --store comfy; expect_usage "no store 'comfy' \(available: auto, exact"; }
test_usage_tiny_memory() { run check "$models/lock.m" --memory 1K; expect_usage '--memory must be at least 1M'; }
test_usage_odd_memory() { run check "$models/lock.m" --memory plenty; expect_usage '--memory needs a size such as'; }
test_usage_odd_exec() { run check "$models/lock.m" --exec jit; expect_usage '--exec is one of auto\|interp\|native'; }

test_usage_dir_under_a_file() {
  : >file
  run check "$models/lock.m" --dir file/below
  expect_usage 'file/below'
}
test_usage_dir_that_is_a_file() { : >file; run check "$models/lock.m" --dir file; expect_usage 'not a directory'; }
test_usage_dir_missing() { run check "$models/lock.m" --dir nowhere; expect_usage 'nowhere'; }
test_usage_json_unwritable() { run check "$models/big.m" --json nowhere/out.json; expect_usage 'nowhere/out.json'; }
test_usage_json_is_a_directory() { mkdir d; run check "$models/big.m" --json d; expect_usage 'd: '; }
test_usage_trace_unwritable() { run check "$models/big.m" --trace nowhere/t.json; expect_usage 'nowhere/t.json'; }
test_usage_one_file_for_two_outputs() { run check "$models/lock.m" --json one --trace one; expect_usage "--trace and --json name the same file"; }

test_usage_trace_to_standard_output() { run check "$models/race.m" --trace -; expect_usage '--trace needs a file'; }

test_usage_unknown_property() {
  run check "$models/lock.m" --property 'mutual exclusoin'
  expect_usage "no property 'mutual exclusoin' \(did you mean 'mutual exclusion'\?\)"
}
test_usage_no_property_left() {
  run check "$models/lock.m" --property deadlock --no-deadlock
  expect_usage 'no property is left'
}
test_usage_param_without_value() { run check "$models/lock.m" --param N; expect_usage "--param needs NAME=VALUE, not 'N'"; }
test_usage_param_unknown() { run check "$models/lock.m" --param M=3; expect_usage "the model has no constant 'M'"; }
test_usage_unknown_language() { run check "$models/lock.m" --lang klingon; expect_usage "no language 'klingon' \(known: murphi"; }
test_usage_unknown_suffix() {
  cp "$models/lock.m" lock.txt
  run check lock.txt
  expect_usage 'the suffix of lock.txt names no language .*say --lang'
  run check lock.txt --lang murphi
  expect_status 0
}
test_usage_graph_without_output() { run graph "$models/lock.m"; expect_usage 'say -o FILE.dot'; }
test_usage_graph_of_unknown_format() { run graph "$models/lock.m" -o x.png; expect_usage 'must end in .dot or .aut'; }

# Small searches use one thread whatever is allowed; --thread-share makes every search a large one.
test_threads() {
  local search
  for search in bfs dfs; do
    run check "$models/lock.m" --threads 4 --search $search --json out.json
    expect_status 0
    expect_silent_err
    expect_key out.json threads 1
  done
  run check "$models/big.m" --param N=4 --threads 3 --thread-share 1 --json out.json
  expect_status 0
  expect_silent_err
  expect_key out.json threads 3
  expect_key out.json states 10000
  run check "$models/big.m" --param N=4 --threads 1 --thread-share 1 --json out.json
  expect_key out.json threads 1
  run check "$models/lock.m" --threads 0
  expect_status 2
}
# As many as the process may use, by affinity.
test_threads_by_default() {
  command -v taskset >/dev/null 2>&1 || return 0
  local first
  first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
  taskset -c "$first" timeout 60 "$clew" check "$models/big.m" --param N=4 --thread-share 1 --json out.json >out 2>err
  status=$?
  expect_status 0
  expect_key out.json threads 1
  run check "$models/big.m" --param N=4 --thread-share 1 --json out.json
  expect_status 0
  local most
  most=$(sed -n 's/^  "threads": \([0-9]*\),*$/\1/p' out.json)
  [ "$most" -ge 1 ] && [ "$most" -le "$(nproc)" ] || give_up "$most threads on $(nproc) processors"
}
test_usage_accepts_no_symmetry() { run check "$models/lock.m" --no-symmetry; expect_status 0; expect_silent_err; }
test_usage_options_may_come_first() { run check --quiet --search=dfs -- "$models/lock.m"; expect_status 0; }
test_usage_escapes_do_not_reach_the_terminal() {
  run check "$(printf 'x\033[31m.m')"
  expect_status 65
  ! grep -q "$(printf '\033')" err || give_up "an escape character was printed"
}

test_help() {
  run help
  expect_status 0
  expect_out '^Commands:'
  expect_out '^  check MODEL'
  expect_out '^ *12  *an invariant is violated'
  expect_silent_err
  run --help
  expect_status 0
  run version
  expect_out '^clew [0-9]+\.[0-9]+\.[0-9]+$'
  run --version
  expect_status 0
}
test_help_of_each_command() {
  local command
  for command in check stats simulate replay graph info help version; do
    run help "$command"
    expect_status 0
    expect_out "^clew $command"
    cp out first
    run "$command" --help
    expect_same first out
  done
  run help check
  expect_out '--memory SIZE'
  expect_out '^Stores:'
  run help chekc
  expect_usage "no command 'chekc' \(did you mean check\?\)"
}
test_help_fits_the_terminal() {
  local command
  for command in check stats simulate replay graph info; do
    run help "$command"
    [ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || give_up "help $command is wider than 80 columns"
  done
}
test_help_man() {
  run help --man
  expect_status 0
  expect_out '^\.TH CLEW 1'
  expect_out '^\\fB\\-\\-memory\\fR'
  if command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1; then
    groff -man -Tascii -ww out >page 2>warnings || give_up "groff fails"
    [ ! -s warnings ] || give_up "groff warns: $(head -3 warnings)"
  fi
}
