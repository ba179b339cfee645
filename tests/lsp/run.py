#!/usr/bin/env python3
"""`clew lsp` as an editor sees it: real sequences of messages, and what a broken or hostile client sends.

    tests/lsp/run.py CLEW [NAME]

Every function test_* is a test (those whose name has NAME in it). The last line is "N passed, N failed".
"""

import json
import os
import queue
import random
import subprocess
import sys
import threading
import traceback

CLEW = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WAIT_S = 60


class Client:
    """One server. Messages that come are kept by kind."""

    def __init__(self, initialized=True):
        self.process = subprocess.Popen([CLEW, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.incoming, self.others, self.number = queue.Queue(), [], 0
        threading.Thread(target=self._read, daemon=True).start()
        if initialized:
            self.capabilities = self.ask("initialize", {"processId": None, "capabilities": {}})["capabilities"]
            self.tell("initialized", {})

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if line in (b"\r\n", b""):
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(out.read(length)))

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def _next(self):
        message = self.incoming.get(timeout=WAIT_S)
        assert message is not None, "the server has ended: " + self.process.stderr.read().decode()[-2000:]
        return message

    def take(self, wanted):
        """The first message, of those kept or to come, for which wanted is true."""
        for i, message in enumerate(self.others):
            if wanted(message):
                return self.others.pop(i)
        while True:
            message = self._next()
            if wanted(message):
                return message
            self.others.append(message)

    def reply(self, number):
        return self.take(lambda m: "method" not in m and m.get("id") == number)

    def ask(self, method, params):
        message = self.reply(self.request(method, params))
        assert "error" not in message, message
        return message["result"]

    def fails(self, method, params):
        return self.reply(self.request(method, params))["error"]["code"]

    def open(self, name, text, language="murphi"):
        uri = "file:///nowhere/" + name
        self.tell("textDocument/didOpen",
                  {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})
        return uri

    def change(self, uri, version, *changes):
        self.tell("textDocument/didChange",
                  {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def diagnostics(self, uri, version=None):
        message = self.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and
                            m["params"]["uri"] == uri and version in (None, m["params"]["version"]))
        return message["params"]["diagnostics"]

    def at(self, method, uri, line, character, **more):
        return self.ask("textDocument/" + method,
                        dict({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}},
                             **more))

    def end(self):
        assert self.ask("shutdown", None) is None
        self.tell("exit", None)
        self.process.stdin.close()
        status = self.process.wait(timeout=WAIT_S)
        errors = self.process.stderr.read().decode()
        assert status == 0 and errors == "", (status, errors[-2000:])


def place(text, needle, nth=0):
    """Line and character of the n-th occurrence."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(needle, at + 1)
    before = text[:at]
    line = before.count("\n")
    return line, len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2


def span(found):
    start, end = found["range"]["start"], found["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


PETERSON = open(os.path.join(ROOT, "examples", "peterson.m")).read()
LIFT = open(os.path.join(ROOT, "examples", "lift.dve")).read()
FISCHER = open(os.path.join(ROOT, "examples", "fischer.xta")).read()
PHILOSOPHERS = open(os.path.join(ROOT, "examples", "philosophers.pnml")).read()


def test_initialize():
    client = Client()
    for provider in ("hoverProvider", "definitionProvider", "documentSymbolProvider", "referencesProvider"):
        assert client.capabilities[provider] is True
    assert client.capabilities["executeCommandProvider"]["commands"] == ["clew.check"]
    client.end()


def test_diagnostics_as_one_types():
    client = Client()
    uri = client.open("a.m", PETERSON)
    assert client.diagnostics(uri, 1) == []
    line, character = place(PETERSON, "flag: array")
    client.change(uri, 2, {"range": {"start": {"line": line, "character": character},
                                     "end": {"line": line, "character": character + 4}}, "text": "flug"})
    found = client.diagnostics(uri, 2)
    assert found and found[0]["severity"] == 1 and found[0]["source"] == "clew"
    assert "did you mean 'flug'?" in found[0]["message"], found
    use = place(PETERSON, "flag[")
    assert span(found[0]) == (use[0], use[1], use[0], use[1] + 4)
    client.change(uri, 3, {"text": PETERSON})
    assert client.diagnostics(uri, 3) == []
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.diagnostics(uri) == []
    assert client.fails("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}) < 0
    client.end()


def test_other_languages_have_diagnostics():
    client = Client()
    for name, language, text, old, new, message in (
            ("a.dve", "dve", LIFT, "system async;", "system asinc;", "expected"),
            ("a.xta", "uppaal", FISCHER, "system P;", "system Q;", "unknown"),
            ("a.pnml", "pnml", PHILOSOPHERS, "</pnml>", "</pmnl>", "mismatched"),
            ("a.xml", "uppaal", "<nta><declaration>int x;</declaration></nta>", "int x", "ind x", "")):
        assert old in text, (name, old)
        uri = client.open(name, text.replace(old, new), language)
        found = client.diagnostics(uri, 1)
        assert found and message in found[0]["message"], (name, found)
        client.change(uri, 2, {"text": text})
        if name != "a.xml":
            errors = [f for f in client.diagnostics(uri, 2) if f["severity"] == 1]
            assert errors == [], (name, errors)
    client.end()


def test_positions_are_utf16():
    # The wide character is two units, four bytes; the umlaut one unit, two bytes.
    text = 'var x: 0..1;\n/* \U0001F600\u00e4 */ startstate x := yy; end;\nrule true ==> x := 1 - x; end;\n'
    client = Client()
    uri = client.open("wide.m", text)
    found, = client.diagnostics(uri)
    assert span(found) == place(text, "yy") + (1, place(text, "yy")[1] + 2), found
    line, character = place(text, "yy")
    client.change(uri, 2, {"range": {"start": {"line": line, "character": character},
                                     "end": {"line": line, "character": character + 2}}, "text": "0"})
    assert client.diagnostics(uri, 2) == []
    hover = client.at("hover", uri, *place(text, "x :="))
    assert hover["contents"]["value"] == "variable x: 0..1"
    client.end()


def test_hover():
    client = Client()
    uri = client.open("a.m", PETERSON)
    for needle, nth, expected in (("turn", 3, "variable turn: process = 0..1"),
                                  ("POLITE", 3, "constant POLITE: true"),
                                  ("at[p]", 0, "variable at: array [process] of place"),
                                  ("critical", -1, "value critical: place = enum {idle, wanting, waiting, critical}")):
        spot = place(PETERSON, needle, nth if nth >= 0 else PETERSON.count(needle) - 1)
        hover = client.at("hover", uri, spot[0], spot[1] + 1)
        assert hover is not None and hover["contents"]["value"] == expected, (needle, hover)
    assert client.at("hover", uri, 0, 0) is None
    uri = client.open("a.dve", LIFT, "dve")
    names = {s["name"]: s for s in client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})}
    some = next(s for s in names.values() if s["kind"] == 13)
    hover = client.at("hover", uri, some["range"]["start"]["line"], some["range"]["start"]["character"])
    assert "never outside of" in hover["contents"]["value"], hover
    uri = client.open("a.xta", FISCHER, "uppaal")
    spot = place(FISCHER, "id_t")
    hover = client.at("hover", uri, *spot)
    assert hover["contents"]["value"].startswith("type id_t: "), hover
    client.end()


def test_definition_and_references():
    client = Client()
    uri = client.open("a.m", PETERSON)
    declared = place(PETERSON, "turn: process")
    use = place(PETERSON, "turn :=")
    found = client.at("definition", uri, *use)
    assert found["uri"] == uri and span(found) == declared + (declared[0], declared[1] + 4)
    uses = client.at("references", uri, *use, context={"includeDeclaration": True})
    spots = {span(u)[:2] for u in uses}
    assert declared in spots and use in spots
    code = "\n".join(line.split("--")[0] for line in PETERSON.split("\n"))
    words = code.replace("(", " ").replace(")", " ").replace(";", " ").replace(":", " ").split()
    assert len(spots) == words.count("turn"), (spots, words.count("turn"))
    uri = client.open("a.xta", FISCHER, "uppaal")
    outline = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    template = next(s for s in outline if s["name"] == "P")
    state = next(c for c in template["children"] if c["kind"] == 22)
    arrow = place(FISCHER, state["name"] + " -> ")
    found = client.at("definition", uri, *arrow)
    assert span(found)[:2] == (state["range"]["start"]["line"], state["range"]["start"]["character"])
    uri = client.open("a.dve", LIFT, "dve")
    outline = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    cabin = next(s for s in outline if s["name"] == "Cabin")
    idle = next(c for c in cabin["children"] if c["name"] == "idle")
    found = client.at("definition", uri, *place(LIFT, "idle ->"))
    assert span(found) == span(idle)
    client.end()


def test_outline_and_completion():
    client = Client()
    uri = client.open("a.m", PETERSON)
    outline = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    names = [s["name"] for s in outline]
    for name in ("POLITE", "process", "turn", "enter", "mutual exclusion"):
        assert name in names, (name, names)
    assert "p" not in names
    labels = {c["label"] for c in client.at("completion", uri, 0, 0)}
    assert {"turn", "critical", "startstate", "endruleset"} <= labels
    lens, = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lens["command"]["command"] == "clew.check" and lens["command"]["arguments"] == [uri]
    # A text that cannot be parsed still has the names of the one before.
    client.change(uri, 2, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
                           "text": "rule rule\n"})
    assert client.diagnostics(uri, 2)
    assert "turn" in {c["label"] for c in client.at("completion", uri, 0, 0)}
    spot = place(PETERSON, "turn: process")
    assert "process" in client.at("hover", uri, spot[0] + 1, spot[1])["contents"]["value"]
    assert client.at("definition", uri, spot[0] + 1, spot[1]) is None
    client.end()


def test_check():
    client = Client()
    uri = client.open("a.m", PETERSON)
    assert client.diagnostics(uri) == []
    result = client.ask("workspace/executeCommand", {"command": "clew.check", "arguments": [uri]})
    assert result["verdict"] == "holds" and result["exitCode"] == 0 and "HOLDS" in result["text"]
    shown = client.take(lambda m: m.get("method") == "window/showMessage")
    assert shown["params"]["type"] == 3 and shown["params"]["message"] == "clew: holds (20 states)"
    result = client.ask("workspace/executeCommand",
                        {"command": "clew.check", "arguments": [uri, "--param", "POLITE=false"]})
    assert result["verdict"] == "violated" and result["exitCode"] == 12
    shown = client.take(lambda m: m.get("method") == "window/showMessage")
    assert shown["params"]["type"] == 1 and "mutual exclusion" in shown["params"]["message"]
    client.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and not m["params"]["diagnostics"])
    found, = client.diagnostics(uri)
    assert found["source"] == "clew check" and found["range"]["start"]["line"] == place(PETERSON, "invariant")[0]
    assert "6. enter, p: 0  at[0] = critical" in found["message"]
    # What was found about a text goes when the text does.
    client.change(uri, 2, {"text": PETERSON + "\n"})
    assert client.diagnostics(uri, 2) == []
    # It is the text in memory that is checked.
    client.change(uri, 3, {"text": PETERSON.replace("POLITE: true", "POLITE: false")})
    result = client.ask("workspace/executeCommand", {"command": "clew.check", "arguments": [uri]})
    assert result["verdict"] == "violated"
    client.change(uri, 4, {"text": "nonsense"})
    result = client.ask("workspace/executeCommand", {"command": "clew.check", "arguments": [uri]})
    assert result["verdict"] == "none" and result["exitCode"] == 65
    client.end()


LARGE = ("var x: array [1..30] of boolean; startstate for i: 1..30 do x[i] := false; end; end;"
         "ruleset i: 1..30 do rule true ==> x[i] := !x[i]; end; end;")


def test_check_is_cancelled():
    client = Client()
    uri = client.open("large.m", LARGE)
    number = client.request("workspace/executeCommand",
                            {"command": "clew.check", "arguments": [uri, "--exec", "interp", "--memory", "64M"]})
    # The server answers meanwhile.
    assert client.at("hover", uri, 0, 4)["contents"]["value"].startswith("variable x")
    client.tell("$/cancelRequest", {"id": number})
    assert client.reply(number)["error"]["code"] == -32800
    client.request("workspace/executeCommand", {"command": "clew.check", "arguments": [uri, "--exec", "interp"]})
    client.end()  # ends the search too


def test_rules_of_the_protocol():
    client = Client(initialized=False)
    assert client.fails("textDocument/hover", {}) == -32002
    client.tell("textDocument/didOpen", {})
    client.ask("initialize", {})
    assert client.fails("no/method", {}) == -32601
    assert client.fails("textDocument/hover", {}) == -32602
    assert client.fails("workspace/executeCommand", {"command": "rm -rf /"}) == -32602
    assert client.fails("workspace/executeCommand", {"command": "clew.check", "arguments": [7]}) == -32602
    client.send({"jsonrpc": "2.0", "id": "text", "method": "shutdown"})
    assert client.reply("text")["result"] is None
    assert client.fails("initialize", {}) == -32600
    client.tell("exit", None)
    assert client.process.wait(timeout=WAIT_S) == 0
    for last in (b"", b"Content-Length: 10\r\n\r\n{}"):
        client = Client(initialized=False)
        client.raw(last)
        client.process.stdin.close()
        assert client.process.wait(timeout=WAIT_S) == 1


def test_hostile_messages():
    client = Client()
    uri = client.open("a.m", PETERSON)
    bad = [b"Content-Length: 5\r\n\r\n{nope", b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 4\r\n\r\nnull",
           b"Content-Length: xyz\r\n\r\n", b"Nothing: 1\r\n\r\n", b"Content-Length: 0\r\n\r\n",
           b"content-length:2\n\n{}", b"Content-Length: 3\r\n\r\n\xff\xfe\x00"]
    for data in bad:
        client.raw(data)
        assert client.take(lambda m: "error" in m)["error"]["code"] in (-32700, -32600), data
    deep = b"[" * 100000
    client.raw(b"Content-Length: %d\r\n\r\n" % len(deep) + deep)
    assert client.take(lambda m: "error" in m)["error"]["code"] == -32700
    huge = 70 << 20
    client.raw(b"Content-Length: %d\r\n\r\n" % huge)
    for _ in range(70):
        client.raw(b"x" * (1 << 20))
    assert client.take(lambda m: "error" in m)["error"]["code"] == -32600
    client.raw(b"x" * 20000)  # a head without an end
    assert client.take(lambda m: "error" in m)["error"]["code"] == -32700
    for params in (None, [], 7, {"textDocument": 1}, {"textDocument": {"uri": 5}},
                   {"textDocument": {"uri": uri}, "contentChanges": 3},
                   {"textDocument": {"uri": uri}, "contentChanges": [1, {"text": 2}, {"range": 5, "text": ""}]},
                   {"textDocument": {"uri": uri}, "contentChanges": [
                       {"range": {"start": {"line": 10 ** 12, "character": -5}, "end": {"line": -3}}, "text": "--"}]}):
        client.tell("textDocument/didOpen", params)
        client.tell("textDocument/didChange", params)
        client.tell("$/cancelRequest", params)
        if not isinstance(params, dict) or params["textDocument"] != {"uri": uri}:
            assert client.fails("textDocument/hover", params) == -32602
    assert client.at("hover", uri, 10 ** 9, 10 ** 9) is None
    client.end()


def test_random_edits():
    """The text that the server has is the one that the client has, whatever is typed: a request about the last name
    of the text finds it where the client sees it."""
    client, rng, text = Client(), random.Random(5), PETERSON
    uri = client.open("a.m", text)
    pieces = ["x", "\n", " ", "\u00e4\U0001F600", ";", "end", "rule", "\r\n", "{", "\"", "/*", "-- c\n", ""]
    for version in range(2, 120):
        lines = text.split("\n")
        line = rng.randrange(len(lines))
        units = lines[line].encode("utf-16-le")
        a, b = sorted(rng.randrange(len(units) // 2 + 1) for _ in range(2))
        b = min(b, a + 3)
        # Do not cut a character that has two units, nor between \r and \n.
        head, cut = units[:2 * a].decode("utf-16-le", "ignore"), units[2 * a:2 * b].decode("utf-16-le", "ignore")
        if (head + cut).encode("utf-16-le") != units[:2 * b] or "\r" in lines[line]:
            continue
        new = rng.choice(pieces)
        client.change(uri, version, {"range": {"start": {"line": line, "character": a}, "end": {"line": line, "character": b}},
                                     "text": new})
        lines[line] = head + new + lines[line][len(head + cut):]
        text = "\n".join(lines)
    tail = "\nvar last_name: 0..1;\n"
    client.change(uri, 500, {"text": text})
    end = len(text.split("\n")) - 1, len(text.split("\n")[-1].rstrip("\r").encode("utf-16-le")) // 2
    client.change(uri, 501, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": end[0] + 5, "character": 0}},
                             "text": PETERSON + tail})
    found = client.at("hover", uri, *place(PETERSON + tail, "last_name"))
    assert found["contents"]["value"] == "variable last_name: 0..1"
    client.end()


def main():
    passed = failed = 0
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, test in list(globals().items()):
        if not name.startswith("test_") or wanted not in name:
            continue
        try:
            test()
            passed += 1
            print("ok", name)
        except Exception:
            failed += 1
            print("FAIL", name)
            traceback.print_exc(file=sys.stdout)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


main()
