"""clew from Python: a thin layer over libclew.so (include/clew.h) by ctypes.

    import clew

    model = clew.Model("peterson.m", params={"POLITE": "false"})
    answer = model.check()
    print(answer.verdict, answer.counts["states"])
    for step in answer.traces[0].steps:
        print(step.name, step.changed)

    state = model.initial()[0].state
    for step in model.successors(state):
        print(step.name, step.state.values["turn"])

The library is looked for in $CLEW_LIBRARY, then beside this file, then where the system looks.
"""

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint,
                    c_uint32, c_uint64, c_void_p)

__all__ = ["Model", "Answer", "Trace", "Step", "State", "Outcome", "Diagnostic", "Error", "ModelError",
           "version"]

ABI_VERSION = 1
_NO_INDEX = 0xFFFFFFFF


class _Diagnostic(Structure):
    _fields_ = [("severity", c_int), ("file", c_char_p), ("line", c_uint32), ("column", c_uint32),
                ("length", c_uint32), ("message", c_char_p), ("source_line", c_char_p)]


class _Property(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("outcome", c_int), ("is_asked", c_int),
                ("depth", c_uint32), ("trace", c_uint32), ("line", c_uint32), ("column", c_uint32), ("why", c_char_p)]


class _Moment(Structure):
    _fields_ = [("elapsed_s", c_double), ("states", c_uint64), ("transitions", c_uint64),
                ("waiting", c_uint64), ("level", c_uint64), ("memory_bytes", c_uint64)]


_Progress = CFUNCTYPE(c_int, c_void_p, POINTER(_Moment))
_Words = POINTER(c_uint64)

_SIGNATURES = {
    "clew_abi_version": (c_uint, []),
    "clew_version_text": (c_char_p, []),
    "clew_string_free": (None, [c_void_p]),
    "clew_open_file": (c_void_p, [c_char_p, POINTER(c_char_p)]),
    "clew_open_text": (c_void_p, [c_char_p, c_char_p, c_size_t, POINTER(c_char_p)]),
    "clew_close": (None, [c_void_p]),
    "clew_handle_status": (c_int, [c_void_p]),
    "clew_diagnostic_count": (c_uint32, [c_void_p]),
    "clew_diagnostic_get": (c_int, [c_void_p, c_uint32, POINTER(_Diagnostic)]),
    "clew_language_name": (c_char_p, [c_void_p]),
    "clew_variable_count": (c_uint32, [c_void_p]),
    "clew_variable_name": (c_char_p, [c_void_p, c_uint32]),
    "clew_rule_count": (c_uint32, [c_void_p]),
    "clew_property_count": (c_uint32, [c_void_p]),
    "clew_property_name": (c_char_p, [c_void_p, c_uint32]),
    "clew_property_kind_text": (c_char_p, [c_void_p, c_uint32]),
    "clew_set_progress": (None, [c_void_p, _Progress, c_void_p, c_double]),
    "clew_check": (c_void_p, [c_void_p, POINTER(c_char_p)]),
    "clew_explore": (c_void_p, [c_void_p, POINTER(c_char_p)]),
    "clew_stop": (None, [c_void_p]),
    "clew_answer_free": (None, [c_void_p]),
    "clew_answer_status": (c_int, [c_void_p]),
    "clew_answer_diagnostic_count": (c_uint32, [c_void_p]),
    "clew_answer_diagnostic": (c_int, [c_void_p, c_uint32, POINTER(_Diagnostic)]),
    "clew_answer_verdict_name": (c_char_p, [c_void_p]),
    "clew_answer_exit_code": (c_int, [c_void_p]),
    "clew_answer_count": (c_int, [c_void_p, c_char_p, POINTER(c_uint64)]),
    "clew_answer_real": (c_int, [c_void_p, c_char_p, POINTER(c_double)]),
    "clew_answer_property_count": (c_uint32, [c_void_p]),
    "clew_answer_property_get": (c_int, [c_void_p, c_uint32, POINTER(_Property)]),
    "clew_answer_document": (c_void_p, [c_void_p, c_char_p]),
    "clew_trace_count": (c_uint32, [c_void_p]),
    "clew_trace_property": (c_uint32, [c_void_p, c_uint32]),
    "clew_trace_state_count": (c_uint32, [c_void_p, c_uint32]),
    "clew_trace_loop": (c_uint32, [c_void_p, c_uint32]),
    "clew_trace_step": (c_char_p, [c_void_p, c_uint32, c_uint32]),
    "clew_trace_variable_count": (c_uint32, [c_void_p]),
    "clew_trace_variable": (c_char_p, [c_void_p, c_uint32]),
    "clew_trace_value": (c_char_p, [c_void_p, c_uint32, c_uint32, c_uint32]),
    "clew_trace_error": (c_char_p, [c_void_p, c_uint32]),
    "clew_trace_words": (_Words, [c_void_p, c_uint32, c_uint32]),
    "clew_state_word_count": (c_uint32, [c_void_p]),
    "clew_initial": (c_void_p, [c_void_p]),
    "clew_successors": (c_void_p, [c_void_p, _Words]),
    "clew_steps_free": (None, [c_void_p]),
    "clew_steps_count": (c_uint32, [c_void_p]),
    "clew_steps_edge": (c_uint32, [c_void_p, c_uint32]),
    "clew_steps_state": (_Words, [c_void_p, c_uint32]),
    "clew_steps_name": (c_char_p, [c_void_p, c_uint32]),
    "clew_steps_fault_count": (c_uint32, [c_void_p]),
    "clew_steps_fault_name": (c_char_p, [c_void_p, c_uint32]),
    "clew_steps_fault_message": (c_char_p, [c_void_p, c_uint32]),
    "clew_steps_is_deadlock": (c_int, [c_void_p]),
    "clew_fire": (c_int, [c_void_p, _Words, c_uint32, _Words]),
    "clew_holds_in": (c_int, [c_void_p, c_uint32, _Words]),
    "clew_state_text": (c_void_p, [c_void_p, _Words, _Words]),
    "clew_state_value": (c_void_p, [c_void_p, _Words, c_uint32]),
}


