"""The live page in a browser: it shows each interval once, whatever happens to page, console and run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from igen.store.active import ActiveRun
from igen.store.run import Run
from igen.store.store import Store
from tests.browser.axe import axe
from tests.chromium import PATIENCE_MS, expect
from tests.console.live.growing import INTERVALS, grow, job_bytes, new_run
from tests.console.live.serving import Serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.xdist_group("browser")
NARROW = {"width": 320, "height": 640}
HOSTILE = "<img src=x onerror=document.title='taken'>"
FILES = {number: job_bytes(number) for number in (1, 2)}
EXPECTED = [0.5 + second for second in range(INTERVALS)] + [30.5 + second for second in range(INTERVALS)]
"""Begin of each interval."""
POINTS = "document.getElementById('live').points().map((point) => point.start_s)"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def serving(store: Path) -> Iterator[Serving]:
    store.mkdir()
    with Serving(Store(store)) as serving:
        yield serving


@pytest.fixture
def context(browser: Browser, serving: Serving) -> Iterator[BrowserContext]:
    """A browser that was let in, and in which nothing may be refused by the pages' own policy."""
    with browser.new_context() as context:
        context.add_cookies([serving.cookie])  # type: ignore[list-item]
        context.set_default_timeout(PATIENCE_MS)
        said: list[str] = []
        context.on("console", lambda message: said.append(message.text))
        context.on("weberror", lambda error: said.append(str(error.error)))
        yield context
        assert not [text for text in said if "Content Security Policy" in text or "Error" in text]


def half(number: int) -> int:
    """Behind the middle of a file, in the middle of a line."""
    return len(FILES[number]) // 2 + 7


def shown(page: Page, expected: list[float]) -> None:
    """Waits until exactly these intervals are there."""
    page.wait_for_function(f"(wanted) => JSON.stringify({POINTS}) === JSON.stringify(wanted)", arg=expected)


def look(context: BrowserContext, serving: Serving, run: Run, query: str = "") -> Page:
    page = context.new_page()
    page.goto(serving.url(f"/runs/{run.id}/live{query}"))
    return page


@pytest.mark.parametrize("stream", ["shared", "own", pytest.param("asked", marks=pytest.mark.slow)])
def test_a_reload_in_the_middle_shows_no_gap_and_no_double(
    context: BrowserContext, serving: Serving, store: Path, stream: str
) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id):
        grow(run, 1, FILES[1][: half(1)])
        page = look(context, serving, run, f"?stream={stream}")
        page.wait_for_function(f"() => {POINTS}.length > 3")
        before: list[Any] = page.evaluate(POINTS)
        grow(run, 1, FILES[1][half(1) :])
        shown(page, EXPECTED[:INTERVALS])
        assert before == EXPECTED[: len(before)]
        page.reload()
        grow(run, 2, FILES[2][: half(2)])
        page.wait_for_function(f"() => {POINTS}.length > {INTERVALS + 3}")
        page.reload()
        grow(run, 2, FILES[2][half(2) :])
        shown(page, EXPECTED)
        assert page.evaluate("document.getElementById('live').source.how") == stream


def test_whoever_has_a_link_to_a_run_sees_how_it_goes(
    browser: Browser, serving: Serving, store: Path
) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id), browser.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        grow(run, 1, FILES[1][: half(1)])
        page = context.new_page()
        page.goto(serving.shared(run.id))
        page.wait_for_function(f"() => {POINTS}.length > 3")
        grow(run, 1, FILES[1][half(1) :])
        shown(page, EXPECTED[:INTERVALS])
        assert page.evaluate("document.getElementById('live').source.how") == "own"
        expect(page.locator("form, nav, [href^='/runs']")).to_have_count(0)


def test_seven_tabs_share_one_stream(context: BrowserContext, serving: Serving, store: Path) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id):
        grow(run, 1, FILES[1][: half(1)])
        pages = [look(context, serving, run) for _ in range(7)]
        grow(run, 1, FILES[1][half(1) :])
        for page in pages:
            shown(page, EXPECTED[:INTERVALS])
        for page in pages[::2]:
            page.close()
        grow(run, 2, FILES[2])
        shown(pages[1], EXPECTED)


