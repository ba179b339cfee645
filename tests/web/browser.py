"""Drives a headless Chromium through its debugging pipe: nothing but Python's own library is needed.

    with Browser() as browser:
        page = browser.page()
        page.open("file:///...")
        page.click("#next")
        assert page.value("document.title") == "..."
        page.problems        # exceptions, console errors, requests that leave the machine

Every wait ends: a command that is not answered in time raises TimeoutError.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 20
LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:")


class Browser:
    def __init__(self, width=1360, height=900, dark=False):
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            raise FileNotFoundError("chromium is not installed (scripts/deps web)")
        self.profile = tempfile.mkdtemp(prefix="clew-web-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def wire():  # in the child: the pipe is expected at 3 and 4
            os.dup2(to_browser, 100)
            os.dup2(from_browser, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
             "--hide-scrollbars", "--force-color-profile=srgb", f"--window-size={width},{height}", f"--user-data-dir={self.profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=wire, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.pages = 0, b"", {}
        self.width, self.height, self.dark = width, height, dark

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for end in (self.write_end, self.read_end):
            os.close(end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while True:
            answer = self.receive(end, method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self, end, waiting_for):
        """The next message; events are handed to their page."""
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise TimeoutError(f"the browser does not answer ({waiting_for})")
            piece = os.read(self.read_end, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.note(message["method"], message["params"])
        return message

    def page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.pages[session] = page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=self.width, height=self.height, deviceScaleFactor=1, mobile=False)
        page.scheme("dark" if self.dark else "light")
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.problems, self.requests, self.loaded = [], [], False

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def note(self, method, data):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.problems.append("exception: " + details.get("exception", {}).get("description", details.get("text", "")))
        elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + " ".join(str(a.get("value", a.get("description", ""))) for a in data["args"]))
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.problems.append("log: " + data["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = data["request"]["url"]
            self.requests.append(url)
            if not url.startswith(LOCAL) and not url.startswith("http://127.0.0.1:"):
                self.problems.append("request leaves the machine: " + url)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, url):
        self.loaded = False
        self.call("Page.navigate", url=url)
        end = time.monotonic() + PATIENCE_S
        while not self.loaded:
            self.browser.receive(end, url)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def until(self, expression):
        """Waits until an expression is true."""
        end = time.monotonic() + PATIENCE_S
        while not self.value(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {expression}")
            time.sleep(0.02)

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def click(self, selector):
        """Clicks where the element is, as a person would."""
        self.until(f"document.querySelector({json.dumps(selector)})")
        x, y = self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
                          "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name if len(name) > 1 else "", **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))

    def type(self, selector, text):
        self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.select?.(); }})()")
        self.call("Input.insertText", text=text)

    def screenshot(self, file, selector=None):
        options = {}
        if selector:
            self.value(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'start'}})")
            x, y, w, h = self.value(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                                    "return [r.x + scrollX, r.y + scrollY, r.width, r.height]; })()")
            options = {"clip": {"x": x, "y": y, "width": w, "height": h, "scale": 1}, "captureBeyondViewport": True}
        data = self.call("Page.captureScreenshot", format="png", **options)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def accessibility(self, axe_source):
        """Serious and critical findings of axe-core."""
        self.call("Runtime.evaluate", expression=axe_source)
        found = self.value("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical')"
                           ".map(v => v.id + ': ' + v.help + ' at ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' (' + (n.any[0]?.message ?? '') + ')').join('; ')))")
        return found
