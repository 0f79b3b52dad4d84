"""The lock file against pyproject.toml."""

from __future__ import annotations

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
    assert "`make lock`" in found[0]
    assert "no release of `rich>=14,<16`" in found[1]


def test_a_release_that_is_not_allowed_is_found() -> None:
    assert findings(PYPROJECT, LOCK.replace("8.5.1", "9.0")) == ["constraints.txt has 9.0 of `click>=8.2,<9`"]


def test_a_requirement_without_an_upper_bound_is_found() -> None:
    found = findings(PYPROJECT.replace(",<9", ""), LOCK)
    assert "pyproject.toml: `click>=8.2` has no upper bound" in found


def test_our_own_packages_are_not_locked() -> None:
    assert requirements(PYPROJECT) == ["Ruff>=0.14,<1", "click>=8.2,<9"]
