# `clew explore`, as far as no browser is needed; tests/web has the rest.

test_explore_help() {
  run help explore
  expect_status 0
  expect_out '--port N'
  expect_out '--saved DIR'
}
test_explore_refuses() {
  run explore "$models/lock.m" --port 70000
  if grep -qE 'built without libmicrohttpd|which is not installed' err; then
    expect_status 2
    return
  fi
  expect_usage '--port must be at most 65535'
  run explore "$models/lock.m" missing.json
  expect_status 65
  expect_err 'missing.json'
  run explore "$models/lock.m" --saved missing
  expect_status 65
  expect_err 'missing'
  run check "$models/lock.m" --checkpoint kept
  run explore "$models/race.m" --saved kept
  expect_status 65
  expect_err 'belongs to another model'
}
test_explore_ends_when_told() {
  timeout 60 "$clew" explore "$models/lock.m" >out 2>err &
  local process=$! tries=0
  until [ -s out ] || [ -s err ] || [ $tries -ge 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  if grep -qE 'built without libmicrohttpd|which is not installed' err; then return; fi
  expect_out 'lock.m is at http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$'
  kill -INT $process
  wait $process
  status=$?
  expect_status 0
  expect_silent_err
}
# The library is loaded by this command alone, and one that is missing, or is another one, is named.
test_explore_without_library() {
  CLEW_MICROHTTPD=/no/such/library run explore "$models/lock.m"
  expect_status 2
  expect_err 'libmicrohttpd'
  CLEW_MICROHTTPD=libm.so.6 run explore "$models/lock.m"
  expect_status 2
  expect_err 'libmicrohttpd'
  if command -v ldd >/dev/null && ldd "$clew" 2>/dev/null | grep -q microhttpd; then
    give_up 'every command loads libmicrohttpd'
  fi
}
