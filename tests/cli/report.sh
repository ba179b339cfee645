# The page for a browser (--report); tests/web looks at it in one.

test_report_counterexample() {
  run check "$models/race.m" --report page.html
  expect_status 12
  expect_out '^VIOLATED: '
  expect_file page.html
  grep -q '^<!DOCTYPE html>' page.html || give_up "no document"
  grep -q 'id="data">{"model"' page.html || give_up "no data"
  grep -q '"word": *"VIOLATED"' page.html || give_up "no verdict"
  grep -q "default-src 'none'" page.html || give_up "no policy"
  ! grep -Eq '(src|href)="(http|//)' page.html || give_up "something is loaded"
}
test_report_of_stats_and_of_what_holds() {
  run stats "$models/lock.m" --report page.html
  expect_status 0
  grep -q '"locality"' page.html || give_up "no locality"
  run check "$models/lock.m" --report - --json out.json
  expect_usage '--report'
  run check "$models/lock.m" --report out.json --json out.json
  expect_usage 'name the same file'
}
test_report_is_text_without_scripts() {
  run check "$models/race.m" --report page.html
  grep -q '<noscript><main><pre>VIOLATED: invariant &quot;mutual exclusion&quot; fails' page.html || give_up "no plain report"
}
test_report_does_not_change_progress() {
  run check "$models/lock.m" --report page.html --progress 0
  expect_status 0
  expect_silent_err
}
