from __future__ import annotations

import json

import pytest

from bench.comparison import Comparison, alternate
from bench.outcome import Goal, Outcome


def test_sides_alternate_and_keep_their_values() -> None:
    order: list[str] = []

    def side(name: str) -> float:
        order.append(name)
        return float(len(order))

    compared = alternate({"a": lambda: side("a"), "b": lambda: side("b")}, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert compared.values == {"a": [1, 4, 5], "b": [2, 3, 6]}


def test_a_slow_round_cancels_out_of_the_ratio() -> None:
    compared = Comparison({"ours": [1.0, 10.0, 1.1], "theirs": [2.0, 20.0, 2.2]})
    assert compared.ratio("ours", "theirs") == pytest.approx(0.5)
    assert compared.median("ours") == 1.1


@pytest.mark.parametrize(
    ("value", "goal", "met"),
    [(0.8, "<= 0.8", True), (0.81, "<= 0.8", False), (1.9, ">= 1.9", True), (10.0, "< 10", False)],
)
def test_goals_compare(value: float, goal: str, met: bool) -> None:
    assert Goal(value, goal).met is met


def test_the_last_line_is_one_json_object() -> None:
    outcome = Outcome("engine", ("iGen",), goals={"cpu_ns": Goal(39.123456, "<= 40")})
    expected = {"bench": "engine", "goals": {"cpu_ns": {"value": 39.12, "goal": "<= 40", "met": True}}}
    assert json.loads(outcome.json_line()) == expected
    assert "\n" not in outcome.json_line()


def test_the_table_has_a_cell_for_every_column() -> None:
    outcome = Outcome("engine", ("iGen", "sysbench"))
    outcome.add("CPU ns", iGen="40", sysbench="90")
    outcome.add("only ours", iGen="1")
    assert "| CPU ns | 40 | 90 |\n| only ours | 1 |  |\n" in outcome.markdown()