def _load():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libclew.so.%d" % ABI_VERSION)
    path = os.environ.get("CLEW_LIBRARY") or (beside if os.path.exists(beside) else None)
    library = ctypes.CDLL(path or "libclew.so.%d" % ABI_VERSION)
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    if library.clew_abi_version() != ABI_VERSION:
        raise ImportError("libclew has ABI %d, this module needs %d" % (library.clew_abi_version(), ABI_VERSION))
    return library


_clew = _load()


def version():
    return _clew.clew_version_text().decode()


def _text(data):
    return data.decode("utf-8", "replace") if data is not None else None


def _taken(pointer):
    """A string that is ours: copied and freed."""
    if not pointer:
        return None
    try:
        return _text(ctypes.cast(pointer, c_char_p).value)
    finally:
        _clew.clew_string_free(pointer)


def _options(words):
    encoded = [os.fsencode(str(word)) for word in words]
    return (c_char_p * (len(encoded) + 1))(*encoded, None)


class Diagnostic:
    """One message: severity ("error", "warning", "note"), file, line, column, length, message."""

    def __init__(self, raw):
        self.severity = ("error", "warning", "note")[raw.severity]
        self.file = _text(raw.file)
        self.line, self.column, self.length = raw.line, raw.column, raw.length
        self.message = _text(raw.message)
        self.source_line = _text(raw.source_line)

    def __str__(self):
        where = "%s:%d:%d: " % (self.file, self.line, self.column) if self.line else ""
        return "%s%s: %s" % (where, self.severity, self.message)


def _diagnostics(count, get, handle):
    found = []
    for i in range(count(handle)):
        raw = _Diagnostic()
        if get(handle, i, byref(raw)):
            found.append(Diagnostic(raw))
    return found


class Error(Exception):
    """Something was refused; `diagnostics` and `status` (an exit code of the program) say what."""

    def __init__(self, status, diagnostics):
        super().__init__("\n".join(str(d) for d in diagnostics) or "status %d" % status)
        self.status, self.diagnostics = status, diagnostics


class ModelError(Error):
    """The model is wrong."""


class State:
    """A state of a model. Equal states are equal keys."""

    __slots__ = ("model", "words")

    def __init__(self, model, words):
        self.model, self.words = model, tuple(words)

    def _array(self):
        return (c_uint64 * len(self.words))(*self.words)

    def __eq__(self, other):
        return isinstance(other, State) and self.words == other.words

    def __hash__(self):
        return hash(self.words)

    def __str__(self):
        return _taken(_clew.clew_state_text(self.model._handle, self._array(), None))

    def __getitem__(self, name):
        """The value of a variable as text; KeyError where there is none."""
        number = self.model._numbers[name]
        value = _taken(_clew.clew_state_value(self.model._handle, self._array(), number))
        if value is None:
            raise KeyError(name)
        return value

    @property
    def values(self):
        """All variables that exist in the state, as texts by name."""
        array, found = self._array(), {}
        for number, name in enumerate(self.model.variables):
            value = _taken(_clew.clew_state_value(self.model._handle, array, number))
            if value is not None:
                found[name] = value
        return found


