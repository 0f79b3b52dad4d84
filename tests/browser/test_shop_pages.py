"""A page of the shop's scenario asks for what a browser asks for: the same requests."""

from __future__ import annotations

import subprocess
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from checks import tree
from igen.agent_program import find_agent
from tests.chromium import PATIENCE_MS
from tests.own_ports import own_ports

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")

SCENARIO = tree.ROOT / "crates" / "igen-workloads" / "src" / "web" / "scenario" / "shop.toml"
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a shop is."""
    port = own_ports()
    folder = tmp_path_factory.mktemp("shop")
    command = [str(find_agent()), "serve", "shop", f"--listen=127.0.0.1:{port}", f"--directory={folder}"]
    with subprocess.Popen(
        [*command, "--work=0ms"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        process.wait(PATIENCE_S)


def asked_by_scenario(name: str, product: str) -> Counter[str]:
    """The requests of a page with what it embeds; where a form is sent a redirect leads to the next page."""
    pages = {page["name"]: page for page in tomllib.loads(SCENARIO.read_text(encoding="utf-8"))["page"]}
    page = pages[name]
    asked: Counter[str] = Counter()
    for request in [*page["request"], *page.get("resource", [])]:
        method = "post" if "post" in request else "get"
        path = urlsplit(request[method]).path.replace("{product}", product)
        asked[f"{method.upper()} {path}"] += 1
    return asked


class Visit:
    """A browser with an empty cache, which counts what it asks for."""

    def __init__(self, browser: Browser, origin: str) -> None:
        self.page: Page = browser.new_context().new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self._origin = origin
        self._asked: Counter[str] = Counter()
        self.page.on("request", self._count)

    def _count(self, request: Any) -> None:
        # That icon is asked for by browsers on their own account.
        if (path := urlsplit(request.url).path) != "/favicon.ico":
            self._asked[f"{request.method} {path}"] += 1

    def go(self, path: str) -> None:
        """Goes to a page."""
        self.page.goto(f"{self._origin}{path}")

    def send(self, form: str) -> None:
        """Sends a form of the page, and goes where that leads."""
        with self.page.expect_navigation():
            self.page.locator(f"{form} button").first.click()

    def asked(self, at_least: Counter[str]) -> Counter[str]:
        """What it has asked for once it has asked for that much, and nothing more comes."""
        deadline_s = time.monotonic() + PATIENCE_S
        while at_least - self._asked and time.monotonic() < deadline_s:
            self.page.wait_for_timeout(20)
        self.page.wait_for_load_state("networkidle")
        return Counter(self._asked)


@pytest.mark.slow
def test_each_page_asks_for_what_a_browser_asks_for(chromium: Browser, shop: str) -> None:
    first = Visit(chromium, shop)
    first.go("/login")
    first.page.fill("[name=user]", "ann")
    first.page.fill("[name=password]", "shop")
    first.send('form[action="/login"]')
    # The redirect is followed; what both pages embed is told twice, though the browser has kept it.
    login = asked_by_scenario("login", "7") + Counter(["GET /home"])
    assert set(first.asked(login)) == set(login)
    cookies = first.page.context.cookies()

    def signed_in(path: str) -> Visit:
        visit = Visit(chromium, shop)
        visit.page.context.add_cookies(cookies)
        visit.go(path)
        return visit

    for name, path in (
        ("home", "/home"),
        ("search", "/search?q=oak&page=1"),
        ("product", "/product/7"),
        ("dashboard", "/dashboard?region=3"),
    ):
        page = asked_by_scenario(name, "7")
        assert signed_in(path).asked(page) == page, name
    visit = signed_in("/product/7/edit")
    visit.page.fill("[name=note]", "Seen by ann")
    visit.send('form[action$="/edit"]')
    edit = asked_by_scenario("edit", "7") + Counter(["GET /product/7"])
    assert set(visit.asked(edit)) == set(edit)
