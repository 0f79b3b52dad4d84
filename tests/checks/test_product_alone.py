"""Checks that need no development tools, such as `make wheels`, load with the product's packages alone."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from checks import tree
from checks.requirements import OWN, name_of

MODULES = re.findall(
    r"\.venv/bin/python -m (checks\.\w+)", (tree.ROOT / "Makefile").read_text(encoding="utf-8")
)
"""Called before the tools are there: `make check` calls the others as `python -m`."""


def needed(name: str, seen: set[str]) -> Iterator[str]:
    """Distributions that one needs, without extras."""
    for text in distribution(name).requires or []:
        each = Requirement(text)
        if name_of(each.name) not in seen | OWN and (
            each.marker is None or each.marker.evaluate({"extra": ""})
        ):
            seen.add(name_of(each.name))
            yield each.name
            yield from needed(each.name, seen)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the product needs of the environment of the tests, and nothing else."""
    folder = tmp_path_factory.mktemp("packages")
    for name in needed("igen-bench", set()):
        found = distribution(name)
        for file in {
            path.parts[0] for path in found.files or [] if path.parts[0] not in ("..", "__pycache__")
        }:
            (folder / file).symlink_to(Path(str(found.locate_file(file))).resolve())
    return folder


@pytest.mark.parametrize("module", sorted(set(MODULES)))
def test_it_loads(module: str, packages: Path) -> None:
    places = [str(packages), str(tree.ROOT), str(tree.ROOT / "python")]
    program = f"import sys; sys.path += {places}; import {module}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_wheels_and_lock_are_among_them() -> None:
    assert {"checks.wheels", "checks.lock", "checks.empty_root"} <= set(MODULES)
