"""The lock file against pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checks import tree
from checks.lock import findings, requirements, written
from checks.requirements import locked, pinned

PYPROJECT = """
[project]
dependencies = ["click>=8.2,<9"]
[project.optional-dependencies]
agent = ["igen-agent==1.0"]
[dependency-groups]
dev = ["Ruff>=0.14,<1"]
"""
RESOLVED = f"""\
click==8.5.1 \\
    --hash=sha256:{"1" * 64} \\
    --hash=sha256:{"2" * 64}
    # via -r /tmp/asked.txt
needed-twice==2.0 \\
    --hash=sha256:{"5" * 64}
    # via
    #   click
    #   what-ruff-needs
ruff==0.17.6 \\
    --hash=sha256:{"3" * 64}
    # via
    #   -r /tmp/asked.txt
what-ruff-needs==1.0 \\
    --hash=sha256:{"4" * 64}
    # via ruff
"""
LOCK = written(requirements(PYPROJECT), RESOLVED)


def test_a_lock_of_these_requirements_is_up_to_date() -> None:
    assert findings(PYPROJECT, LOCK) == []
    assert "/tmp" not in LOCK


def test_a_new_requirement_needs_a_new_lock() -> None:
    found = findings(PYPROJECT.replace('"click', '"rich>=14,<16", "click'), LOCK)
    assert len(found) == 2
    assert "`rich>=14,<16`" in found[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("click==8.5.1", "click==9.0"),
        ("click==8.5.1", "click==8.5.2"),
        ("1" * 64, "6" * 64),
        (f" \\\n    --hash=sha256:{'2' * 64}", ""),
    ],
)
def test_a_release_or_archive_that_was_not_found_for_it_is_noticed(before: str, after: str) -> None:
    assert before in LOCK
    assert len(findings(PYPROJECT, LOCK.replace(before, after))) == 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (f" \\\n    --hash=sha256:{'4' * 64}", "", "what-ruff-needs"),
        ("    # via ruff\n", "", "what-ruff-needs"),
        ("    # via ruff\n", f"another==2.0 \\\n    --hash=sha256:{'7' * 64}\n", "another"),
    ],
)
def test_a_package_without_a_hash_or_that_nothing_needs_is_named(before: str, after: str, said: str) -> None:
    found = findings(PYPROJECT, LOCK.replace(before, after))
    assert any(f"`{said}`" in each for each in found)


def test_a_bound_that_changes_needs_a_new_lock() -> None:
    assert len(findings(PYPROJECT.replace("<9", "<8.5"), LOCK)) == 1


def test_a_requirement_without_an_upper_bound_is_found() -> None:
    found = findings(PYPROJECT.replace(",<9", ""), LOCK)
    assert any("`click>=8.2`" in each for each in found)


def test_our_own_packages_are_not_locked() -> None:
    assert requirements(PYPROJECT) == ["Ruff>=0.14,<1", "click>=8.2,<9"]


def test_what_is_installed_is_what_was_asked_for_and_its_needs_with_hashes() -> None:
    assert list(locked(pinned(["click>=8.2,<9", "igen-agent==1.0"], LOCK))) == ["click", "needed-twice"]
    ruff = locked(pinned(["Ruff>=0.14"], LOCK))
    assert list(ruff) == ["needed-twice", "ruff", "what-ruff-needs"]
    assert ruff["ruff"].hashes == {"3" * 64}
    assert len(locked(pinned(["click"], LOCK))["click"].hashes) == 2


def test_pip_refuses_another_archive(tmp_path: Path) -> None:
    wheel = tmp_path / "a-1.0-py3-none-any.whl"
    wheel.write_bytes(b"another archive")
    (tmp_path / "asked.txt").write_text(f"a==1.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--require-hashes", "--no-index", "--dry-run"]
    done = subprocess.run(
        [*pip, f"--find-links={tmp_path}", "--requirement", str(tmp_path / "asked.txt")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "0" * 64 in done.stderr


def test_every_archive_of_pythons_packages_is_checked_when_it_is_installed() -> None:
    """Own packages come from the working tree, and `checks.requirements` needs Python alone."""
    makefile = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line for line in makefile.splitlines() if "pip install" in line or "PIP_INSTALL)" in line]
    taken = [each for each in installs if " := " not in each and "--editable ." not in each]
    assert taken
    assert all("--require-hashes" in each for each in taken)
