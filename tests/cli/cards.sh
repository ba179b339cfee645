# The cards of the languages: the model on each of them is one, and they fit a terminal.

test_cards() {
  local language suffix states
  for language in murphi:m:8 dve:dve:3 uppaal:xta:3 pnml:pnml:2; do
    IFS=: read -r language suffix states <<<"$language"
    run help "$language"
    expect_status 0
    ! awk 'length > 80' out | grep -q . || give_up "the card of $language is wider than a terminal"
    [ "$(wc -l <out)" -le 100 ] || give_up "the card of $language has more than two pages"
    sed -n '/^---- a whole model/,/^---- end/p' out | sed '1d;$d' >"card.$suffix"
    run check "card.$suffix" --no-symmetry --json out.json
    expect_status 0
    expect_out '^HOLDS'
    expect_json out.json
    if [ "$suffix" = xta ]; then expect_key out.json discrete_states "$states"; else expect_key out.json states "$states"; fi
  done
  run help klingon
  expect_usage "there is no command 'klingon'"
}
