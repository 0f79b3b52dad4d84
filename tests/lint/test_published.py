"""Published figures recomputed: those that come with iGen, and small ones that close or do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from igen.aspects.published.reference import (
    PublishedApplication,
    PublishedResults,
    PublishedStatistic,
    PublishedTable,
)
from igen.cli import run_arguments
from igen.judge.record.reference import PublishedRatio
from igen.lint.published import published_findings
from igen.printed import printed
from igen.reference.load import load_reference, reference_names
from igen.say import advise


def table(*rows: PublishedStatistic, parts: list[str] | None = None) -> PublishedResults:
    of = {"Whole": parts or []}
    made = PublishedTable(title="T", workload="w", duration_s=100, rows=list(rows), parts=of)
    return PublishedResults(tables=[made])


def timed(name: str, mean_ms: float, count: int = 100) -> PublishedStatistic:
    return PublishedStatistic(
        statistic=name,
        unit="ms",
        count=count,
        avg_duration_ms=mean_ms,
        total_duration_ms=count * mean_ms,
    )


def texts(published: PublishedResults) -> list[str]:
    return [printed(advise(each.finding).found) for each in published_findings(published)]


def test_a_rate_is_a_count_over_a_duration() -> None:
    def row(rate: float) -> PublishedStatistic:
        return PublishedStatistic(statistic="S", unit="x", count=1000, avg_per_second=rate)

    assert texts(table(row(10.0))) == []
    (text,) = texts(table(row(12.5)))
    assert text == "S: 1,000 / 100 s = 10 a second, not 12.5; that rate needs 80 s"


def test_the_parts_of_a_transaction_add_up() -> None:
    closes = table(timed("Whole", 10.0), timed("A", 4.0), timed("B", 3.0, 200), parts=["A", "B"])
    assert texts(closes) == []
    (text,) = texts(table(timed("Whole", 10.0), timed("A", 4.0), parts=["A"]))
    assert text == "Whole is 10 ms, and its parts (A) add up to 4.000 ms"


def application(users: int, per_s: float, response_s: float) -> PublishedApplication:
    return PublishedApplication(
        product="P", users=users, nodes=1, transactions_per_s=per_s, response_time_s=response_s
    )


def test_the_same_users_think_for_the_same_time() -> None:
    closes = PublishedResults(applications=[application(480, 10, 0.2), application(960, 20, 0.4)])
    assert texts(closes) == []
    (text,) = texts(PublishedResults(applications=[application(480, 10, 0.2), application(960, 40, 0.4)]))
    assert text == "the think time is 47.8 s at 480 users, 23.6 s at 960 users"
    (impossible,) = texts(PublishedResults(applications=[application(10, 100, 0.2)]))
    assert impossible == "the think time is -0.1 s at 10 users"


def test_a_ratio_without_its_base() -> None:
    published = PublishedResults(ratios=[PublishedRatio(product="P", test="R1", value=0.9)])
    assert texts(published) == ["1 ratio without absolutes, such as 0.9 × in R1 of P"]


def test_the_sets_that_come_with_igen() -> None:
    found = {name: texts(load_reference(name)) for name in reference_names()}
    assert len(found["directory"]) == 5
    assert any("that rate needs 1,450 s" in text for text in found["directory"])
    assert not any("add up to" in text for text in found["directory"]), "these parts do add up, to 0.1 %"
    assert not any(text.startswith("users think") for text in found["web"]), "48 s, twice"
    assert found["memory"] == found["storage"] == []


def test_a_file_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "theirs.toml"
    path.write_text('[[ratios]]\nproduct = "P"\ntest = "R1"\nvalue = 0.9\n')
    assert run_arguments(["publish", "lint", str(path), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["of"] == ["theirs"]
    path.write_text('[[ratios]]\nproduct = "P"\ntest = "R1"\n')
    assert run_arguments(["publish", "lint", str(path)]) == 2
    assert f"{path}: ratios[0]: " in capsys.readouterr().err
