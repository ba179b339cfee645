# Completions come from the tables of the options.

test_completion_bash() {
  run completion bash
  expect_status 0
  bash -n out || give_up "not a script of bash"
  cat >ask.bash <<'END'
source ./out
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clew; printf '%s\n' "${COMPREPLY[@]}"; }
ask clew che
ask clew check --rep
ask clew check --exec in
ask clew check --store ex
ask clew check --cb-cac
ask clew version --rep
END
  bash ask.bash >words 2>err || give_up "the script fails"
  printf '%s\n' check --report interp exact --cb-cache '' >expected
  expect_same words expected
}
test_completion_of_other_shells() {
  run completion zsh
  expect_status 0
  expect_out '^#compdef clew$'
  expect_out "\*--exec\[.*\]:value:\(auto interp native\)'"
  run completion fish
  expect_status 0
  expect_out "^complete -c clew -n '__fish_seen_subcommand_from check' -l exec -x -a 'auto interp native'"
  run completion tcsh
  expect_usage 'bash, zsh and fish'
}
