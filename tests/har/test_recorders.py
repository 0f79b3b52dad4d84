"""Recordings of Firefox, Safari, WebPageTest, proxies and scripts, written after public reports."""

from __future__ import annotations

import copy
import json
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest

from igen.errors import InputError
from igen.har.convert import Converted, Options, convert

CASES = Path(__file__).parent.parent / "cases"
ORIGIN = "http://shop.test"
ODD: list[Any] = [None, True, 7, -1.5, "soon", "", [], {}, [7], {"a": 1}]
LETTERS = "ab+% &=é@50"


def converted(path: Path) -> Converted:
    return convert(path, Options(origin=ORIGIN))


def pages_of(found: Converted) -> list[list[str]]:
    """Return the paths of the requests and resources of each page."""
    pages = tomllib.loads(found.text)["page"]
    return [
        [
            each.get("get") or each.get("post")
            for each in [*page.get("request", []), *page.get("resource", [])]
        ]
        for page in pages
    ]


def written(folder: Path, log: dict[str, Any]) -> Path:
    path = folder / "made.har"
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def case(name: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads((CASES / f"{name}.har").read_text(encoding="utf-8"))["log"]
    return log


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("binary-post", [["/"]]),
        ("content-null", [["/"], ["/b"], ["/c"]]),
        ("firefox-cached", [["/"]]),
        ("iframes", [["/", "/ad1.html", "/ad2.html", "/ad3.html"]]),
        ("no-response", [["/"]]),
        ("numbers", [["/"], ["/f"]]),
        ("params-decoded", [["/"], ["/f"]]),
        ("safari-cached", [["/"]]),
        ("started-object", [["/"], ["/b"]]),
    ],
)
def test_a_recording_has_the_pages_that_the_user_went_to(name: str, pages: list[list[str]]) -> None:
    assert pages_of(converted(CASES / f"{name}.har")) == pages


def test_an_answer_from_a_cache_is_counted_as_left_out() -> None:
    for name in ("firefox-cached", "safari-cached"):
        assert [*converted(CASES / f"{name}.har").left_out.values()] == [5]


def form_of(found: Converted) -> dict[str, str]:
    (request,) = tomllib.loads(found.text)["page"][-1]["request"]
    form: dict[str, str] = request["form"]
    return form


def test_params_are_as_they_were_typed() -> None:
    typed = {"q": "1+1 = 100%25", "mail": "a+b@x.test", "n": "50% off"}
    assert form_of(converted(CASES / "params-decoded.har")) == typed
    assert form_of(converted(CASES / "numbers.har")) == {"qty": "3"}


def test_a_form_is_read_as_typed_or_as_encoded(tmp_path: Path) -> None:
    """Both ways have one right answer if a value has a space."""
    chance = random.Random(35)
    for number in range(40):
        typed = {
            f"f{place}": f"v {''.join(chance.choices(LETTERS, k=chance.randrange(8)))}" for place in range(3)
        }
        log = case("params-decoded")
        values = {
            name: quote_plus(value).replace("+", "%20") if number % 2 else value
            for name, value in typed.items()
        }
        post = log["entries"][1]["request"]["postData"]
        post["params"] = [{"name": name, "value": value} for name, value in values.items()]
        assert form_of(converted(written(tmp_path, log))) == typed


def test_frames_belong_to_the_page_of_their_click(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(20):
        log = case("iframes")
        page, frame, *_ = log["entries"]
        frames = []
        for number in range(chance.randint(1, 6)):
            each = copy.deepcopy(frame)
            each["request"]["url"] = f"{ORIGIN}/frame{number}.html"
            each["startedDateTime"] = f"2026-01-05T10:00:00.{chance.randrange(100, 900)}Z"
            frames.append(each)
        click = copy.deepcopy(page)
        click["request"]["url"], click["startedDateTime"] = f"{ORIGIN}/next", "2026-01-05T10:00:07.000Z"
        first, second = pages_of(converted(written(tmp_path, log | {"entries": [page, *frames, click]})))
        assert sorted(first) == ["/", *(f"/frame{number}.html" for number in range(len(frames)))]
        assert second == ["/next"]


def optional_paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value that an entry can do without."""
    if above and above not in (("request",), ("request", "method"), ("request", "url")):
        yield above
    for name, each in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from optional_paths(each, (*above, name))


def test_a_field_of_another_type_counts_as_absent(tmp_path: Path) -> None:
    """The request is read whatever the other fields are; a status of 7 and cached marks leave it out."""
    chance = random.Random(1)
    log = case("numbers")
    places = [*optional_paths(log["entries"][0])]
    for path in chance.choices(places, k=100):
        changed = copy.deepcopy(log)
        at: Any = changed["entries"][0]
        for part in path[:-1]:
            at = at[part]
        at[path[-1]] = odd = chance.choice(ODD)
        if path[-1] == "status" or path == ("response",):
            continue
        pages = pages_of(converted(written(tmp_path, changed)))
        assert ["/" in page for page in pages].count(True) == 1, (path, odd)


@pytest.mark.parametrize("request_", [None, 7, {}, {"method": "GET"}, {"method": "GET", "url": []}])
def test_an_entry_without_a_request_is_named_with_its_place(tmp_path: Path, request_: Any) -> None:
    log = case("no-response")
    log["entries"][0]["request"] = request_
    with pytest.raises(InputError, match=r"log\.entries\[0\]: .*(request|url|method)"):
        converted(written(tmp_path, log))
    log["entries"].append(case("numbers")["entries"][0])
    found = converted(written(tmp_path, log))
    (reason,) = [each for each in found.left_out if "log.entries[0]" in each]
    assert found.left_out[reason] == 1