NO_WORKER = """
globalThis.SharedWorker = class {
  constructor() {
    this.port = { postMessage() {}, close() {} };
    setTimeout(() => this.onerror());
  }
};
"""


def test_what_is_answered_late_takes_nothing_away(
    context: BrowserContext, serving: Serving, store: Path
) -> None:
    run = new_run(store)
    held: list[Any] = []
    later = (len(FILES[1]) + half(1)) // 2

    def hold(route: Any) -> None:
        """Has it answered when there is something new, and told when the page's own stream is further on."""
        grow(run, 1, FILES[1][half(1) : later])
        for _ in range(1000):
            if (answer := route.fetch()).json()["digests"]:
                held.append((route, answer))
                return

    context.add_init_script(NO_WORKER)
    context.route("**/digest*", hold)
    with ActiveRun(store, run.id):
        grow(run, 1, FILES[1][: half(1)])
        page = look(context, serving, run)
        page.wait_for_function("() => document.getElementById('live').source.how === 'own'")
        while not held:
            page.wait_for_timeout(50)
        grow(run, 1, FILES[1][later:])
        shown(page, EXPECTED[:INTERVALS])
        with page.expect_response("**/digest*"):
            held[0][0].fulfill(response=held[0][1])
        grow(run, 2, FILES[2])
        shown(page, EXPECTED)


def test_a_tab_whose_first_question_fails_asks_again(
    context: BrowserContext, serving: Serving, store: Path
) -> None:
    run = new_run(store)
    context.route("**/digest*", lambda route: route.abort(), times=1)
    with ActiveRun(store, run.id):
        grow(run, 1, FILES[1][: half(1)])
        page = look(context, serving, run)
        page.wait_for_function("() => document.getElementById('live').source.how === 'asked'")
        grow(run, 1, FILES[1][half(1) :])
        shown(page, EXPECTED[:INTERVALS])


def test_a_console_that_was_ended_goes_on_where_it_was(
    context: BrowserContext, serving: Serving, store: Path
) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id):
        grow(run, 1, FILES[1][: half(1)])
        page = look(context, serving, run)
        page.wait_for_function(f"() => {POINTS}.length > 3")
        page.wait_for_function("() => document.getElementById('words').textContent.includes('level 1 of 3')")
        serving.end()
        grow(run, 1, FILES[1][half(1) :])
        page.wait_for_function("() => document.getElementById('words').textContent.includes('no connection')")
        serving.start()
        shown(page, EXPECTED[:INTERVALS])
        page.wait_for_function(
            "() => !document.getElementById('words').textContent.includes('no connection')"
        )


def test_a_run_that_was_killed_is_cut_off(context: BrowserContext, serving: Serving, store: Path) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id):
        grow(
            run,
            1,
            b"\n".join(line.split(b',"line":')[0] + b"}" for line in FILES[1].split(b"\n")[:12]) + b"\n",
        )
        page = look(context, serving, run)
        page.wait_for_function("() => document.getElementById('state').textContent === 'running'")
    page.wait_for_function("() => document.getElementById('state').textContent === 'cut off'")
    page.locator("#ended").wait_for()
    page.locator("form.stop").wait_for(state="hidden")


def test_a_chart_is_read_by_keys_and_as_a_table(
    context: BrowserContext, serving: Serving, store: Path
) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id):
        grow(run, 1, FILES[1])
        page = look(context, serving, run)
        shown(page, EXPECTED[:INTERVALS])
        plot = page.locator("#chart-times .plot")
        page.wait_for_selector("#chart-times .plot:not([aria-valuemax='0'])")
        plot.focus()
        page.keyboard.press("Home")
        first = re.compile("^00:01 · p99 1, p95 1, p50 1 ms · warmup")
        expect(plot).to_have_attribute("aria-valuetext", first)
        page.keyboard.press("ArrowRight")
        expect(plot).to_have_attribute("aria-valuetext", re.compile("^00:02"))
        page.keyboard.press("End")
        expect(page.locator("#chart-times .reading")).to_contain_text("measure")
        page.locator("#chart-throughput summary").click()
        expect(page.locator("#chart-throughput tbody tr")).to_have_count(INTERVALS)
        page.locator("[data-sort=name]").click()
        expect(page.locator("#operations tr").first).to_contain_text("a page with")


