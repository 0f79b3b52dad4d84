"""The way of somebody who has never been here: from the link to a comparison, without a manual."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.console_process import ConsoleProcess
from tests.chromium import PATIENCE_MS, expect

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.xdist_group("browser")
"""One browser and one console for all."""

Visit = Callable[..., "BrowserContext"]


def start(page: Page, base: str, system: str, **fields: str) -> str:
    """Starts a short run of the model from the form, and returns the path of its page."""
    page.goto(f"{base}/new")
    page.get_by_label("Workload").select_option("model")
    page.wait_for_url("**/new?*workload=model*")
    given = {"users": "1,2", "repeats": "2", "duration": "200ms", "warmup": "50ms", "name": system}
    for name, text in (given | fields).items():
        page.locator(f'#wish [name="{name}"]').fill(text)
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Start now").click()
    page.wait_for_url("**/runs/*", timeout=PATIENCE_MS)
    return page.url


def ended(page: Page, url: str) -> None:
    """Waits until the run has its result."""
    page.goto(url)
    page.locator("#ended:visible, #verdict").first.wait_for()
    page.goto(url)
    page.locator("#verdict").wait_for()


def test_from_the_first_page_to_a_comparison(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(console.base)
    page.get_by_role("link", name="New run").click()
    for system in ("before", "after"):
        ended(page, start(page, console.base, system))
    page.goto(console.base)
    for system in ("before", "after"):
        page.locator("tr", has_text=f"model on {system}").get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare 2").click()
    page.wait_for_url("**/compare?*")
    expect(page.get_by_role("heading", level=1)).to_have_text("before and after side by side")
    page.locator("#verdict").wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Report").click()
    report = opened.value
    report.wait_for_load_state()
    report.locator("svg").first.wait_for()
    # An origin of its own, without a network: not even this console can be asked from there.
    asked = report.evaluate("fetch('/').then(() => 'answered', () => 'refused')")
    assert asked == "refused"
    assert report.evaluate("self.origin") == "null"
    page.goto(f"{console.base}/datacenter")
    page.get_by_role("checkbox", name="before").check()
    page.get_by_role("button", name="Calculate").click()
    page.wait_for_url("**/datacenter?*")
    page.locator("#answer, [role=alert]").first.wait_for()


def test_what_would_run_stands_there_while_one_types(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.goto(f"{console.base}/new?workload=model")
    page.locator("#command", has_text="igen run model").wait_for()
    users = page.locator('#wish [name="users"]')
    users.fill("3,6")
    users.blur()
    page.locator("#command", has_text="igen run model --users 3,6").wait_for()
    users.fill("many")
    users.blur()
    page.locator("#plan #wrong").wait_for()
    expect(users).to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize("answers_while", ["the button is down", "the click waits", "a key waits"])
def test_a_click_right_after_typing_starts_what_was_typed(
    console: ConsoleProcess, visit: Visit, answers_while: str
) -> None:
    page = visit().new_page()
    page.goto(f"{console.base}/new?workload=model")
    page.locator("#command", has_text="igen run model").wait_for()
    given = {"users": "1", "repeats": "1", "duration": "200ms", "warmup": "50ms"}
    for name, text in given.items():
        page.locator(f'#wish [name="{name}"]').fill(text)
    page.locator('#wish [name="name"]').focus()
    page.locator("#command", has_text="200ms").wait_for()
    asked: list[Route] = []
    if answers_while != "the button is down":
        page.route("**/new/check", lambda route: asked.append(route))
    box = page.get_by_role("button", name="Start now").bounding_box()
    assert box
    page.keyboard.type("typed")
    if answers_while == "a key waits":
        page.get_by_role("button", name="Start now").focus()
        page.keyboard.press("Enter")
    else:
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        if answers_while == "the button is down":
            with page.expect_response("**/new/check"):
                page.locator('#wish [name="users"]').evaluate(
                    "field => field.dispatchEvent(new Event('change', {bubbles: true}))"
                )
        page.mouse.up()
    page.wait_for_function("document.activeElement.name !== 'system'")
    for route in asked:
        route.continue_()
    page.wait_for_url("**/runs/*", timeout=PATIENCE_MS)
    expect(page.get_by_role("heading", level=1)).to_contain_text("typed")


def test_nothing_is_started_that_is_no_longer_wished_for(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.goto(f"{console.base}/new?workload=model")
    begin = page.get_by_role("button", name="Start now")
    begin.wait_for()
    started: list[str] = []
    page.route("**/new/start", lambda route: started.append(route.request.url))
    # The answer to what is typed next does not come.
    page.route("**/new/check", lambda _: None)
    users = page.locator('#wish [name="users"]')
    users.fill("3,6")
    begin.click()
    # Nor is what was typed wrong.
    page.unroute("**/new/check")
    users.fill("many")
    begin.click()
    page.locator("#plan #wrong").wait_for()
    users.fill("3,6")
    users.blur()
    begin.wait_for()
    assert not started
    # Nor from the page of a session that is over.
    page.unroute("**/new/check")
    page.route("**/new/check", lambda route: route.fulfill(status=403, body="read only"))
    users.fill("3,7")
    users.blur()
    expect(page.locator("#plan [role=alert]")).to_have_text("This page is out of date: reload it.")
    expect(begin).to_have_count(0)
    assert not started


def test_what_lacks_a_target_is_no_fault_before_something_is_typed(
    console: ConsoleProcess, visit: Visit
) -> None:
    page = visit().new_page()
    with page.expect_response("**/new/check") as answered:
        page.goto(f"{console.base}/new?workload=io")
    assert 'id="wrong"' in answered.value.text()
    expect(page.locator("#plan")).to_contain_text("Nothing starts until you press")
    expect(page.locator("[aria-invalid]")).to_have_count(0)


def test_a_run_is_stopped_and_keeps_what_it_has_measured(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.set_default_timeout(PATIENCE_MS)
    url = start(page, console.base, "long", duration="60s", users="1")
    page.get_by_role("button", name="Stop").click()
    page.locator(".state.interrupted").first.wait_for()
    page.goto(url)
    page.locator(".state.interrupted").first.wait_for()


def test_everything_but_live_charts_works_without_scripts(console: ConsoleProcess, visit: Visit) -> None:
    page = visit(java_script_enabled=False).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(console.base)
    page.get_by_label("Search runs").fill("workload:model")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**/?q=workload%3Amodel*")
    page.goto(f"{console.base}/runs/oltp-sqlite")
    page.get_by_label("Add a note").fill("without a script")
    page.get_by_role("button", name="Add note").click()
    page.get_by_text("without a script").wait_for()
    page.goto(f"{console.base}/new?workload=model")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#command")).to_contain_text("igen run model")


def test_a_code_in_a_link_that_was_passed_on_lets_nobody_in(
    console: ConsoleProcess, session: object, visit: Visit
) -> None:
    page = visit().new_page()
    page.context.clear_cookies()
    page.goto(console.link)
    expect(page.get_by_role("alert")).to_contain_text("already used")


def test_a_shared_link_is_read_by_those_without_a_login(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.goto(f"{console.base}/runs/oltp-sqlite/share")
    page.get_by_role("button", name="Create link").click()
    link = page.locator("#link").inner_text()
    page.context.clear_cookies()
    page.goto(link)
    page.locator("#verdict").wait_for()
    expect(page.locator("form")).to_have_count(0)
    assert page.request.post(link).status == 403
