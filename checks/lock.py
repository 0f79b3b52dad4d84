"""constraints.txt: the release of each Python package with which iGen is tested, for pip's `--constraint`.

`make lock` writes it; the check compares it with pyproject.toml and asks nobody.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checks import tree
from igen.fetch.pip import run_apart

LOCK = tree.ROOT / "constraints.txt"
OWN = {"igen-agent", "igen-bench"}
MARK = "# of requirements "


def requirements(pyproject: str) -> list[str]:
    """All that pyproject.toml asks for, without our own packages."""
    table = tomllib.loads(pyproject)
    project = table["project"]
    asked = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
        *(each for group in table["dependency-groups"].values() for each in group),
    ]
    return sorted({each for each in asked if canonicalize_name(Requirement(each).name) not in OWN})


def digest(asked: list[str]) -> str:
    """What tells one list of requirements from another."""
    return hashlib.sha256("\n".join(asked).encode()).hexdigest()[:16]


def reported(options: Sequence[str]) -> list[Mapping[str, Any]]:
    """What pip would install. Raises `IgenError` where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        common = ["--quiet", "--disable-pip-version-check", "--dry-run", "--ignore-installed"]
        run_apart([sys.executable, "-I", "-m", "pip", "install", *common, f"--report={report}", *options])
        found: list[Mapping[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def resolved(asked: list[str]) -> dict[str, str]:
    """The newest releases that fit, by name, of these and of what they need."""
    return {
        canonicalize_name(each["metadata"]["name"]): each["metadata"]["version"] for each in reported(asked)
    }


def written(asked: list[str], releases: dict[str, str]) -> str:
    """The text of the file."""
    head = ["# Written by `make lock`: releases with which iGen is tested.", f"{MARK}{digest(asked)}"]
    return "\n".join([*head, *(f"{name}=={releases[name]}" for name in sorted(releases))]) + "\n"


def findings(pyproject: str, lock: str) -> list[str]:
    """What the file and pyproject.toml say differently, and requirements without an upper bound."""
    asked = requirements(pyproject)
    lines = lock.splitlines()
    releases = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    found = []
    if f"{MARK}{digest(asked)}" not in lines:
        found.append("constraints.txt is of other requirements than pyproject.toml: `make lock` writes it")
    for each in asked:
        requirement = Requirement(each)
        release = releases.get(canonicalize_name(requirement.name))
        if not any(part.operator in ("<", "<=", "==", "~=") for part in requirement.specifier):
            found.append(f"pyproject.toml: `{each}` has no upper bound")
        if release is None or not requirement.specifier.contains(release):
            found.append(f"constraints.txt has {release or 'no release'} of `{each}`")
    return found


def main() -> int:
    """Compares, or writes with --write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write it anew")
    pyproject = (tree.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if parser.parse_args().write:
        asked = requirements(pyproject)
        LOCK.write_text(written(asked, resolved(asked)), encoding="utf-8")
    lock = LOCK.read_text(encoding="utf-8") if LOCK.exists() else ""
    return tree.finish("lock", findings(pyproject, lock), f"{lock.count('==')} packages")


if __name__ == "__main__":
    sys.exit(main())
