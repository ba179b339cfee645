"""The Python binding: run by tests/api/run with $CLEW_LIBRARY set. Prints "N passed, N failed" last."""

import sys
import threading
import traceback

import clew

COUNTER = """const N: 7; LAST: 7;
var x: 0..N-1;
startstate "zero" x := 0; end;
rule "step" true ==> x := (x + 1) % N; end;
invariant "small" x < LAST;
"""


def test_check():
    model = clew.Model("counter.m", text=COUNTER)
    assert model.language == "murphi" and model.variables == ["x"]
    assert ("small", "invariant") in model.properties
    answer = model.check()
    assert answer.verdict == "holds" and answer.exit_code == 0
    assert answer.counts["states"] == 7 and answer.traces == []
    assert '"verdict": "holds"' in answer.document("json")
    assert answer.document("poem") is None


def test_violation():
    model = clew.Model("counter.m", text=COUNTER, params={"LAST": 4})
    answer = model.check("--exec", "interp")
    assert answer.verdict == "violated" and answer.exit_code == 12
    trace, = answer.traces
    assert trace.property.name == "small" and trace.property.depth == 4
    assert [step.values["x"] for step in trace.steps] == ["0", "1", "2", "3", "4"]
    assert trace.steps[1].name == "step" and trace.steps[1].changed == {"x": "1"}
    assert model.holds_in("small", trace.steps[3].state) is True
    assert model.holds_in("small", trace.steps[4].state) is False
    del model
    assert answer.traces[0].steps[0].state["x"] == "0"


def test_walk():
    model = clew.Model("counter.m", text=COUNTER)
    seen, state = set(), model.initial()[0].state
    while state not in seen:
        seen.add(state)
        steps = model.successors(state)
        assert len(steps) == 1 and not steps.is_deadlock and steps.faults == []
        assert model.fire(state, steps[0].edge) == steps[0].state
        state = steps[0].state
    assert len(seen) == 7 and str(state) == "x = 0\n" and state.values == {"x": "0"}
    assert model.fire(state, 99) is None


def expect(kind, message, make):
    try:
        make()
    except kind as error:
        assert message in str(error), str(error)
        return error
    raise AssertionError("nothing was raised")


def test_errors():
    error = expect(clew.ModelError, "bad.m:1:9", lambda: clew.Model("bad.m", text="var x: 0...3;"))
    assert error.status == 65 and error.diagnostics[0].severity == "error"
    expect(clew.Error, "did you mean --store?", lambda: clew.Model("counter.m", text=COUNTER).check("--stroe=x"))
    expect(clew.Error, "suffix", lambda: clew.Model("counter", text=COUNTER))
    assert clew.Model("counter", text=COUNTER, language="murphi").language == "murphi"
    model = clew.Model("counter.m", text=COUNTER)
    expect(ValueError, "not a state", lambda: model.successors(clew.State(model, [2 ** 64 - 1])))


def test_progress():
    large = ("var x: array [1..24] of boolean; startstate for i: 1..24 do x[i] := false; end; end;"
             "ruleset i: 1..24 do rule true ==> x[i] := !x[i]; end; end;")
    model, seen = clew.Model("large.m", text=large), []
    model.on_progress(lambda states, elapsed_s: seen.append(states) or len(seen) < 3, every_s=0.01)
    assert model.check("--exec", "interp", "--threads", "1").verdict == "incomplete"
    assert len(seen) == 3 and seen == sorted(seen)


def test_threads():
    found = []

    def search(last):
        answer = clew.Model("counter.m", text=COUNTER, params={"LAST": last}).check("--exec=interp")
        found.append((last, answer.exit_code))
    threads = [threading.Thread(target=search, args=(last,)) for last in (2, 4, 6, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(2, 12), (4, 12), (6, 12), (7, 0)]


passed = failed = 0
for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print("FAIL", name)
            traceback.print_exc(file=sys.stdout)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
