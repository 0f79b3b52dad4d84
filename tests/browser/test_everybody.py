"""Each page for everybody: both themes, a narrow screen, the keyboard alone, and what axe-core finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser import layout
from tests.browser.axe import axe
from tests.browser.conftest import LONG
from tests.browser.console_process import ConsoleProcess
from tests.chromium import expect
from tests.console.site import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.xdist_group("browser")
"""One browser and one console for all."""

Visit = Callable[..., "BrowserContext"]
RULES = {
    "light": "['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']",
    "dark": "{type: 'rule', values: ['color-contrast', 'link-in-text-block']}",
}
"""By theme: what is the same in both is looked for once."""
PAGES = (
    "/",
    "/new?workload=oltp",
    "/new?study=studies/oltp-sqlite.toml",
    "/runs/oltp-sqlite",
    "/runs/oltp-sqlite/files",
    "/runs/oltp-sqlite/share",
    "/queue",
    "/trend?workload=model",
    "/instances",
    "/tools",
    "/tools/tunables",
    "/datacenter",
    "/recording",
    "/help",
    "/none",
)


# 20 s a theme: colours are those of the stylesheet, which is looked at on the live page in both themes.
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_nothing_serious_is_found_on_any_page(console: ConsoleProcess, visit: Visit, theme: str) -> None:
    script = axe()
    page = visit(color_scheme=theme, bypass_csp=True).new_page()
    for path in dict.fromkeys((*layout.PAGES, *PAGES)):
        page.goto(f"{console.base}{path}")
        if path in layout.PAGES:
            layout.check_layout(page, path, theme)
        page.evaluate(script)
        found = page.evaluate(f"axe.run({{runOnly: {RULES[theme]}}})")
        serious = [
            (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert not serious, path


def test_a_narrow_screen_is_not_scrolled_sideways(console: ConsoleProcess, visit: Visit) -> None:
    page = visit(viewport={"width": 320, "height": 640}).new_page()
    for path in PAGES:
        page.goto(f"{console.base}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
    page.goto(f"{console.base}/?q={LONG}")
    page.get_by_role("link", name=LONG).click()
    page.wait_for_url("**/runs/*")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_keyboard_alone_is_enough(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.goto(f"{console.base}/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    expect(page.locator("[name=q]")).to_be_focused()
    page.keyboard.type("workload:oltp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=workload*")
    page.locator("input[name=run]").first.focus()
    page.keyboard.press("Space")
    expect(page.locator("input[name=run]").first).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/oltp-sqlite")
    page.keyboard.press("?")
    page.wait_for_url("**/help")


def test_words_of_others_do_nothing(console: ConsoleProcess, visit: Visit) -> None:
    page = visit().new_page()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(f"{console.base}/")
    page.get_by_role("link", name=HOSTILE).click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.locator("img")).to_have_count(0)
