"""Users of a web application: counts equal the shop's own, failures by page, scenarios of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, events, reasons_of
from shop_server import Shop

from tests.said import parts_in

Igen = Callable[[str], Done]
QUICK = "--duration 0.5s --warmup 0.1s --repeats 1 --think-time 20ms --quiet"
SCENARIO = """
name = "sign in"
once = [{ page = "login" }]
session = { steps = [{ page = "find" }] }
data.people = { file = "people.csv", pick = "unique" }
secrets = { password = "file:PASSWORD" }

[[page]]
name = "login"
[[page.request]]
get = "/login"
extract.csrf = { input = "csrf_token" }
[[page.request]]
post = "/login"
form = { user = "{people.name}", password = "{secret.password}", csrf_token = "{csrf}" }
expect = { contains = "Welcome, {people}" }

[[page]]
name = "find"
resource = [{ get = "/static/shop.css" }, { get = "/static/icon-home.svg" }]
[[page.request]]
get = "/search?q=oak"
extract.id = { regex = 'href="/product/(\\d+)"', random = true }
[[page.request]]
get = "/product/{id}"
expect = { contains = "In stock" }
"""


@pytest.fixture
def scenario(store: Path, tmp_path: Path) -> Callable[..., str]:
    """Writes a scenario, some of its words replaced."""

    def write(password: str = "shop", **words: str) -> str:
        text = SCENARIO.replace("PASSWORD", str(tmp_path / "password")).replace("{people}", "")
        for word, other in words.items():
            assert word in text
            text = text.replace(word, other)
        (tmp_path / "password").write_text(f"{password}\n")
        (tmp_path / "people.csv").write_text("name\n" + "".join(f"user{number}\n" for number in range(8)))
        (tmp_path / "own.toml").write_text(text)
        return "--set scenario=@own.toml"

    return write


def level_of(done: Done) -> dict[str, Any]:
    assert done.code == 0, done.err
    (level,) = done.document["systems"][0]["levels"]
    return dict(level)


@pytest.mark.parametrize(("protocol", "spoken"), [("http/1.1", "HTTP/1.1"), ("h2", "HTTP/2")])
def test_a_scenario_of_ones_own(
    igen: Igen, shop: Shop, scenario: Callable[..., str], store: Path, protocol: str, spoken: str
) -> None:
    settings = f"{scenario()} protocol={protocol}"
    done = igen(f"run web --target {shop.target} --users 4 {QUICK} {settings} --json")
    level = level_of(done)
    assert done.document["systems"][0]["facts"]["target.web.protocol"] == spoken
    assert level["errors"] == 0
    assert level["operations"]["find"]["count"] == level["transactions"] > 0
    assert level["operations"]["find: resources"]["count"] > 0
    assert level["counters"]["not_modified"]["per_transaction"] == pytest.approx(1, abs=0.3)
    asked = [fact["value"] for fact in events(store, "fact") if fact["name"] == "web.requests"]
    requests = sum(target["requests"] for targets in asked for target in targets)
    assert requests == sum(target["answers"] for targets in asked for target in targets)
    found = shop.answered()
    assert requests == found.total()
    static = sum(count for path, count in found.items() if path.startswith("/static/"))
    assert shop.answered("/app").total() == requests - static
    recorded = "".join(path.read_text() for path in store.rglob("*.jsonl"))
    assert "file:" in recorded
    assert "password=shop" not in recorded


def test_what_waits_for_a_connection_is_counted(igen: Igen, shop: Shop, scenario: Callable[..., str]) -> None:
    one = "session =", "browser = { connections = 1, cache = false }\nsession ="
    done = igen(f"run web --target {shop.target} --users 4 {QUICK} {scenario(**dict([one]))} --json")
    assert level_of(done)["counters"]["wait_for_connection_ms"]["per_transaction"] > 0


def test_a_wrong_password_ends_the_run(igen: Igen, shop: Shop, scenario: Callable[..., str]) -> None:
    done = igen(f"run web --target {shop.target} --users 2 {QUICK} {scenario(password='hush')}")
    assert done.code == 1
    told = "only 0 of 2 users started: login: status 401; the answer starts with: <!"
    assert told in done.err, done.err
    assert "hush" not in done.err


def test_an_error_page_with_a_200_is_a_failure(igen: Igen, shop: Shop, scenario: Callable[..., str]) -> None:
    settings = scenario(**{"In stock": "Sold out"})
    done = igen(f"run web --target {shop.target} --users 2 {QUICK} {settings} --json")
    (level,) = done.document["systems"][0]["levels"]
    assert level["errors"] > 0
    assert reasons_of(level) == {"find: a body without the expected text"}


@pytest.mark.parametrize("load", ["--think-time 20ms", "--rate 200"])
def test_users_that_stop_after_a_failure_are_missed(
    igen: Igen, shop: Shop, scenario: Callable[..., str], load: str
) -> None:
    words = {"In stock": "Sold out", "session = {": 'session = { on_failure = "stop the user",'}
    quick = QUICK.replace("--think-time 20ms", load)
    done = igen(f"run web --target {shop.target} --users 4 {quick} {scenario(**words)} --json")
    (level,) = done.document["systems"][0]["levels"]
    # Each has done one page, which has failed.
    assert (level["transactions"], level["trust"]["verdict"]) == (0, "INVALID")
    users_left = {part["name"]: part["figure"] for part in parts_in(level, "users-left")}
    assert users_left == {"left": 4, "users": 4}, level["findings"]


@pytest.mark.parametrize(
    ("word", "other", "said"),
    [
        ("{csrf}", "{crsf}", "scenario.page[0].request[1].form.csrf_token: unknown name {crsf}"),
        ("/product/{id}", "http://{id}/", "a variable in its host"),
        ("people.csv", "nobody.csv", "nobody.csv cannot be read"),
        ("session =", "sesion =", "sesion"),
        ("[[page]]", "[[page]", "is not TOML"),
    ],
)
def test_a_fault_of_a_scenario_is_told_before_any_load(
    igen: Igen, scenario: Callable[..., str], word: str, other: str, said: str
) -> None:
    done = igen(f"run web --target http://127.0.0.1:9 --users 2 {QUICK} {scenario(**{word: other})}")
    assert done.code == 2, done.err
    assert said in done.err, done.err


def test_fewer_rows_than_users_are_refused(igen: Igen, scenario: Callable[..., str]) -> None:
    done = igen(f"run web --target http://127.0.0.1:9 --users 9 {QUICK} {scenario()}")
    assert done.code == 2
    assert "people.csv has 8 rows for 9 users" in done.err, done.err
