# Petri nets: questions, bounds, nets without an end.

# A producer that never waits.
write_endless() {
  cat >endless.pnml <<'MODEL'
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
  <place id="ready"><initialMarking><text>1</text></initialMarking></place>
  <place id="heap"/>
  <transition id="produce"/>
  <arc id="a" source="ready" target="produce"/>
  <arc id="b" source="produce" target="ready"/>
  <arc id="c" source="produce" target="heap"/>
</page></net></pnml>
MODEL
}

test_net_without_end() {
  write_endless
  run check endless.pnml --json result.json
  expect_status 20
  expect_out '^INCOMPLETE: there are infinitely many states \(the net is unbounded: place heap grows along produce\)'
  expect_json result.json
  grep -q '"endless": "the net is unbounded: place heap grows along produce"' result.json || give_up "not in the JSON"
  # A limit of one's own is kept, and what is asked can still be found.
  run check endless.pnml --max-states 500
  expect_status 20
  expect_out 'the limit on states is reached'
  run check endless.pnml --query 'E<> heap >= 100'
  expect_status 0
  run check endless.pnml --search symbolic
  expect_status 2
  expect_err 'does not end here'
}

test_net_questions() {
  run check "$examples/philosophers.pnml"
  expect_status 10
  expect_out 'take_left \{x=0\}'
  run check "$examples/philosophers.pnml" --query 'E<> tokens-count(eating) >= 2'
  expect_status 0
  run check "$examples/philosophers.pnml" --query 'A[] tokens-count(eating) <= 1'
  expect_status 12
  run check "$examples/philosophers.pnml" --query 'sup: tokens-count(eating, waiting)'
  expect_status 0
  expect_out 'sup: tokens-count\(eating, waiting\).* 4'
  run check "$examples/philosophers.pnml" --query QuasiLiveness
  expect_status 0
  run check "$examples/philosophers.pnml" --query OneSafe
  expect_status 12
  run check "$examples/philosophers.pnml" --goal 'is-fireable(put_back) and tokens-count(fork) = 0'
  expect_status 12
  run check "$examples/philosophers.pnml" --goal 'nobody = 1'
  expect_status 65
  expect_err "the net has no place 'nobody'"
}

test_net_property_file() {
  cat >ask.xml <<'MODEL'
<property-set>
  <property><id>two-eat</id><formula><exists-path><finally><integer-le><integer-constant>2</integer-constant>
    <tokens-count><place>eating</place></tokens-count></integer-le></finally></exists-path></formula></property>
  <property><id>most-eat</id><formula><place-bound><place>eating</place></place-bound></formula></property>
  <property><id>later</id><formula><all-paths><finally><is-fireable><transition>put_back</transition>
    </is-fireable></finally></all-paths></formula></property>
</property-set>
MODEL
  run check "$examples/philosophers.pnml" --queries ask.xml --json result.json
  expect_status 20
  expect_out 'satisfied +query "two-eat"'
  expect_out 'most-eat.* 2'
  expect_out 'not checked +.*later'
  expect_json result.json
}

test_net_traces_are_replayed() {
  run check "$examples/philosophers.pnml" --trace bug.json
  expect_status 10
  run replay "$examples/philosophers.pnml" bug.json
  expect_status 0
  expect_out '^CONFIRMED: a deadlock is reached after 4 steps'
  expect_out 'take_left \{x=3\}'
}

test_net_info() {
  run info "$examples/philosophers.pnml"
  expect_status 0
  expect_out 'unit 1'
}

