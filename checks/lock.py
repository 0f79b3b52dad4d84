"""constraints.txt: the release of each Python package with which iGen is tested, for pip's `--constraint`.

`make lock` writes it; the check compares it with pyproject.toml and asks nobody.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from checks import tree
from checks.requirements import name_of, of_others
from igen.fetch.pip import run_apart

LOCK = tree.ROOT / "constraints.txt"
MARK = "# digest "


def requirements(pyproject: str) -> list[str]:
    """Return all that pyproject.toml asks for, without our own packages."""
    table = tomllib.loads(pyproject)
    project = table["project"]
    asked = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
        *(each for group in table["dependency-groups"].values() for each in group),
    ]
    return of_others(asked)


def digest(asked: list[str], releases: dict[str, str]) -> str:
    """Return what tells one list of requirements, with the releases that were found for it, from another."""
    lines = [*asked, *(f"{name}=={releases[name]}" for name in sorted(releases))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def reported(options: Sequence[str]) -> list[Mapping[str, Any]]:
    """What pip would install. Raises `IgenError` where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        common = ["--quiet", "--disable-pip-version-check", "--dry-run", "--ignore-installed"]
        run_apart([sys.executable, "-I", "-m", "pip", "install", *common, f"--report={report}", *options])
        found: list[Mapping[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def resolved(asked: list[str]) -> dict[str, str]:
    """Return the newest releases that fit, by name, of these packages and of the packages that they need."""
    return {name_of(each["metadata"]["name"]): each["metadata"]["version"] for each in reported(asked)}


def written(asked: list[str], releases: dict[str, str]) -> str:
    """Return the text of the file."""
    head = [
        "# Written by `make lock`: releases with which iGen is tested.",
        f"{MARK}{digest(asked, releases)}",
    ]
    return "\n".join([*head, *(f"{name}=={releases[name]}" for name in sorted(releases))]) + "\n"


def findings(pyproject: str, lock: str) -> list[str]:
    """Return the differences between the file and pyproject.toml, and requirements without an upper bound.

    The digest is of the requirements and of the releases that pip found for them together: with any other
    release the file is not the one that was written for these requirements.
    """
    asked = requirements(pyproject)
    lines = lock.splitlines()
    releases = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    found = []
    if f"{MARK}{digest(asked, releases)}" not in lines:
        found.append("constraints.txt was not written for what pyproject.toml asks for: run `make lock`")
    for each in asked:
        if not re.search("<|==|~=", each):
            found.append(f"pyproject.toml: `{each}` has no upper bound")
        if name_of(each) not in releases:
            found.append(f"constraints.txt has no release of `{each}`")
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
