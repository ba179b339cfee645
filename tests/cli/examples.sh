# The timed examples: what docs/timed.md and the README quote.

test_example_lease() {
  run check "$examples/lease_bug.xta" --quiet --trace t.json
  expect_status 12
  expect_out '^VIOLATED: invariant "A\[\] not \(Client\(0\).working && Client\(1\).working\)" fails after 7 steps\.$'
  expect_out '^   3  .*arrive\[id\]!\)  @ 0\.5$'
  expect_out '^   4  Server: waiting -> free  @ 10\.5$'
  run replay "$examples/lease_bug.xta" t.json
  expect_status 0
  expect_out '^   4  Server: waiting -> free  @ 10\.5$'
}
test_example_train_gate() {
  run check "$examples/train_gate.xta"
  expect_status 0
  expect_out '^SATISFIED: query "E<> Train\(0\).waiting && Train\(1\).waiting" is true after 5 steps, and 5 others hold'
  expect_out '^  ok           progress "Train\(0\).near --> Train\(0\).bridge"$'
  run check "$examples/train_gate.xta" --query 'sup{Train(0).waiting}: Train(0).x'
  expect_status 0
  expect_out 'Train\(0\).x is at most 39$'
  run check "$examples/train_gate.xta" --query 'E<> Train(0).waiting && Train(0).x > 39'
  expect_status 12
  expect_out '^  NOT SATISFIED query "E<> Train\(0\).waiting && Train\(0\).x > 39"$'
  run check "$examples/train_gate.xta" --query 'A[] Train(0).waiting imply Train(0).x <= 38'
  expect_status 12
  expect_out '^      time passes  @ 38\.5$'
  run check "$examples/train_gate.xta" --param FAIR=0 --query 'Train(0).near --> Train(0).bridge'
  expect_status 13
  expect_out '^      steps [0-9]+ to [0-9]+ can be repeated for ever$'
}
test_example_schedule() {
  run check "$examples/schedule.xta" --query 'sup{Task(0).begun}: Task(0).age' --query 'sup{Task(1).begun}: Task(1).age' \
    --query 'sup{Task(2).begun}: Task(2).age'
  expect_status 0
  expect_out 'Task\(0\).age is at most 2$'
  expect_out 'Task\(1\).age is at most 4$'
  expect_out 'Task\(2\).age is at most 13$'
}