test_coloured_net() {
  run check "$examples/stop_and_wait.cpn" --trace t.json
  expect_status 10
  expect_out 'Receive\(k=3, n=3, p="N", text="CP"\)'
  expect_out 'Received = 1`"CPN"'
  grep -q '"values": "(k=3, n=3, p=\\"N\\", text=\\"CP\\")"' t.json || give_up "the trace has no values"
  # In another process numbers of tokens may differ; edges and names do not.
  run replay "$examples/stop_and_wait.cpn" t.json
  expect_status 0
  expect_out 'Received = 1`"CPN"'
  run stats "$examples/stop_and_wait.cpn" --param 'Packets=1`(1,"a")'
  expect_out 'states +9 '
  run check "$examples/workshop.cpn" --no-deadlock --goal "size (Mark.Line'Busy 1) + size (Mark.Line'Busy 2) = 2"
  expect_status 0
  run check "$examples/workshop.cpn" --param 'Tools=2`()' --goal "size (Mark.Line'Busy 1) + size (Mark.Line'Busy 2) = 2"
  expect_status 12
  expect_out "2  Line'[12].Start\(p=part\(2\)\)"
  run check "$examples/print_queue.cpn" --invariant "Mark.Office'Queue"
  expect_status 65
  expect_err "this has type int -> \{owner: USER, pages: int\} list list, not bool"
  run check "$examples/print_queue.cpn" --param 'room="x"'
  expect_status 65
  run check "$examples/print_queue.cpn"
  expect_status 0
  refuse_out 'Worth a look'
  run info "$examples/print_queue.cpn"
  expect_status 0
  expect_out 'Queue +32 bits  tokens of JOBS'
  run graph "$examples/print_queue.cpn" -o g.aut
  expect_status 0
  grep -q 'Submit(jobs=\[\], user=bob)' g.aut || give_up "the graph has no bindings"
  run simulate "$examples/print_queue.cpn" --steps 3
  expect_out '1  Submit\(jobs=\[\], user='
}

# States get wider while nobody looks.
test_coloured_net_begins_again() {
  run check "$models/torus.cpn" --goal "Mark.Torus'At 1 = 1\`(99,99)" --json result.json --trace t.json
  expect_status 12
  expect_out ' is reached after 198 steps'
  grep -q '"refits": 1,' result.json || give_up "the search did not begin again"
  run replay "$models/torus.cpn" t.json --goal "Mark.Torus'At 1 = 1\`(99,99)"
  expect_status 0
  run check "$models/torus.cpn" --max-states 9000
  expect_status 20
  expect_out '^INCOMPLETE: the limit on states is reached after 9,000 states'
}

# A place holds the whole state: counts by colour, in every store; ML confirms the counterexample.
test_coloured_net_unfolded() {
  for how in "exact" "tree" "disk --memory 1M" "comback" "exact --threads 4 --thread-share 1" "tree --search dfs"; do
    # shellcheck disable=SC2086
    run stats "$models/table.cpn" --store $how --json result.json
    expect_status 0
    grep -q '"states": 2207,' result.json && grep -q '"transitions": 19520,' result.json || give_up "$how: other counts"
  done
  run check "$models/table.cpn" --goal "size (Mark.Table'Eat 1) = 8" --trace t.json
  expect_status 12
  expect_out '   1  Take\(p=ph\(1\)\)'
  expect_out 'Eat = 1`ph\(1\)\+\+1`ph\(3\)$'
  expect_out 'Free = empty'
  run replay "$models/table.cpn" t.json --goal "size (Mark.Table'Eat 1) = 8"
  expect_status 0
  run check "$models/table.cpn" --invariant "size (Mark.Table'Eat 1) <= 8"
  expect_status 0
  run info "$models/table.cpn"
  expect_out 'Free +16 bits'
}

# An ML function that does not end, and one that raises an exception.
test_coloured_net_fails() {
  sed 's/pages - 1/pages - 1 div (pages - 2)/' "$examples/print_queue.cpn" >fails.cpn
  run check fails.cpn
  expect_status 14
  expect_out 'Print\(job=\{owner=ann,pages=2\}, jobs=\[\]\)'
  expect_out "exception Div \(page 'Office', arc from 'Print' to 'Queue'"
  sed 's/fun rest (/fun forever x = forever (x + 0); fun rest (/; s/pages > 1 then/forever 1 = pages then/' \
    "$examples/print_queue.cpn" >endless.cpn
  run check endless.cpn --max-time 1
  expect_status 20
}

