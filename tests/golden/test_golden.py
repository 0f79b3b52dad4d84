from __future__ import annotations

import html as entities
import json
import lzma
import math
import os
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from igen.document import Document
from igen.judge.result import Result
from igen.report import outline
from igen.report.printers.terminal import Terminal
from igen.report.text import summary_text
from igen.store.intervals import kept_parquet
from igen.study.results import read_result
from igen.units import date_text
from tests.golden.record import RUNS
from tests.golden.recorded_run import names, unpack
from tests.report.shown import every_format

EXPECTED = Path(__file__).parent / "expected"
UPDATE = bool(os.environ.get("IGEN_UPDATE_SNAPSHOTS"))
AS_RECORDED = {"defaults", "facts", "heat", "igen_version", "job", "params", "results"}
"""Copies of what was recorded, and pictures."""
DIGITS = 6
TERMINAL = Terminal(width=120)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    folder = tmp_path_factory.mktemp("recorded")
    return {name: read_result([unpack(name, folder)]) for name in names()}


def pruned(value: Any) -> Any:
    """A document without copies of what was recorded, its numbers rounded."""
    if isinstance(value, dict):
        return {key: pruned(each) for key, each in value.items() if key not in AS_RECORDED}
    if isinstance(value, list):
        return [pruned(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def differences(found: Any, expected: Any, path: str = "") -> Iterator[str]:
    """Each place where two documents differ by more than the last digit."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in {**expected, **found}:
            yield from differences(found.get(key), expected.get(key), f"{path}.{key}")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, pair in enumerate(zip(found, expected, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif isinstance(found, float) and isinstance(expected, int | float):
        if not math.isclose(found, expected, rel_tol=10 ** (1 - DIGITS), abs_tol=1e-12):
            yield f"{path}: {found} instead of {expected}"
    elif found != expected:
        yield f"{path}: {found} instead of {expected}"


def test_each_workload_is_recorded() -> None:
    from checks.reference_pages import ask_agent

    assert set(names()) == set(RUNS)
    assert {each["name"] for each in ask_agent("list", "workloads")} == {
        each.workload for each in RUNS.values()
    }


@pytest.mark.parametrize("name", RUNS)
def test_the_result_is_as_expected(results: dict[str, Result], name: str) -> None:
    found = pruned(msgspec.to_builtins(results[name]))
    path = EXPECTED / f"{name}.json.xz"
    if UPDATE:
        text = json.dumps(found, separators=(",", ":"), ensure_ascii=False)
        path.write_bytes(lzma.compress(text.encode(), preset=9))
    assert list(differences(found, json.loads(lzma.decompress(path.read_bytes())))) == []


@pytest.mark.parametrize("name", RUNS)
def test_the_report_is_as_expected(results: dict[str, Result], name: str) -> None:
    found = summary_text(results[name], slamd=name == "ldap-siteminder", terminal=TERMINAL)
    path = EXPECTED / f"{name}.txt"
    if UPDATE:
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), "look at the difference after an update"


@pytest.mark.parametrize("name", RUNS)
def test_intervals_are_kept_as_parquet(tmp_path: Path, name: str) -> None:
    """Also those of a run that has loaded a database first."""
    (jobs,) = unpack(name, tmp_path).job_paths()
    events = [json.loads(line) for line in jobs.read_text(encoding="utf-8").splitlines()]
    snapshots = [event["snapshot"] for event in events if "snapshot" in event]
    counts = [(each["phase"], each["transactions"]["count"]) for each in snapshots]
    assert counts
    with duckdb.connect() as connection:
        path = kept_parquet(connection, jobs)
        kept = connection.sql(f"SELECT phase, count FROM '{path}' ORDER BY start_s").fetchall()
    assert kept == counts


@pytest.mark.parametrize("name", RUNS)
def test_what_was_counted_is_in_the_result(results: dict[str, Result], tmp_path: Path, name: str) -> None:
    """The transactions of MEASURE are those of the level, but for a warm-up that was cut."""
    (jobs,) = unpack(name, tmp_path).job_paths()
    events = [json.loads(line) for line in jobs.read_text(encoding="utf-8").splitlines()]
    measured = [event["snapshot"] for event in events if event.get("snapshot", {}).get("phase") == "measure"]
    counts = [each["transactions"]["count"] for each in measured]
    (level,) = results[name].systems[0].levels
    kept = [each.measured for each in level.repeats[0].timeline[-len(counts) :]]
    assert level.transactions == sum(count for count, used in zip(counts, kept, strict=True) if used)


NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|(?<![\w.,])\d+(?:\.\d+)?(?![\w,])")
DIGITS_OF_A_FIGURE = 4
"""A number with fewer digits is found in any result by chance."""
SCALES = tuple(10.0**power for power in (-9, -6, -3, 0, 2, 3, 6, 9))
"""Between the unit of a field and that of a reader: ns and ms, a share and percent, bytes and MB."""
SENTENCES = {"evidence", "observations", "reasons", "text", "unnamed", "warnings"}
"""Fields in words of the judge: their numbers are figures, and have fields too."""


def leaves(value: Any, key: str = "") -> Iterator[Any]:
    """Each number and each name of a document, but no sentence about them."""
    if isinstance(value, dict):
        yield from (leaf for name, each in value.items() for leaf in leaves(each, name))
    elif isinstance(value, list):
        yield from (leaf for each in value for leaf in leaves(each, key))
    elif key not in SENTENCES:
        yield value


def fields(result: Result) -> list[float]:
    """Each number that a field of the result holds, in each unit that a reader may see."""
    found = set[float]()
    for leaf in leaves(msgspec.to_builtins(result)):
        if isinstance(leaf, str):
            found |= {number for number, _, _ in numbers(leaf)}
        elif isinstance(leaf, int | float):
            found.add(abs(float(leaf)))
    for system in result.systems:
        found |= {number for number, _, _ in numbers(re.sub(r"\W", " ", date_text(system.started_unix_s)))}
        for level in system.levels:
            # Little's law: users that the times account for.
            if level.response_time_ms is not None:
                found.add(level.throughput_per_s.value * level.response_time_ms.mean / 1e3)
    return sorted(number * scale for number in found for scale in SCALES)


def numbers(text: str) -> Iterator[tuple[float, float, str]]:
    """Each number of a text, half of its last digit that is known, and its digits."""
    for match in NUMBER.finditer(text):
        digits = match[0].replace(",", "")
        known = digits.lstrip("0").replace(".", "") if "." in digits else digits.strip("0")
        last = len(digits) - len(digits.rstrip("0")) if "." not in digits else -len(digits.partition(".")[2])
        yield float(digits), 0.5 * 10.0**last, known


def is_told(value: float, half: float, told: list[float]) -> bool:
    place = bisect_left(told, value - 1.001 * half)
    return place < len(told) and told[place] <= value + 1.001 * half


def without_published(document: Document) -> Document:
    """Figures of others are no fields of the result."""
    return replace(document, sections=[each for each in document.sections if each.name != "published"])


def rows(page: str) -> str:
    """The words of a page, each row of a table in a line, without rows of what others have published."""
    text = entities.unescape(re.sub(r"<[^>]*>", " ", page.replace("</tr>", "\n")))
    return "\n".join(line for line in text.splitlines() if ", published" not in line)


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_that_a_reader_sees_is_a_field_of_the_result(
    results: dict[str, Result], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second value of the same fact, of whatever kind, would be in no field."""
    told, seen = fields(results[name]), 0
    document = outline._document
    monkeypatch.setattr(outline, "_document", lambda *values: without_published(document(*values)))
    for page in every_format(results[name]):
        for value, half, digits in numbers(rows(page)):
            if len(digits) >= DIGITS_OF_A_FIGURE:
                seen += 1
                assert is_told(value, half, told), (value, digits)
    assert seen > 20
