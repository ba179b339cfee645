"""Explores a model by hand, and compares the number of states with that of a search.

    PYTHONPATH=bindings/python CLEW_LIBRARY=build/release/libclew.so examples/api/reach.py examples/peterson.m
"""

import sys

import clew


def reachable(model):
    seen = {step.state for step in model.initial()}
    waiting = list(seen)
    while waiting:
        for step in model.successors(waiting.pop()):
            if step.state not in seen:
                seen.add(step.state)
                waiting.append(step.state)
    return seen


model = clew.Model(sys.argv[1], options=sys.argv[2:])
states = reachable(model)
answer = model.check("--no-symmetry")
print("%d states by hand, %d by a search: %s" % (len(states), answer.counts["states"], answer.verdict))
for outcome in answer.outcomes:
    print("  %s %s: %s" % (outcome.kind, outcome.name, outcome.result))
