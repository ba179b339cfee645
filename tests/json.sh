# Shell helpers of the test scripts. Source this file.

# json_get FILE KEY: the value of a top-level scalar key of a JSON result, strings without quotes;
# empty when absent. Enough for the indented form that clew itself writes.
json_get() {
  sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -n 1
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