def test_levels_that_are_judged_are_a_curve(context: BrowserContext, serving: Serving, store: Path) -> None:
    run = new_run(store)
    for number, data in FILES.items():
        grow(run, number, data)
    run.write_outcome("complete")
    page = look(context, serving, run)
    page.locator("#chart-curve").wait_for()
    expect(page.locator("#chart-curve figcaption")).to_contain_text("200 per s with 2 users")
    expect(page.locator("#levels tr")).to_have_count(2)


def test_names_of_others_are_texts(context: BrowserContext, serving: Serving, store: Path) -> None:
    run = new_run(store)
    lines = FILES[1].replace(b'"search"', b'"%s"' % HOSTILE.encode()).split(b"\n")
    plain = [line.rpartition(b',"line":')[0] + b"}" for line in lines if line]
    with ActiveRun(store, run.id):
        grow(run, 1, b"\n".join(plain) + b"\n")
        page = look(context, serving, run)
        shown(page, EXPECTED[:INTERVALS])
        expect(page.locator("#operations")).to_contain_text(HOSTILE)
        expect(page.locator("main img")).to_have_count(0)
        assert "taken" not in page.title()


def test_without_scripts_there_are_the_figures_of_now(
    browser: Browser, serving: Serving, store: Path
) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id), browser.new_context(java_script_enabled=False) as context:
        context.set_default_timeout(PATIENCE_MS)
        grow(run, 1, FILES[1])
        context.add_cookies([serving.cookie])  # type: ignore[list-item]
        page = look(context, serving, run)
        expect(page.locator("#now-per_s")).to_have_text("100.0")
        expect(page.locator("#operations")).to_contain_text("search")
        page.get_by_role("link", name="reload").click()
        page.locator(".live-charts").wait_for(state="hidden")


def test_what_is_told_of_now_was_under_load(context: BrowserContext, serving: Serving, store: Path) -> None:
    run = new_run(store)
    with ActiveRun(store, run.id):
        grow(run, 1, job_bytes(1, drains=True))
        page = look(context, serving, run)
        expect(page.locator("#chart-throughput figcaption")).to_contain_text("Now transactions 100 per s")
        without_scripts = context.request.get(page.url, timeout=PATIENCE_MS).text()
        assert re.findall(r'id="now-users">(\d+)<', without_scripts) == ["1"]
        expect(page.locator("#now-users")).to_have_text("1")
        expect(page.locator("#now-per_s")).to_have_text("100")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_it(browser: Browser, serving: Serving, store: Path, theme: Any) -> None:
    script = axe()
    run = new_run(store)
    with (
        ActiveRun(store, run.id),
        browser.new_context(color_scheme=theme, bypass_csp=True, viewport=NARROW) as context,  # type: ignore[arg-type]
    ):
        context.set_default_timeout(PATIENCE_MS)
        grow(run, 1, FILES[1])
        grow(run, 2, FILES[2][: half(2)])
        context.add_cookies([serving.cookie])  # type: ignore[list-item]
        page = look(context, serving, run)
        page.wait_for_function(f"() => {POINTS}.length > {INTERVALS}")
        page.locator("#chart-throughput summary").click()
        page.evaluate(script)
        found = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']})")
        faults = [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"]]
        assert not faults
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_points_stay_few(context: BrowserContext, serving: Serving, store: Path) -> None:
    page = look(context, serving, new_run(store))
    found = page.evaluate("""async () => {
      const { Series, MOST } = await import("/static/live/series.js");
      const series = new Series();
      for (let second = 0; second < 36_000; second++) {
        const point = { job: 1, phase: "measure", count: 7, failed: 0, per_s: 7 };
        series.add({ ...point, start_s: second, end_s: second + 1 });
      }
      const points = series.points;
      const whole = points.every((point, at) => !at || point.start_s === points[at - 1].end_s);
      return [points.length <= MOST, whole, points.reduce((all, point) => all + point.count, 0)];
    }""")
    assert found == [True, True, 7 * 36_000]
