# docs/tutorial.md: every command in it gives what it shows.
#
# A block behind <!-- file: NAME --> is that file. In other blocks a line "$ COMMAND" is run, and the lines below are its
# output: all of it in order, where "..." stands for any lines, and "..." at the end of a line for the rest of that line.

# follow SHOWN OUTPUT: whether the output is as shown.
follow() {
  awk -v output="$2" '
    function starts(line, part) { return substr(line, 1, length(part)) == part }
    function fits(line, shown) {
      if (shown ~ /\.\.\.$/) return starts(line, substr(shown, 1, length(shown) - 3))
      return line == shown
    }
    BEGIN { while ((getline line <output) > 0) lines[++count] = line; at = 1; any = 0 }
    $0 == "..." { any = 1; next }
    {
      while (any && at <= count && !fits(lines[at], $0)) at++
      if (at > count || !fits(lines[at], $0)) { print "not in the output: " $0; bad = 1; exit }
      at++; any = 0
    }
    END { if (bad || (!any && at <= count)) { if (!bad) print "more is printed: " lines[at]; exit 1 } }' "$1"
}
obey() { # obey COMMAND, into the file "said"
  case $1 in
  clew\ *) eval "timeout 100 \"\$clew\" ${1#clew }" >said 2>said.err </dev/null ;;
  *) eval "$1" >said 2>said.err ;;
  esac
}
compare() { # compare COMMAND: what it said with the file "shown"
  [ -n "$1" ] || return 0
  obey "$1"
  commands=$((commands + 1))
  follow shown said >why || give_up "the tutorial's command '$1': $(cat why)"
}
test_tutorial() {
  local line file='' command='' place=text commands=0
  ln -s "$examples" examples
  while IFS= read -r line; do
    case $place:$line in
    text:'<!-- file: '*) file=${line#<!-- file: } file=${file% -->} ;;
    text:'```'*) if [ -n "$file" ]; then place=file && : >"$file"; else place=session command=''; fi ;;
    file:'```' | session:'```') [ "$place" = file ] || compare "$command"; place=text file='' ;;
    file:*) printf '%s\n' "$line" >>"$file" ;;
    session:'$ '*) compare "$command"; command=${line#$ } && : >shown ;;
    session:*) [ -z "$command" ] || printf '%s\n' "$line" >>shown ;;
    esac
  done <"$examples/../docs/tutorial.md"
  [ "$commands" -ge 20 ] || give_up "only $commands commands were found"
}
