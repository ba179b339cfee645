"""The page of clew explore."""

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager


@contextmanager
def exploring(t, *arguments):
    """The address of an explorer, which ends with the block."""
    process = subprocess.Popen([t.clew, "explore", *arguments], cwd=t.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", line)
        assert found, line + process.stdout.read()
        yield found.group(0)
    finally:
        process.terminate()
        try:
            assert process.wait(10) == 0
        finally:
            process.kill()


def walk_page(t, address):
    page = t.page(address)
    page.until("document.querySelector('.choice')")
    return page


def choose(page, text):
    """Clicks the transition whose name begins so."""
    before = page.value("location.hash")
    edge = page.value(f"[...document.querySelectorAll('.choice')].find(c => c.innerText.replace(/^\\d+\\s+/, '').startsWith({json.dumps(text)}))?.dataset.edge")
    assert edge is not None, page.text(".choices")
    page.click(f'.choice[data-edge="{edge}"]')
    page.until(f"location.hash !== {json.dumps(before)} && document.querySelector('.crumb[aria-current]').innerText.includes({json.dumps(text)})")


def test_explore_walking(t):
    with exploring(t, t.example("peterson.m"), "--param", "POLITE=false") as address:
        page = walk_page(t, address)
        choose(page, "raise the flag, p: 0")
        assert page.value("document.querySelectorAll('.state .changed').length") == 2
        choose(page, "after you, p: 0")
        page.click("#undo")
        page.until("document.querySelectorAll('.crumb').length === 2")
        choose(page, "raise the flag, p: 1")  # a branch
        assert page.value("document.querySelectorAll('.crumb').length") == 3
        page.key("u")
        page.until("document.querySelectorAll('.crumb').length === 2")
        assert page.value("document.querySelectorAll('.choice.taken').length") == 2
        t.check_barriers(page)


def test_explore_search_finds_the_bug(t):
    with exploring(t, t.example("peterson.m"), "--param", "POLITE=false") as address:
        page = walk_page(t, address)
        page.click("#tab-search")
        page.type("#expression", "at[0] = critical & at[1] = critical")
        page.key("Enter")
        page.until("document.querySelector('.notice').innerText.includes('Found after 6 steps')")
        assert "mutual exclusion" in page.text(".explore .notice.bad")
        page.type("#expression", "at[0] = nowhere")
        page.click("#panel-search button[type=submit]")
        page.until("document.querySelector('.notice').innerText.includes('nowhere')")
        # The browser tells every refused request on its console; this one was refused on purpose.
        page.problems = [p for p in page.problems if "400" not in p]
        page.click("#tab-walk")
        assert page.value("document.querySelectorAll('.crumb').length") == 7
        t.check_barriers(page)


def test_explore_graph_and_chart(t):
    with exploring(t, t.example("lease_bug.xta")) as address:
        page = walk_page(t, address)
        page.click("#tab-graph")
        page.until("document.querySelectorAll('.node').length > 3")
        page.value("document.querySelectorAll('.node')[2].dispatchEvent(new MouseEvent('click'))")
        page.until("location.hash !== '#0'")
        page.click("#tab-chart")
        page.until("document.querySelector('#panel-chart .headtext')")
        assert "Client(0)" in page.value("document.querySelector('#panel-chart svg').textContent")
        t.check_barriers(page)


def test_explore_labels_stay_within_the_chart(t):
    with exploring(t, t.example("msi_cache.m")) as address:
        page = walk_page(t, address)
        page.click("#tab-search")
        page.type("#expression", "exists p: proc do cache[p].state = M end")
        page.key("Enter")
        page.until("document.querySelector('.notice.good')")
        page.click("#tab-chart")
        page.until("document.querySelector('#panel-chart text.halo')")
        outside = page.value("(() => { const room = document.querySelector('#panel-chart svg').viewBox.baseVal.width;"
                             " return [...document.querySelectorAll('#panel-chart text.halo')].map(t => [t.firstChild.data, t.getBBox()])"
                             ".filter(([_, b]) => b.x < 0 || b.x + b.width > room).map(([text]) => text); })()")
        assert outside == [], outside


def test_explore_counterexample(t):
    t.run("check", t.example("lease_bug.xta"), "--trace", "bug.json", status=12)
    with exploring(t, t.example("lease_bug.xta"), "bug.json") as address:
        page = walk_page(t, address)
        page.until("document.querySelectorAll('.crumb').length === 8")
        assert "violated" in page.text(".explore .notice.bad")
        page.click(".crumb:nth-child(5)")  # back to step 4, and on from there
        page.until("document.querySelector('.crumb[aria-current]').innerText.includes('Server: waiting -> free')")
        assert page.value("document.querySelectorAll('.crumb').length") == 5
        walk = page.value("fetch('api/export?id=' + location.hash.slice(1)).then(r => r.text())")
        with open(os.path.join(t.directory, "walk.json"), "w") as file:
            file.write(walk)
    replayed = t.run("replay", "walk.json", status=0)
    assert "CONFIRMED: a walk of 4 steps" in replayed.stdout, replayed.stdout


def test_explore_saved_search(t):
    t.run("check", t.example("msi_cache.m"), "--checkpoint", "kept", status=0)
    with exploring(t, t.example("msi_cache.m"), "--saved", "kept") as address:
        page = walk_page(t, address)
        page.click("#tab-search")
        assert "108 states" in page.text("#panel-search")
        page.type("#saved-id", "107")
        page.key("Enter")
        page.until("document.querySelector('.notice').innerText.includes('state 107 of the saved search')")
        assert page.value("document.querySelectorAll('.crumb').length") == 14  # it is in the last of 14 levels
        page.type("#saved-expression", "exists p: proc do cache[p].state = M end")
        page.key("Enter")
        page.until("/This is state \\d+ of the saved search/.test(document.querySelector('.notice').innerText) && !document.querySelector('.notice').innerText.includes('107')")
        assert page.value("[...document.querySelectorAll('.state tr')].some(r => /cache.*state/.test(r.innerText) && /\\bM$/.test(r.innerText))")


def test_explore_only_for_us(t):
    def status(url, **headers):
        try:
            return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10).status
        except urllib.error.HTTPError as error:
            return error.code

    with exploring(t, t.example("peterson.m")) as address:
        base = address.rsplit("/", 2)[0]
        assert status(address) == 200
        assert status(address + "api/model") == 200
        assert status(address + "api/nothing") == 404
        assert status(address + "../../etc/passwd") in (403, 404)
        assert status(base + "/") == 403
        assert status(base + "/" + "0" * 32 + "/api/model") == 403
        assert status(address, Host="evil.example:80") == 403  # a name that somebody made point here
        big = urllib.request.Request(address + "api/load", data=b"x" * (17 << 20), method="POST")
        try:
            assert urllib.request.urlopen(big, timeout=30).status == 413
        except urllib.error.HTTPError as error:
            assert error.code == 413
        # Not on any other interface.
        port = base.rsplit(":", 1)[1]
        with open("/proc/net/tcp") as table:
            listening = [line.split()[1] for line in table if line.split()[3] == "0A" and line.split()[1].endswith(f":{int(port):04X}")]
        assert listening == [f"0100007F:{int(port):04X}"], listening


def test_explore_injection(t):
    rule = '"<img src=x onerror=window.injected=1></script><script>window.injected=2</script>"'
    with open(os.path.join(t.directory, "evil.m"), "w") as file:
        file.write(f'var x: 0..3; rule {rule} x < 3 ==> begin x := x + 1; end; startstate {rule} begin x := 0; end; invariant "<b>" x < 1;')
    with exploring(t, "evil.m") as address:
        page = walk_page(t, address)
        page.key("1")
        page.until("document.querySelectorAll('.crumb').length === 2")
        page.click("#tab-graph")
        page.until("document.querySelector('.node')")
        assert page.value("window.injected") is None
        assert page.value("document.querySelectorAll('img, b').length") == 0
        assert "<b>" in page.text(".explore .notice.bad")
