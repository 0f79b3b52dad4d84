"""A system is called by what tells it from the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from igen.judge.result import Result
from igen.layout.short_names import quantity_text, short_names
from tests.report import sample


def of(*systems: tuple[str, str, dict[str, Any]]) -> dict[str, str]:
    comparison = sample.comparison()
    first = comparison.systems[0]
    made = [
        replace(first, name=name, system=system, run="run", job={"params": params})
        for name, system, params in systems
    ]
    result: Result = replace(comparison, systems=made)
    return short_names(result)


def test_settings_in_which_systems_differ_are_their_names() -> None:
    of_two = [(f"vm ({n}, {t})", "vm", {"servers": n, "service_time": t, "service": "x"})
              for n in (1, 8) for t in ("3ms", "6ms")]  # fmt: skip
    assert [*of(*of_two).values()] == [
        "1 server, 3 ms",
        "1 server, 6 ms",
        "8 servers, 3 ms",
        "8 servers, 6 ms",
    ]


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ({"fsync": True}, {"fsync": False}, ["fsync=true", "fsync=false"]),
        ({"block": "64KiB"}, {"block": "1048576B"}, ["64 KiB", "1 MiB"]),
        ({"a": "1s", "b": "3s"}, {"a": "2s", "b": "4s"}, ["a=1 s, b=3 s", "a=2 s, b=4 s"]),
        ({"sync": "full"}, {}, ["sync=full", "sync=unknown"]),
        ({"steps": [1, 2]}, {"steps": [2, 1]}, ["a", "b"]),
        ({}, {}, ["a", "b"]),
    ],
)  # fmt: skip
def test_a_unit_names_the_only_setting_of_its_kind(
    one: dict[str, Any], other: dict[str, Any], names: list[str]
) -> None:
    assert [*of(("a", "vm", one), ("b", "vm", other)).values()] == names


def test_systems_with_names_of_their_own_keep_them() -> None:
    found = of(("disk", "disk", {"a": 1}), ("ssd (a=1)", "ssd", {"a": 1}), ("ssd (a=2)", "ssd", {"a": 2}))
    assert [*found.values()] == ["disk", "ssd, a=1", "ssd, a=2"]
    assert of(("x (1)", "x", {}), ("x (2)", "x", {})) == {"x (1)": "x (1)", "x (2)": "x (2)"}


def test_quantities_are_written_for_a_reader() -> None:
    assert [quantity_text(each) for each in ("1500us", "4KiB", 7, "full", "10", "")] == [
        "1.5 ms", "4 KiB", "7", "full", "10", "",
    ]  # fmt: skip
