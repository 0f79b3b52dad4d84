"""The lock file against pyproject.toml."""

from __future__ import annotations

import pytest

from checks.lock import findings, requirements, written

PYPROJECT = """
[project]
dependencies = ["click>=8.2,<9"]
[project.optional-dependencies]
agent = ["igen-agent==1.0"]
[dependency-groups]
dev = ["Ruff>=0.14,<1"]
"""
RELEASES = {"click": "8.5.1", "ruff": "0.17.6", "what-ruff-needs": "1.0"}
LOCK = written(requirements(PYPROJECT), RELEASES)


def test_a_lock_of_these_requirements_is_up_to_date() -> None:
    assert findings(PYPROJECT, LOCK) == []


def test_a_new_requirement_needs_a_new_lock() -> None:
    found = findings(PYPROJECT.replace('"click', '"rich>=14,<16", "click'), LOCK)
    assert len(found) == 2
    assert "`rich>=14,<16`" in found[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("click==8.5.1", "click==9.0"),
        ("click==8.5.1", "click==8.5.2"),
        ("what-ruff-needs==1.0\n", ""),
        ("what-ruff-needs==1.0\n", "what-ruff-needs==1.0\nanother==2.0\n"),
    ],
)
def test_a_release_that_pip_has_not_found_for_it_is_noticed(before: str, after: str) -> None:
    assert before in LOCK
    assert len(findings(PYPROJECT, LOCK.replace(before, after))) == 1


def test_a_bound_that_changes_needs_a_new_lock() -> None:
    assert len(findings(PYPROJECT.replace("<9", "<8.5"), LOCK)) == 1


def test_a_requirement_without_an_upper_bound_is_found() -> None:
    found = findings(PYPROJECT.replace(",<9", ""), LOCK)
    assert any("`click>=8.2`" in each for each in found)


def test_our_own_packages_are_not_locked() -> None:
    assert requirements(PYPROJECT) == ["Ruff>=0.14,<1", "click>=8.2,<9"]
