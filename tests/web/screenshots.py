"""Takes the pictures of the manual.

    python3 tests/web/screenshots.py CLEW DIRECTORY
"""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from browser import Browser  # noqa: E402

root = os.path.dirname(os.path.dirname(here))


def report(clew, browser, directory, *arguments):
    subprocess.run([clew, *arguments, "--report", "r.html"], cwd=directory, stdout=subprocess.DEVNULL, timeout=120)
    page = browser.page()
    page.open("file://" + os.path.join(directory, "r.html"))
    return page


SHOP = """type st: enum {idle, busy, broken};
var s: st; n: 0..9; seen: boolean;
startstate s := idle; n := 0; seen := false; end;
rule "work" s = idle ==> s := busy; n := (n + 1) % 5; seen := true; end;
rule "rest" s = busy ==> s := idle; end;
rule "repair" s = broken ==> s := idle; end;
invariant "broken is rare" s = broken -> n = 0;
invariant "busy" s = busy -> n < 9;
"""


def coverage(clew, browser, directory, out):
    with open(os.path.join(directory, "shop.m"), "w") as file:
        file.write(SHOP)
    subprocess.run([clew, "check", "shop.m", "--coverage", "c.html"], cwd=directory, stdout=subprocess.DEVNULL, timeout=120)
    page = browser.page()
    page.open("file://" + os.path.join(directory, "c.html"))
    page.scheme("light")
    page.screenshot(os.path.join(out, "coverage.png"), "body")


def explore(clew, browser, directory, out):
    process = subprocess.Popen([clew, "explore", "examples/msi_cache.m"], cwd=directory, stdout=subprocess.PIPE, text=True)
    try:
        page = browser.page()
        page.open(re.search(r"http\S+", process.stdout.readline()).group(0))
        for steps in (2, 3, 4):
            page.until("document.querySelector('.choice')")
            page.key("1")
            page.until(f"document.querySelectorAll('.crumb').length === {steps}")
        page.click("#tab-graph")
        page.until("document.querySelector('.node')")
        page.screenshot(os.path.join(out, "explore-graph.png"))
        page.click("#tab-search")
        page.type("#expression", "exists p: proc do cache[p].state = M end")
        page.key("Enter")
        page.until("document.querySelector('.notice.good')")
        page.click("#tab-chart")
        page.until("document.querySelector('#panel-chart .headtext')")
        page.scheme("dark")
        page.screenshot(os.path.join(out, "explore-sequence.png"))
    finally:
        process.terminate()
        process.wait()


def main():
    clew, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, Browser(width=1280, height=800) as browser:
        os.symlink(os.path.join(root, "examples"), os.path.join(directory, "examples"))
        page = report(clew, browser, directory, "check", "examples/lease_bug.xta")
        for _ in range(5):
            page.key("ArrowRight")
        page.screenshot(os.path.join(out, "report-sequence.png"))
        page.click("#tab-timeline")
        page.scheme("dark")
        page.value("scrollTo(0, 0)")
        page.screenshot(os.path.join(out, "report-time-dark.png"))
        page = report(clew, browser, directory, "check", "examples/peterson.m", "--param", "POLITE=false")
        page.scheme("light")
        page.key("End")
        page.click("#tab-table")
        page.screenshot(os.path.join(out, "report-table.png"), "#path")
        coverage(clew, browser, directory, out)
        explore(clew, browser, directory, out)


main()
