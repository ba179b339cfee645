"""The page of --report."""

import os

RULE = '"</script><script>window.injected=1</script><img src=x onerror=window.injected=2>"'
EVIL = f"""
var x: 0..2;
rule {RULE} x < 2 ==> begin x := x + 1; end;
startstate {RULE} begin x := 0; end;
invariant "<b>bold</b> & \'quoted\' <svg onload=window.injected=3>" x < 2;
"""


def test_counterexample(t):
    page = t.report("check", t.example("peterson.m"), "--param", "POLITE=false", status=12)
    assert page.text(".verdict .word") == "VIOLATED"
    assert "mutual exclusion" in page.text(".verdict .text")
    assert page.value("document.querySelectorAll('.trace tbody tr').length") == 7
    assert "step 0 of 6" in page.text(".action")
    page.click("#next")
    assert "step 1 of 6, line 45" in page.text(".action"), page.text(".action")
    assert page.value("document.querySelectorAll('.stepper .changed').length") == 2
    page.key("End")
    assert "step 6 of 6" in page.text(".action") and "enter, p: " in page.text(".action")
    page.key("Home")
    page.key("ArrowRight")
    page.key("ArrowRight")
    assert "after you, p: " in page.text(".action .name")
    assert page.value("document.querySelector('.trace tr.now td').textContent") == "2"
    t.check_barriers(page)


def test_clicking_through_the_views(t):
    page = t.report("check", t.example("lease_bug.xta"), status=12)
    lines = page.value("[...document.querySelectorAll('#panel-chart .headtext')].map(e => e.firstChild.data)")
    assert lines == ["Client(0)", "Client(1)", "Server", "Wire(0)", "Wire(1)"], lines
    assert page.value("document.querySelectorAll('#panel-chart path.arrow').length") == 6
    page.click("#tab-table")
    assert page.value("document.querySelector('#panel-table').hidden") is False
    page.click("#row-4 td.what")
    assert "step 4 of 7, time 10.5" in page.text(".action")
    assert page.value("document.querySelectorAll('#row-4 td.changed').length") == 1
    page.click("#tab-timeline")
    assert page.value("document.querySelectorAll('#panel-timeline .seg').length") >= 5
    assert "step 4 @ 10.5" in page.value("document.querySelector('#panel-timeline svg').textContent")
    t.check_barriers(page)


def test_playing(t):
    page = t.report("check", t.example("peterson.m"), "--param", "POLITE=false")
    page.value("document.querySelector('#speed').selectedIndex = 2")
    page.click("#play")
    page.until("document.querySelector('.action').innerText.includes('step 2 of 6')")
    page.click("#play")
    assert "play" in page.text("#play")


def test_dark_and_light(t):
    page = t.report("check", t.example("peterson.m"))
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.value(ground)
    page.scheme("dark")
    dark = page.value(ground)
    assert light != dark
    t.check_barriers(page)
    page.click("#theme")
    assert page.value(ground) == light
    page.value("localStorage.clear()")


def test_levels_and_locality(t):
    page = t.report("stats", t.example("lift.dve"), status=0)
    assert page.text(".verdict .word") == "COMPLETE"
    assert page.value("document.querySelectorAll('figure').length") >= 2
    assert page.value("document.querySelectorAll('figure')[0].querySelectorAll('rect.bar').length") == page.value("clew.data().levels.length")
    t.check_barriers(page)


def test_injection(t):
    with open(os.path.join(t.directory, "<i>evil.m"), "w") as file:
        file.write(EVIL)
    page = t.report("check", "<i>evil.m", status=12)
    page.key("End")
    assert page.value("window.injected") is None
    assert page.value("document.querySelectorAll('img, main script, b, i').length") == 0
    assert "onerror" in page.text(".action .name")
    assert "<b>bold</b>" in page.text(".verdict .text")
    assert page.text("h1") == "<i>evil.m"


def test_long_trace(t):
    with open(os.path.join(t.directory, "long.m"), "w") as file:
        file.write('var x: 0..30000; rule "up" x < 30000 ==> begin x := x + 1; end; startstate begin x := 0; end; invariant "small" x < 25000;')
    page = t.report("check", "long.m", "--no-deadlock", status=12)
    page.key("End")
    assert "step 19999 of 19999" in page.text(".action")
    assert page.value("document.querySelector('.trace tr.now td').textContent") == "19999"
    assert page.value("document.querySelectorAll('.trace tbody tr').length") == 400
    assert "5,001 more steps" in page.text("#path")


def test_printing_shows_all(t):
    page = t.report("check", t.example("lease_bug.xta"))
    page.call("Emulation.setEmulatedMedia", media="print")
    shown = page.value("[...document.querySelectorAll('[role=tabpanel]')].map(e => e.getBoundingClientRect().height > 50)")
    assert shown == [True, True, True], shown
    assert page.value("getComputedStyle(document.querySelector('.controls')).display") == "none"


def test_coverage_page(t):
    t.run("check", t.example("coffee.xta"), "--coverage", "coverage.html")
    page = t.page("file://" + os.path.join(t.directory, "coverage.html"))
    assert page.value("document.querySelector('h1').textContent").startswith("Coverage of ")
    assert page.value("document.querySelectorAll('tr.hit').length") >= 4
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        t.check_barriers(page)
