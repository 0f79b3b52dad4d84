from __future__ import annotations

import json
import lzma
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from igen.judge.result import Result
from igen.report.printers.terminal import Terminal
from igen.report.text import summary_text
from igen.store.intervals import kept_parquet
from tests.golden.record import RUNS
from tests.golden.recorded_run import names, unpack

EXPECTED = Path(__file__).parent / "expected"
UPDATE = bool(os.environ.get("IGEN_UPDATE_SNAPSHOTS"))
AS_RECORDED = {"defaults", "facts", "heat", "igen_version", "job", "params", "results"}
"""Copies of what was recorded, and pictures."""
DIGITS = 6
TERMINAL = Terminal(width=120)


def pruned(value: Any) -> Any:
    """A document without copies of what was recorded, its numbers rounded."""
    if isinstance(value, dict):
        return {key: pruned(each) for key, each in value.items() if key not in AS_RECORDED}
    if isinstance(value, list | tuple):
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
    found = summary_text(results[name], statistics=name == "ldap-siteminder", terminal=TERMINAL)
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
