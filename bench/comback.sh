# Shared by bench/comback-*: instances of BEEM with known counts, and runs with the comback store.
# Source it in the project's root. Needs ../shared; says so and ends where there is none.
. tests/json.sh
models=../shared/models/dve beem=../shared/truth/beem.csv
if [ ! -d $models ]; then
  echo "no $models: nothing to do"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out.json

# states_of INSTANCE: the number that is known for sure, or nothing.
states_of() { awk -F, -v name="$1" '$1 == name && $6 != "weak" {print $2}' $beem; }

# present CSV FROM TO [INSTANCE...]: instances of a table of the paper that are there and have so many
# states; those named only, if any are.
present() {
  local name states wanted="${*:4}"
  grep -v -e '^#' -e '^instance' "$1" | cut -d, -f1 | sort -u | while IFS= read -r name; do
    states=$(states_of "$name")
    case " $wanted " in "  " | *" $name "*) ;; *) continue ;; esac
    if [ -f "$models/$name.dve" ] && [ -n "$states" ] && [ "$states" -ge "$2" ] && [ "$states" -le "$3" ]; then
      echo "$name $states"
    fi
  done
}

# explore INSTANCE STATES OPTIONS...: sets events, transitions, cpu, elapsed and bytes (per state); a wrong count is fatal.
explore() {
  local name=$1 known=$2
  shift 2
  "$clew" stats "$models/$name.dve" --exec native --quiet --json "$out" "$@" >"$work/text" 2>&1
  events=$(sed -n 's/^ *"events_executed": \([0-9]*\),*$/\1/p' "$out") transitions=$(json_get "$out" transitions) cpu=$(json_get "$out" cpu_s)
  bytes=$(json_get "$out" bytes_per_state) elapsed=$(json_get "$out" explore_s)
  if [ "$(json_get "$out" states)" != "$known" ]; then
    echo "$name $*: $(json_get "$out" states) states, expected $known" >&2
    tail -n 3 "$work/text" >&2
    exit 1
  fi
  rm -f "$out"
}