# More tokens for ever, and colours for ever: both are incomplete, within the memory that is allowed.
test_coloured_net_without_end() {
  sed 's/\[length jobs &lt; room\]//; s/<arc id="a1" orientation="PtoT">/<arc id="a1" orientation="BOTHDIR">/' "$examples/print_queue.cpn" >colours.cpn
  run check colours.cpn --memory 2M --max-time 60
  expect_status 20
  expect_out '^INCOMPLETE: '
  sed 's/<annot><text>jobs ^^ .*<\/text><\/annot>/<annot><text>1`jobs ++ 1`jobs<\/text><\/annot>/; s/<arc id="a1" orientation="PtoT">/<arc id="a1" orientation="BOTHDIR">/' \
    "$examples/print_queue.cpn" >tokens.cpn
  run check tokens.cpn
  expect_status 20
  expect_out '^INCOMPLETE: there are infinitely many states \(the net is unbounded: place Queue grows along Submit\)'
}

# A lamp that is on or off, a key that is never used, and a fuse that can blow.
write_lamp() {
  cat >lamp.pnml <<'MODEL'
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
  <place id="off"><initialMarking><text>1</text></initialMarking></place><place id="on"/>
  <place id="key"><initialMarking><text>3</text></initialMarking></place>
  <transition id="switch_on"/><transition id="switch_off"/><transition id="never"/>
  <arc id="a" source="off" target="switch_on"/><arc id="b" source="switch_on" target="on"/>
  <arc id="c" source="on" target="switch_off"/><arc id="d" source="switch_off" target="off"/>
  <arc id="e" source="key" target="never"><inscription><text>4</text></inscription></arc>
</page></net></pnml>
MODEL
}

test_net_questions_of_the_contest() {
  write_lamp
  for search in bfs dfs symbolic; do
    run check lamp.pnml --query StableMarking --search $search
    expect_status 0
    run check lamp.pnml --query QuasiLiveness --search $search
    expect_status 12
    expect_out '^VIOLATED: cover "QuasiLiveness never" is never reached'
    run check lamp.pnml --query Liveness --search $search
    expect_status 13
    run check "$examples/philosophers.pnml" --query StableMarking --search $search
    expect_status 12
    expect_out '^VIOLATED: cover "StableMarking" fails: every place changes'
  done
  # Both at once, in one numbering of statements.
  run check lamp.pnml --query QuasiLiveness --query StableMarking --all
  expect_status 12
  expect_out 'ok +cover "StableMarking"'
  # A few states are enough to see that every place changes; that one stays needs all of them.
  run check "$examples/philosophers.pnml" --query StableMarking --max-states 20
  expect_status 12
  run check lamp.pnml --query StableMarking --max-states 1
  expect_status 20
}

# Clients that do not differ, and (with a first one) clients of whom one differs.
write_clients() { # write_clients FILE WHO-ENTERS
  cat >"$1" <<MODEL
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
  <declaration><structure><declarations>
    <namedsort id="C" name="C"><cyclicenumeration><feconstant id="c0" name="c0"/><feconstant id="c1" name="c1"/>
      <feconstant id="c2" name="c2"/><feconstant id="c3" name="c3"/></cyclicenumeration></namedsort>
    <variabledecl id="x" name="x"><usersort declaration="C"/></variabledecl>
  </declarations></structure></declaration><page id="g">
  <place id="idle"><type><structure><usersort declaration="C"/></structure></type>
    <hlinitialMarking><structure><all><usersort declaration="C"/></all></structure></hlinitialMarking></place>
  <place id="busy"><type><structure><usersort declaration="C"/></structure></type></place>
  <place id="done"><type><structure><usersort declaration="C"/></structure></type></place>
  <transition id="begin"/><transition id="end">$2</transition>
  <arc id="a" source="idle" target="begin"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
  <arc id="b" source="begin" target="busy"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
  <arc id="c" source="busy" target="end"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
  <arc id="d" source="end" target="done"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
</page></net></pnml>
MODEL
}

