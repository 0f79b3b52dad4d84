"""A text in a source that is the name of a fact is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.fact_names import findings, names_in


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ('x = facts["io.direct"]', ["io.direct"]),
        ('x = facts.get(f"tier.{name}.source")', ["tier."]),
        ('x = f"storage.{device}.model"', ["storage."]),
        ('x = "storage.vda.model"', ["storage.vda.model"]),
        ('x = name.startswith("tunables.")', ["tunables."]),
        ('x = "load.threads"', ["load.threads"]),
        ('x = "load.closed.users"', []),
        ('def f():\n    """host.name"""', []),
        ('x = f"{a}fleet.{b}"', []),
        ('x = "the fact host.name is known"', []),
        ("x = HOST_NAME", []),
    ],
)
def test_names_are_found_where_they_stand_for_a_fact(source: str, named: list[str]) -> None:
    assert [name for _, name in names_in(f"{source}\n")] == named


def test_a_finding_names_file_and_line() -> None:
    (found,) = findings({Path("python/igen/x.py"): '\nx = "host.name"\n'})
    assert found.startswith("python/igen/x.py:2: ")
    assert findings({Path("python/igen/ask/asked.py"): 'x = "fleet.agents"\n'}) == []