class Step:
    """A transition: its name, and the state that it leads to. Of a walk it has an edge, for
    Model.fire; of a trace it has the values of the state and those that changed."""

    def __init__(self, name, state, edge=None, values=None, changed=None):
        self.name, self.state, self.edge = name, state, edge
        self.values, self.changed = values, changed

    def __repr__(self):
        return "<step %s>" % self.name


class Steps(list):
    """Steps from one state; `faults` are (name, message) of those that end in a run-time error."""

    def __init__(self, steps, faults, is_deadlock):
        super().__init__(steps)
        self.faults, self.is_deadlock = faults, is_deadlock


class Outcome:
    """The answer for one property: name, kind, result ("holds", "violated", "undecided"), …"""

    def __init__(self, raw):
        self.name, self.kind = _text(raw.name), _text(raw.kind)
        self.result = ("undecided", "holds", "violated")[raw.outcome]
        self.is_asked = bool(raw.is_asked)
        self.depth = None if raw.depth == _NO_INDEX else raw.depth
        self.trace = None if raw.trace == _NO_INDEX else raw.trace
        self.line, self.column = raw.line, raw.column
        self.why = _text(raw.why)

    def __repr__(self):
        return "<%s %s: %s>" % (self.kind, self.name, self.result)


class Trace:
    """A counterexample: its steps, the first of which leads to an initial state."""

    def __init__(self, answer, number):
        handle, model = answer._handle, answer.model
        self.property = answer.outcomes[_clew.clew_trace_property(handle, number)]
        self.error = _text(_clew.clew_trace_error(handle, number))
        loop = _clew.clew_trace_loop(handle, number)
        self.loop = None if loop == _NO_INDEX else loop
        names = [_text(_clew.clew_trace_variable(handle, i))
                 for i in range(_clew.clew_trace_variable_count(handle))]
        count = _clew.clew_trace_state_count(handle, number)
        self.steps, before = [], {}
        for i in range(count):
            texts = ((name, _clew.clew_trace_value(handle, number, i, k)) for k, name in enumerate(names))
            values = {name: _text(value) for name, value in texts if value is not None}
            changed = {n: v for n, v in values.items() if before.get(n) != v}
            words = _clew.clew_trace_words(handle, number, i)
            state = State(model, words[:model._words]) if words else None
            self.steps.append(Step(_text(_clew.clew_trace_step(handle, number, i)), state, values=values,
                                   changed=changed))
            before = values
        self.failing_step = _text(_clew.clew_trace_step(handle, number, count))


class Answer:
    """What a search found out: verdict, exit_code, counts, reals, outcomes, traces, diagnostics."""

    _COUNTS = ("states transitions discrete_states zones zones_expanded initial_states levels diameter deadlocks "
               "max_queue max_depth nodes peak_nodes groups state_bits state_bytes memory_bytes peak_rss_bytes "
               "store_bytes disk_bytes_peak threads seed").split()
    _REALS = "bytes_per_state omission_probability elapsed_s explore_s cpu_s compile_s".split()

    def __init__(self, model, handle):
        self.model, self._handle = model, handle
        self.status = _clew.clew_answer_status(handle)
        self.diagnostics = _diagnostics(_clew.clew_answer_diagnostic_count, _clew.clew_answer_diagnostic, handle)
        if self.status != 0:
            raise Error(self.status, self.diagnostics)
        self.verdict = _text(_clew.clew_answer_verdict_name(handle))
        self.exit_code = _clew.clew_answer_exit_code(handle)
        self.counts = self._figures(self._COUNTS, _clew.clew_answer_count, c_uint64)
        self.reals = self._figures(self._REALS, _clew.clew_answer_real, c_double)
        self.outcomes = []
        for i in range(_clew.clew_answer_property_count(handle)):
            raw = _Property()
            _clew.clew_answer_property_get(handle, i, byref(raw))
            self.outcomes.append(Outcome(raw))
        self.traces = [Trace(self, i) for i in range(_clew.clew_trace_count(handle))]

    def _figures(self, names, get, kind):
        found = {}
        for name in names:
            value = kind()
            if get(self._handle, name.encode(), byref(value)):
                found[name] = value.value
        return found

    def document(self, name):
        """The result as "text", "json", "report", "junit", "sarif", "trace", …; None: nothing to say."""
        return _taken(_clew.clew_answer_document(self._handle, name.encode()))

    def __del__(self):
        if getattr(self, "_handle", None):
            _clew.clew_answer_free(self._handle)
            self._handle = None