test_net_symmetry() {
  write_clients clients.pnml ''
  run stats clients.pnml
  expect_out 'states +81 '
  run stats clients.pnml --no-symmetry
  expect_out 'states +81 '
  for how in "canonical" "fast" "canonical --store comback" "canonical --threads 4 --thread-share 1" "canonical --search dfs"; do
    # shellcheck disable=SC2086
    run stats clients.pnml --symmetry $how
    expect_status 0
    expect_out 'states +15 '
  done
  # A counterexample is one of the net: names stay from step to step.
  run check clients.pnml --symmetry canonical --goal 'tokens-count(done) = 2' --trace t.json
  expect_status 12
  expect_out ' is reached after 4 steps'
  run replay clients.pnml t.json --goal 'tokens-count(done) = 2'
  expect_status 0
  # One that is named differs: three are left.
  write_clients one.pnml '<condition><structure><equality><subterm><variable refvariable="x"/></subterm><subterm><useroperator declaration="c2"/></subterm></equality></structure></condition>'
  run stats one.pnml
  expect_out 'states +24 '
  run stats one.pnml --symmetry canonical
  expect_out 'states +12 '
  # Where the order counts there is nothing to exchange.
  run stats "$examples/philosophers.pnml" --symmetry canonical
  expect_status 0
  expect_out 'states +34 '
  expect_err 'no two colours can be exchanged'
}

test_net_figures() {
  write_lamp
  run stats lamp.pnml --json result.json
  expect_status 0
  expect_out '"most tokens in a place": .* 3$'
  expect_out '"most tokens in a marking": .* 4$'
  run check lamp.pnml --json result.json
  expect_status 0
  ! grep -q 'most tokens' result.json || give_up "check has figures that nobody asked for"
  run stats lamp.pnml --search symbolic
  expect_status 0
}

# Numbers of multisets are other ones in another process: states are made again by their edges.
test_coloured_net_checkpoint() {
  for net in torus table; do
    run check "$models/$net.cpn" --json whole.json
    expect_status 0
    # Beyond the markings that are looked at in any case.
    if [ $net = torus ]; then first=6000 second=8000; else first=1100 second=2000; fi
    for store in exact tree disk comback "exact --threads 4 --thread-share 1"; do
      rm -rf kept
      # shellcheck disable=SC2086
      run check "$models/$net.cpn" --max-states $first --checkpoint kept --store $store
      [ "$status" = 75 ] || [ "$status" = 20 ] || give_up "$store: exit $status"
      [ "$status" = 75 ] || continue
      run resume kept --max-states $second
      expect_status 75
      run resume kept --json result.json
      expect_status 0
      expect_same_facts whole.json result.json
    done
  done
  # A violation behind the checkpoint, with a path through states on both sides of it.
  rm -rf kept
  run check "$models/torus.cpn" --goal "Mark.Torus'At 1 = 1\`(99,99)" --max-states 3000 --checkpoint kept
  expect_status 75
  run resume kept --trace t.json
  expect_status 12
  expect_out ' is reached after 198 steps'
  run replay "$models/torus.cpn" t.json --goal "Mark.Torus'At 1 = 1\`(99,99)"
  expect_status 0
  # States that were kept are asked something else.
  run check "$models/table.cpn" --checkpoint all
  expect_status 0
  run resume all --recheck --goal "size (Mark.Table'Eat 1) = 8"
  expect_status 12
  run check "$models/torus.cpn" --checkpoint never --search dfs
  expect_status 2
  expect_err 'does not work with the search dfs for coloured nets'
  # Another net under the same name.
  cp "$models/torus.cpn" changed.cpn
  run check changed.cpn --max-states 1100 --checkpoint other
  expect_status 75
  sed -i 's/mod 100/mod 90/' changed.cpn
  run resume other
  expect_status 65
  expect_err 'has changed since'
}

