# Shell helpers of the test scripts. Source this file.

# json_get FILE KEY: the value of a top-level scalar key of a JSON result, strings without quotes;
# empty when absent. Enough for the indented form that clew itself writes.
json_get() {
  sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -n 1
}

# json_facts FILE: the figures that every lossless store and every engine agree on, as words.
json_facts() {
  sed -n 's/^  "\(states\|transitions\|deadlocks\|initial_states\|complete\)": \(.*\),$/\1=\2/p' "$1" | tr '\n' ' '
}

# json_answer FILE WHAT: the verdict; with `all` the exit code, the violated properties, their
# distance and the length of the counterexample, too.
json_answer() {
  case $2 in
  all) sed -n '
    s/^  "\(verdict\|exit_code\)": \(.*\),$/\1=\2/p
    /^  "violations": \[/,/^  \]/s/^      "\(property\|depth\)": \(.*[^,]\),\{0,1\}$/\1=\2/p
    /^  "trace": {/,/^  }/s/^    "length": \([0-9]*\).*/length=\1/p' "$1" | tr '\n' ' ' ;;
  *) sed -n 's/^  "verdict": \(.*\),$/verdict=\1/p' "$1" ;;
  esac
}

pass_count=0 fail_count=0
pass() { pass_count=$((pass_count + 1)); }
fail() {
  fail_count=$((fail_count + 1))
  echo "FAIL $*"
}
finish() {
  echo "$pass_count passed, $fail_count failed"
  [ "$fail_count" -eq 0 ]
}
