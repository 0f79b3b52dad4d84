"""Whatever was recorded becomes a scenario that a load takes, or an error that says why there is none."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.har.convert import Converted, Options, convert
from tests.har.shop_recording import write_shop_recording
from tests.har.written import FORM, converted, entry

RECORDINGS = Path(__file__).parent / "recordings"
ODD = st.text(st.sampled_from("ab19Z{}%/?&=#;:+ \"'\\<>[]|^`~.,-_äあ\t\n\x00\x7f😀"), max_size=12)
WORDS = st.sampled_from(
    ["id", "token", "password", "q", "state", "items", "connect", "resources", "{id}", "a:b"]
)
VALUES = st.one_of(ODD, WORDS, st.sampled_from(["f3a9c1d27b", "998877665544", "{f3a9c1d27b}", "aB3" * 9]))
URLS = st.one_of(
    st.tuples(WORDS, VALUES).map(lambda it: f"http://app.lab/{it[0]}/{it[1]}"),
    st.tuples(WORDS, VALUES).map(lambda it: f"http://app.lab/x?{it[0]}={it[1]}"),
    VALUES.map(lambda it: f"http://app.lab{it}"),
    VALUES,
)
BODIES = st.one_of(
    st.tuples(WORDS, VALUES, WORDS, VALUES).map(lambda it: f"{it[0]}={it[1]}&{it[2]}={it[3]}"),
    st.tuples(WORDS, VALUES).map(lambda it: f'{{"{it[0]}": "{it[1]}", "n": 998877665544}}'),
    VALUES,
)
ANSWERS = st.one_of(
    VALUES.map(lambda it: f'<title>{it}</title><input name="token" value="{it}"><a href="/x/{it}">'),
    VALUES.map(lambda it: f'{{"id": "{it}", "n": 998877665544}}'),
    VALUES,
)
HEADERS = st.dictionaries(
    st.one_of(ODD, st.sampled_from(["Accept", "X-Id", "authorization", "Cookie", "Referer", "Content-Type"])),
    VALUES,
    max_size=3,
)
MIMES = st.sampled_from(["text/html", "application/json", "text/css", "image/png", "", "odd"])


@st.composite
def entries(draw: st.DrawFn) -> list[dict[str, Any]]:
    made = []
    for number in range(draw(st.integers(1, 6))):
        method = draw(st.sampled_from(["GET", "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"]))
        made.append(
            entry(
                number * draw(st.sampled_from([0.1, 3.0])),
                f"{method} {draw(URLS)}",
                draw(ANSWERS),
                draw(MIMES),
                status=draw(st.sampled_from([200, 200, 200, 204, 302, 304, 401, 500, 0, 101, 999])),
                sent=draw(st.none() | BODIES),
                sent_as=draw(
                    st.sampled_from([FORM, "application/json", "text/xml", "multipart/form-data", ""])
                ),
                headers=draw(HEADERS),
                answered=draw(HEADERS),
                page=draw(st.sampled_from([None, "p1", "p2"])),
                to=draw(st.sampled_from(["", "/x", "http://other.lab/", "//[", "/id/f3a9c1d27b"])),
            )
        )
    return made


def accept(found: Converted) -> dict[str, Any]:
    """The job of a load with this scenario, as the agent has it. Raises `InputError` where it refuses."""
    job = {
        "workload": "web",
        "targets": ["http://127.0.0.1:9"],
        "params": {"scenario": tomllib.loads(found.text)},
        "load": {"closed": {"users": 3}},
    }
    with mock.patch.dict(os.environ, {each.variable: "hush" for each in found.secrets}):
        return Agent().check(job)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(entries())
def test_what_is_written_is_accepted(recorded: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        try:
            found = converted(Path(folder), *recorded)
        except InputError:
            return
    accept(found)


def test_more_than_a_load_takes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        converted(tmp_path, *(entry(9 * number, f"GET /page{number}") for number in range(129)))
    assert raised.value.text == "has more than 256 pages and requests, the limit of a scenario"
    accept(converted(tmp_path, *(entry(9 * number, f"GET /page{number}") for number in range(128))))


def test_the_recorded_shop_is_accepted(tmp_path: Path) -> None:
    accept(convert(write_shop_recording(tmp_path / "shop.har"), Options()))


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.har")), ids=lambda path: path.stem)
def test_recordings_are_accepted_or_refused_in_words(path: Path) -> None:
    assert path.stat().st_size <= 200 * 1024
    if path.stem == "truncated":
        with pytest.raises(InputError, match="is cut off: it ends at byte"):
            convert(path, Options())
        return
    accept(convert(path, Options()))