# Files that mean harm: one message each, nothing is fetched, nothing goes on for ever.
test_net_bad_xml() {
  cat >bomb.pnml <<'MODEL'
<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<pnml><net id="&c;" type="http://x/ptnet"/></pnml>
MODEL
  echo '<!DOCTYPE b [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]><pnml/>' >parameter.pnml
  echo '<!DOCTYPE b [<!ENTITY x SYSTEM "/etc/hostname">]><pnml>&x;</pnml>' >external.pnml
  for file in bomb parameter external; do
    cp $file.pnml $file.cpn
    for suffix in pnml cpn; do
      run check $file.$suffix
      expect_status 65
      expect_err 'error: models must not declare entities'
      [ "$(grep -c error err)" = 1 ] || give_up "more than one message"
    done
  done
  # A type of documents is not looked at: to open this one would wait for ever.
  mkfifo trap.dtd
  write_lamp
  { echo '<!DOCTYPE pnml SYSTEM "trap.dtd">' && cat lamp.pnml; } >typed.pnml
  run check typed.pnml
  expect_status 0
}

test_net_of_many_places() {
  awk 'BEGIN { printf "<pnml><net id=\"n\" type=\"http://x/ptnet\"><page id=\"g\"><transition id=\"t\"/>"
    for (i = 0; i < 1000000; i++) printf "<place id=\"p%d\"/>", i
    print "</page></net></pnml>" }' >places.pnml
  run check places.pnml --query OneSafe --query StableMarking
  expect_status 0
  # A chain: no place is without its neighbours.
  awk 'BEGIN { n = 60000; printf "<pnml><net id=\"n\" type=\"http://x/ptnet\"><page id=\"g\">"
    for (i = 0; i <= n; i++) printf "<place id=\"p%d\"><initialMarking><text>%d</text></initialMarking></place>", i, i == 0
    for (i = 0; i < n; i++) printf "<transition id=\"t%d\"/><arc id=\"a%d\" source=\"p%d\" target=\"t%d\"/><arc id=\"b%d\" source=\"t%d\" target=\"p%d\"/>", i, i, i, i, i, i, i + 1
    print "</page></net></pnml>" }' >chain.pnml
  run check chain.pnml --max-states 20
  expect_status 20
}

# print_queue with declarations before the others, and another guard of Submit.
write_queue() { # write_queue FILE DECLARATIONS GUARD
  sed "s/val room = 2;/$2 val room = 2;/; s/length jobs &lt; room/$3/" "$examples/print_queue.cpn" >"$1"
}

test_coloured_net_functions_without_end() {
  local forever='fun forever x = forever (x + 0);' grow='fun grow (x : int list, 0) = x | grow (x, n) = grow (x ^^ x, n - 1);'
  write_queue guard.cpn "$forever" 'forever 1 = 1'
  write_queue mutual.cpn 'fun one x = other x and other x = one x;' 'one 1 = 1'
  write_queue slow.cpn 'fun slow 0 = 0 | slow n = slow (n - 1) + slow (n - 1);' 'slow 60 = 0'
  write_queue lists.cpn 'fun big (x : int list) = big (x ^^ x);' 'null (big [1])'
  write_queue concat.cpn "$grow" 'null (List.concat (List.tabulate (1000, fn i => grow ([1], 20))))'
  write_queue union.cpn '' 'null (union (List.tabulate (300000, fn i => i)) (List.tabulate (300000, fn i => 0 - i)))'
  write_queue times.cpn '' 'null (1000000 ** (List.tabulate (10000, fn i => i)))'
  for file in guard mutual slow lists concat union times; do
    run check $file.cpn --max-time 1
    expect_status 20
    expect_out '^INCOMPLETE: '
  done
  run check "$examples/print_queue.cpn" --max-time 1 --invariant 'let fun f x = f x in f 1 = 1 end'
  expect_status 20
  # While a net is loaded there is an end by memory, or by the time.
  write_queue deep.cpn 'fun deep x = 1 + deep x;' 'deep 1 = 1'
  run check deep.cpn --max-time 5
  expect_status 20
  expect_out 'calls nest too deeply'
  sed "s/val room = 2;/$forever val room = forever 1;/" "$examples/print_queue.cpn" >value.cpn
  run check value.cpn --max-time 1
  expect_status 65
  expect_err "'room' cannot be used here"
  write_queue start.cpn "$forever" 'true'
  sed -i 's/<initmark><text>\[\]/<initmark><text>if forever 1 = 1 then [] else []/' start.cpn
  run check start.cpn --max-time 1
  expect_status 65
  expect_err 'this cannot be evaluated'
}
