"""The page in a real, headless Chromium: what a reader can do with it."""

from __future__ import annotations

import base64
import os
import shutil
import time
from pathlib import Path

import msgspec
import pytest
from compilescope.reports.comparison_page import render as render_comparison
from compilescope.reports.html import render

from compilescope import filters, store
from compilescope.diagnose import diagnose
from compilescope.diagnose.compare import compare
from compilescope.diagnosis import CallSeries, Compile
from compilescope.packs import tuning

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
H200 = Path(__file__).parents[1] / "data" / "h200"
TUNED = Path(__file__).parents[1] / "data" / "tuned"
SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
# Where the accessibility checker lies: `npm install axe-core`.
AXE = [
    Path(os.environ.get("COMPILESCOPE_AXE", "no-axe")),
    Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js",
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no Chromium with its driver"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--force-prefers-reduced-motion",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_window_size(1280, 900)
    yield driver
    driver.quit()


@pytest.fixture
def visit(browser, tmp_path):
    def write(name="shapes", fragment="", found=None):
        session = store.load(SESSIONS / f"{name}.cscope.json.gz")
        path = tmp_path / "page.html"
        text = render(found or diagnose(session), session_json=store.encode(session))
        path.write_text(text, encoding="utf-8")
        browser.get("about:blank")
        browser.get(path.as_uri() + fragment)
        return browser

    yield write
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


def shown(browser, selector):
    return [
        item for item in browser.find_elements(By.CSS_SELECTOR, selector) if item.is_displayed()
    ]


def press(browser, *keys):
    for key in keys:
        browser.find_element(By.TAG_NAME, "body").send_keys(key)


@pytest.mark.parametrize("name", ["shapes", "breaks", "limit", "failed", "nothing"])
def test_opens_without_a_message_and_without_sideways_scrolling(visit, browser, name):
    visit(name)
    for width in (1280, 500):
        browser.set_window_size(width, 900)
        wide = browser.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide == 0
    browser.set_window_size(1280, 900)


def test_what_is_placed_on_the_timeline_moves_with_it(visit):
    # A place in pixels would lie outside the page for a frame after it was made narrower.
    labels = shown(visit(), ".letters a")
    assert labels
    for label in labels:
        assert label.get_attribute("style").strip().rstrip(";").endswith("%")


def test_filter_hides_what_does_not_match_and_is_kept_in_the_address(visit):
    browser = visit("breaks")
    everything = len(shown(browser, "article"))
    browser.find_element(By.ID, "filter").send_keys("is:break")
    assert 0 < len(shown(browser, "article")) < everything
    assert shown(browser, "article.cause") == []
    assert "q=is%3Abreak" in browser.current_url
    assert " of " in browser.find_element(By.ID, "matches").text
    browser.refresh()
    assert shown(browser, "article.cause") == []
    browser.find_element(By.ID, "filter").send_keys(Keys.ESCAPE)
    assert len(shown(browser, "article")) == everything
    assert "#" not in browser.current_url


def test_filter_language(visit):
    browser = visit("breaks")
    field = browser.find_element(By.ID, "filter")

    def matches(query):
        field.clear()
        field.send_keys(query)
        return len(shown(browser, "article.cause, article.break"))

    everything = matches("")
    by_function = matches("fn:clip")
    assert 0 < by_function < everything
    assert matches("!fn:clip") == everything - by_function
    assert matches("kind:tensor.size is:cause") == len(shown(browser, "article.cause"))
    assert matches("s>1000") == 0
    assert matches("file:breaks.py") == everything
    assert matches('"x had 4 elements"') > 0
    assert matches("nowhere-to-be-found") == 0
    assert "0 of" in browser.find_element(By.ID, "matches").text


QUERIES = (
    "clip",
    "!clip",
    "fn:clip",
    "!fn:clip file:breaks.py",
    "kind:SIZE",
    "rule:gb0170",
    'kind:"tensor.size"',
    '"had 4 elements"',
    "had 4",
    "file:",
    "n>",
    "s>50ms",
    "s<=0.06",
    "s>0.05s n=1",
    "call>=2",
    "call<1",
    "cause:a",
    "phase:dynamo",
    "breaks.py:7",
    "n>few",
    "!",
    '"unfinished',
    "is:break",
    "nowhere",
)


def test_filter_means_what_it_means_in_the_terminal(visit):
    browser = visit("breaks")
    items = browser.execute_script(
        "return items.map((item) => [item.textContent, {...item.dataset}])"
    )
    values = []
    for text, data in items:
        row = {"text": text, **data}
        for number in ("n", "s", "call"):
            row.pop(number, None)
            if data.get(number):
                row[number] = float(data[number])
        values.append(row)
    for query in QUERIES:
        shown_here = browser.execute_script(
            "filter(arguments[0]); return items.map((item) => !item.hidden)", query
        )
        if query.startswith("is:"):  # of the page alone
            assert 0 < sum(shown_here) < len(items)
            continue
        parsed = filters.parse(query)
        assert shown_here == [parsed.holds(row) for row in values], query


def test_counts_are_filters(visit):
    browser = visit("breaks")
    count = browser.find_element(By.CSS_SELECTOR, '[data-filter="is:break"]')
    count.click()
    assert shown(browser, "article.cause") == []
    assert count.get_attribute("aria-pressed") == "true"
    count.click()
    assert shown(browser, "article.cause")


def top_of(browser, name):
    script = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
    return browser.execute_script(script, name)


def test_link_to_a_cause_a_call_and_a_function_leads_there(visit):
    found = diagnose(store.load(SESSIONS / "shapes.cscope.json.gz"))
    browser = visit("shapes", f"#{found.causes[-1].id}")
    # On a busy machine the browser goes there some time after the page has loaded.
    WebDriverWait(browser, 30).until(lambda one: 0 <= top_of(one, found.causes[-1].id) < 900)
    row = browser.find_elements(By.CSS_SELECTOR, 'tr[data-is="call"]')[-1].get_attribute("id")
    browser = visit("shapes", f"#{row}")
    assert browser.find_element(By.ID, row).is_displayed()


def test_copies_the_fix(visit):
    browser = visit("shapes")
    origin = {"permission": {"name": "clipboard-read"}, "setting": "granted"}
    browser.execute_cdp_cmd("Browser.setPermission", origin)
    button = browser.find_element(By.CSS_SELECTOR, ".cause [data-copy]")
    button.click()
    time.sleep(0.2)
    assert button.text == "Copied"
    snippet = browser.find_element(By.ID, button.get_attribute("data-copy")).text
    field = browser.find_element(By.ID, "filter")
    field.send_keys(Keys.CONTROL, "v")
    assert field.get_attribute("value") == " ".join(snippet.split("\n"))


def test_keys(visit):
    browser = visit("breaks")
    press(browser, "j", "j")
    current = browser.find_elements(By.CSS_SELECTOR, ".current")
    causes = browser.find_elements(By.CSS_SELECTOR, "article")
    assert current == [causes[1]]
    press(browser, "k")
    assert browser.find_element(By.CSS_SELECTOR, ".current") == causes[0]
    press(browser, "o")
    assert causes[0].find_element(By.TAG_NAME, "details").get_attribute("open")
    press(browser, "]")
    assert "#call-" in browser.current_url
    press(browser, "?")
    assert browser.find_element(By.ID, "help").is_displayed()
    browser.find_element(By.CSS_SELECTOR, "dialog button").click()
    assert not browser.find_element(By.ID, "help").is_displayed()
    press(browser, "/")
    active = browser.switch_to.active_element
    assert active.get_attribute("id") == "filter"
    active.send_keys("jd")
    assert active.get_attribute("value") == "jd"


def test_theme_is_kept(visit):
    browser = visit("shapes")
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = browser.execute_script(colour)
    press(browser, "d", "d")
    dark = browser.execute_script(colour)
    assert light != dark
    browser.refresh()
    assert browser.execute_script(colour) == dark
    browser.execute_script("localStorage.clear()")


def test_dragging_zooms_and_a_double_click_goes_back(visit):
    browser = visit("shapes")
    field = browser.find_element(By.CSS_SELECTOR, ".field")
    svg = field.find_element(By.TAG_NAME, "svg")
    before = svg.get_dom_attribute("viewBox")
    actions = webdriver.ActionChains(browser)
    actions.move_to_element_with_offset(field, -100, 30).click_and_hold()
    actions.move_by_offset(250, 0).release().perform()
    assert svg.get_dom_attribute("viewBox") != before
    webdriver.ActionChains(browser).move_to_element(field).double_click().perform()
    assert svg.get_dom_attribute("viewBox") == before


def test_prints_light_and_open(visit, tmp_path):
    browser = visit("breaks")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    data = base64.b64decode(printed["data"])
    assert data.startswith(b"%PDF")
    assert (
        data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") + data.count(b"/Type/Page") > 1
    )
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.find_elements(By.CSS_SELECTOR, "article details:not([open])") == []
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.find_elements(By.CSS_SELECTOR, "article details:not([open])")


def test_nothing_is_requested(visit):
    browser = visit("shapes")
    names = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert names == 0


def test_without_javascript_everything_is_there(visit):
    browser = visit("breaks")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.refresh()
        assert len(shown(browser, "article.cause")) > 1
        assert browser.find_element(By.TAG_NAME, "h1").is_displayed()
        summary = browser.find_element(By.CSS_SELECTOR, "article summary")
        summary.click()
        assert shown(browser, ".remedy")
        assert shown(browser, ".js") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def large():
    session = store.load(SESSIONS / "shapes.cscope.json.gz")
    found = diagnose(session)
    compiled = tuple(range(0, 100_000, 50))
    seconds = tuple(0.4 if call % 50 == 0 else 0.002 + call % 7 * 1e-4 for call in range(100_000))
    frame = found.causes[0].frame
    recompile = found.recompiles[0]
    return msgspec.structs.replace(
        found,
        calls=(CallSeries("step", 0, seconds, compiled, (), 0.002, 99_951, 0),),
        compiles=tuple(
            Compile(f"0/{n}", frame, 0.4, {"dynamo": 0.4}, "compiled", True, call, callable=0)
            for n, call in enumerate(compiled)
        ),
        recompiles=tuple(
            msgspec.structs.replace(recompile, compile_id=f"0/{n}", call=call, callable=0)
            for n, call in enumerate(compiled)
        ),
    )


def test_a_hundred_thousand_calls_and_two_thousand_compiles_open_in_two_seconds(visit):
    browser = visit("shapes", found=large())
    took = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
    times = [browser.execute_script(took)]
    for _ in range(4):  # a machine that is busy with other work is slow at times
        if min(times) < 2000:
            break
        browser.refresh()
        times.append(browser.execute_script(took))
    assert min(times) < 2000
    start = time.perf_counter()
    field = browser.find_element(By.ID, "filter")
    field.send_keys("step")
    assert " of " in browser.find_element(By.ID, "matches").text
    assert time.perf_counter() - start < 20  # a filter that is not linear would take minutes
    assert len(shown(browser, ".letters a")) > 10


@pytest.mark.parametrize("by", ["click", "key"])
def test_head_of_a_column_sorts_and_a_third_time_brings_the_order_back(visit, by):
    browser = visit("breaks")
    head = browser.find_element(By.CSS_SELECTOR, ".functions th.number:last-child")
    button = head.find_element(By.TAG_NAME, "button")

    def seconds():
        rows = browser.find_elements(By.CSS_SELECTOR, ".functions .item")
        return [float(row.get_attribute("data-s")) for row in rows]

    def press_it():
        button.click() if by == "click" else button.send_keys(Keys.ENTER)

    written = seconds()
    assert len(set(written)) > 1
    seen = []
    for _ in range(3):
        press_it()
        seen.append((head.get_attribute("aria-sort"), seconds()))
    assert seen == [
        ("descending", sorted(written, reverse=True)),
        ("ascending", sorted(written)),
        (None, written),
    ]


def test_trials_of_tune_sort_copy_and_fit(browser, tmp_path):
    found = store.load_tuning(TUNED / "serve-tuned.json")
    path = tmp_path / "tuned.html"
    path.write_text(tuning("html")(found), encoding="utf-8")
    browser.get(path.as_uri())
    browser.find_element(By.CSS_SELECTOR, ".trials th:nth-child(3) button").click()
    worst = [
        float(cell.get_attribute("data-v"))
        for cell in browser.find_elements(By.CSS_SELECTOR, ".trials tbody td:nth-child(3)")
    ]
    assert worst == sorted(worst, reverse=True)
    origin = {"permission": {"name": "clipboard-read"}, "setting": "granted"}
    browser.execute_cdp_cmd("Browser.setPermission", origin)
    browser.find_element(By.CSS_SELECTOR, "[data-copy=diff]").click()
    time.sleep(0.2)
    copied = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == found.patch.diff, "it can be given to git apply"
    for width in (1280, 500):
        browser.set_window_size(width, 900)
        assert browser.execute_script(
            "const all = document.documentElement; return all.scrollWidth === all.clientWidth"
        )
    browser.set_window_size(1280, 900)
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


def complaints(browser, theme):
    """What axe finds with every detail open."""
    script = next(path for path in AXE if path.exists()).read_text(encoding="utf-8")
    browser.execute_script(f"document.documentElement.dataset.theme = '{theme}'")
    browser.execute_script(
        "document.querySelectorAll('details').forEach((details) => { details.open = true })"
    )
    browser.execute_script(script)
    return browser.execute_async_script(
        "const done = arguments[0]; axe.run().then((found) => done(found.violations.map("
        "(v) => [v.id, v.impact, v.nodes.length, v.nodes[0].html.slice(0, 200)])))"
    )


with_axe = pytest.mark.skipif(not any(path.exists() for path in AXE), reason="no axe-core")


@with_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["breaks", "limit", "failed", "shapes", "clean", "ranks", "several"]
)
def test_accessibility_checker_finds_nothing(visit, name, theme):
    assert complaints(visit(name), theme) == []


@with_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility_checker_finds_nothing_on_a_comparison(browser, diagnoses, tmp_path, theme):
    path = tmp_path / "page.html"
    text = render_comparison(compare(diagnoses["breaks"], diagnoses["shapes"]))
    path.write_text(text, encoding="utf-8")
    browser.get(path.as_uri())
    assert complaints(browser, theme) == []


@with_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility_checker_finds_nothing_on_what_tune_found(browser, tmp_path, theme):
    path = tmp_path / "page.html"
    text = tuning("html")(store.load_tuning(TUNED / "serve-tuned.json"))
    path.write_text(text, encoding="utf-8")
    browser.get(path.as_uri())
    assert complaints(browser, theme) == []


@with_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility_checker_finds_nothing_on_strips_and_cuda_graphs(visit, theme):
    proved = diagnose(store.load(TUNED / "serve-tuned.cscope.json.gz"))
    recorded = diagnose(store.load(H200 / "decode_cache.cscope.json.gz"))
    found = msgspec.structs.replace(proved, cudagraphs=recorded.cudagraphs)
    assert complaints(visit(found=found), theme) == []