class Model:
    """A model, from a file or (with `text`) from memory. ModelError when it is none."""

    def __init__(self, path, text=None, params=None, language=None, options=()):
        words = list(options)
        for name, value in (params or {}).items():
            words += ["--param", "%s=%s" % (name, value)]
        if language is not None:
            words += ["--lang", language]
        if text is None:
            self._handle = _clew.clew_open_file(os.fsencode(path), _options(words))
        else:
            data = text.encode() if isinstance(text, str) else bytes(text)
            self._handle = _clew.clew_open_text(os.fsencode(path), data, len(data), _options(words))
        if not self._handle:
            raise Error(70, [])
        self.diagnostics = _diagnostics(_clew.clew_diagnostic_count, _clew.clew_diagnostic_get, self._handle)
        status = _clew.clew_handle_status(self._handle)
        if status != 0:
            raise (ModelError if status == 65 else Error)(status, self.diagnostics)
        self.language = _text(_clew.clew_language_name(self._handle))
        self.variables = [_text(_clew.clew_variable_name(self._handle, i))
                          for i in range(_clew.clew_variable_count(self._handle))]
        self.properties = [(_text(_clew.clew_property_name(self._handle, i)),
                            _text(_clew.clew_property_kind_text(self._handle, i)))
                           for i in range(_clew.clew_property_count(self._handle))]
        self._numbers = {name: i for i, name in enumerate(self.variables)}
        self._words = _clew.clew_state_word_count(self._handle)
        self._progress = None

    def check(self, *options):
        """`clew check`: Answer. Options are words of the command line."""
        return Answer(self, _clew.clew_check(self._handle, _options(options)))

    def explore(self, *options):
        """`clew stats`: Answer."""
        return Answer(self, _clew.clew_explore(self._handle, _options(options)))

    def stop(self):
        """From another thread: ends the search that is under way."""
        _clew.clew_stop(self._handle)

    def on_progress(self, function, every_s=0.5):
        """function(states, elapsed_s) is called during searches; False ends them. None: no longer."""
        def call(_, moment):
            return 0 if function(moment.contents.states, moment.contents.elapsed_s) is False else 1
        self._progress = _Progress(call) if function is not None else _Progress()
        _clew.clew_set_progress(self._handle, self._progress, None, every_s)

    def _steps(self, handle):
        if not handle:
            raise ValueError("not a state of this model")
        try:
            steps = [Step(_text(_clew.clew_steps_name(handle, i)),
                          State(self, _clew.clew_steps_state(handle, i)[:self._words]),
                          edge=_clew.clew_steps_edge(handle, i))
                     for i in range(_clew.clew_steps_count(handle))]
            faults = [(_text(_clew.clew_steps_fault_name(handle, i)),
                       _text(_clew.clew_steps_fault_message(handle, i)))
                      for i in range(_clew.clew_steps_fault_count(handle))]
            return Steps(steps, faults, bool(_clew.clew_steps_is_deadlock(handle)))
        finally:
            _clew.clew_steps_free(handle)

    def initial(self):
        return self._steps(_clew.clew_initial(self._handle))

    def successors(self, state):
        return self._steps(_clew.clew_successors(self._handle, state._array()))

    def fire(self, state, edge):
        """The state that the edge leads to; None when it is not enabled."""
        out = (c_uint64 * self._words)()
        return State(self, out) if _clew.clew_fire(self._handle, state._array(), edge, out) else None

    def holds_in(self, name, state):
        """Whether an invariant holds in a state; None where that cannot be said."""
        number = [n for n, _ in self.properties].index(name)
        return {1: True, 0: False}.get(_clew.clew_holds_in(self._handle, number, state._array()))

    def __del__(self):
        if getattr(self, "_handle", None):
            _clew.clew_close(self._handle)
            self._handle = None
