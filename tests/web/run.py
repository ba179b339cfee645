"""Tests of the pages of clew in a real browser.

    python3 tests/web/run.py CLEW [AXE.js]

Every function test_* of the test_*.py files beside this one is a test. It gets a Setting: the program, a directory of its own and a
browser. At its end, a page that had an error on its console, or asked for anything that is not on this machine, fails the test.
Prints "ok NAME" or "FAIL NAME"; the last line is "N passed, N failed".
"""

import glob
import importlib
import os
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from browser import Browser  # noqa: E402


class Setting:
    def __init__(self, clew, axe, browser, directory):
        self.clew, self.axe, self.browser, self.directory = clew, axe, browser, directory
        self.root = os.path.dirname(os.path.dirname(here))
        self.pages = []

    def example(self, name):
        return os.path.join(self.root, "examples", name)

    def run(self, *arguments, status=None):
        done = subprocess.run([self.clew, *arguments], cwd=self.directory, capture_output=True, text=True, timeout=60)
        assert status is None or done.returncode == status, f"exit status {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def page(self, url):
        page = self.browser.page()
        self.pages.append(page)
        page.open(url)
        return page

    def report(self, *arguments, status=None):
        """The page that --report writes."""
        self.run(*arguments, "--report", "report.html", status=status)
        return self.page("file://" + os.path.join(self.directory, "report.html"))

    def check_barriers(self, page):
        if self.axe is not None:
            found = page.accessibility(self.axe)
            assert not found, "\n".join(found)


def main():
    clew = os.path.abspath(sys.argv[1])
    axe = None
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as file:
            axe = file.read()
    passed = failed = 0
    with Browser() as browser:
        for path in sorted(glob.glob(os.path.join(here, "test_*.py"))):
            module = importlib.import_module(os.path.basename(path)[:-3])
            for name in [n for n in dir(module) if n.startswith("test_")]:
                with tempfile.TemporaryDirectory() as directory:
                    setting = Setting(clew, axe, browser, directory)
                    try:
                        getattr(module, name)(setting)
                        for page in setting.pages:
                            page.value("0")  # whatever was on its way has arrived
                            assert not page.problems, page.problems
                        passed += 1
                        print(f"ok {name}", flush=True)
                    except Exception:
                        failed += 1
                        print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
