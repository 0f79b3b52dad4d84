"""A real application, recorded in a real browser: what becomes of it, and what the study asks for."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from checks import tree
from igen.har.convert import Options, convert
from tests.har.test_accepted import accept
from tests.har.tryton_recording import PACKED, SCRUBBED_PASSWORD, write_tryton_recording

STUDY = tree.ROOT / "studies" / "crm-tryton.toml"
ONCE = re.compile(
    r"common\.|model\.ir\.(?!lang)|model\.res\.|model\.party\.identifier\."
    r"|.*\.(fields_view_get|view_toolbar_get)$"
)
"""Calls with which the client learns about users, menus and views: it keeps what it has learnt."""


def calls_recorded(path: Path) -> Iterator[dict[str, Any]]:
    """What the browser has called, in its order."""
    for entry in json.loads(path.read_text(encoding="utf-8"))["log"]["entries"]:
        if entry["request"]["method"] == "POST" and entry["request"]["url"].endswith("/rpc/"):
            yield json.loads(entry["request"]["postData"]["text"])


def calls_of_pages(names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """What users of the study call on these pages."""
    study = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    pages = {page["name"]: page for page in study["job"]["params"]["scenario"]["page"]}
    for name in names:
        for request in pages[name]["request"]:
            yield json.loads(re.sub(r"\{[\w.-]+(?: \w+)*\}", "0", request["json"]))


def essence(call: dict[str, Any]) -> str:
    """Its method, and which fields it reads."""
    fields = [each for each in call["params"] if isinstance(each, list) and each and isinstance(each[0], str)]
    return json.dumps([call["method"], *(fields if call["method"].endswith(".read") else [])])


def test_all_of_it_becomes_a_scenario_that_a_load_takes(tmp_path: Path) -> None:
    assert PACKED.stat().st_size < 50_000
    recording = write_tryton_recording(tmp_path / "tryton.har")
    found = convert(recording, Options())
    assert found.summary == "46 requests, 7 pages, 1 value extracted, 0 to check"
    assert [each.variable for each in found.secrets] == ["IGEN_PASSWORD"]
    accept(found)
    # The stamp that a record must have when it is written comes from the answer that told it.
    assert 'json = "/result/0/_timestamp"' in found.text
    assert '"_timestamp":{"party.party,458":"{party_party_458}"}' in found.text


def test_no_secret_is_in_the_scenario_and_none_that_was_one_in_the_recording(tmp_path: Path) -> None:
    recording = write_tryton_recording(tmp_path / "tryton.har")
    text = convert(recording, Options()).text
    assert SCRUBBED_PASSWORD not in text
    assert set(re.findall(r"[0-9a-f]{64}", recording.read_text(encoding="utf-8"))) == {"5c" * 32}
    assert "5c5c" not in text


def test_pages_of_the_study_ask_for_what_the_browser_asks_for(tmp_path: Path) -> None:
    """One click after the other: list, open, rename."""
    recorded = [
        each
        for each in calls_recorded(write_tryton_recording(tmp_path / "tryton.har"))
        if not ONCE.match(each["method"])
    ]
    asked = list(calls_of_pages(["list", "open", "rename"]))
    assert [essence(each) for each in asked] == [essence(each) for each in recorded]
