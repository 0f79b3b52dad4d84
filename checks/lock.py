"""constraints.txt: the Python packages with which iGen is tested, each release with hashes of its archives.

`make lock` writes it with `uv pip compile`, which also notes which package needs which. The check compares it
with pyproject.toml, without a network. `checks.requirements` chooses from it for `make setup`.
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
from checks.requirements import LOCK, Locked, locked, name_of, of_others, with_needs
from igen.fetch.pip import run_apart

UV = "uv>=0.9,<1"
OLDEST = "3.11"
"""The oldest Python for which releases are chosen."""
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


def digest(asked: list[str], packages: Mapping[str, Locked]) -> str:
    """Return a hash of the requirements, and of the releases and hashes that were found for them."""
    lines = [*asked, *(packages[name].text for name in sorted(packages))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def reported(options: Sequence[str]) -> list[Mapping[str, Any]]:
    """What pip would install. Raises `IgenError` where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        common = ["--quiet", "--disable-pip-version-check", "--dry-run", "--ignore-installed"]
        run_apart([sys.executable, "-I", "-m", "pip", "install", *common, f"--report={report}", *options])
        found: list[Mapping[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def resolved(asked: list[str]) -> str:
    """Return a lock of these packages and their needs: the newest releases, with hashes of all archives.

    uv is installed for this alone. Raises `IgenError` if that or the resolution fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pip = [sys.executable, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run_apart([*pip, "--target", name, UV])
        (folder / "asked.txt").write_text("\n".join(asked), encoding="utf-8")
        options = ["--generate-hashes", "--no-header", "--quiet", f"--python-version={OLDEST}"]
        options += ["--python-platform=linux", "--system-certs", f"--output-file={folder / 'lock.txt'}"]
        run_apart([str(folder / "bin" / "uv"), "pip", "compile", *options, str(folder / "asked.txt")])
        return (folder / "lock.txt").read_text(encoding="utf-8")


def written(asked: list[str], found: str) -> str:
    """Return the text of the file."""
    # The list of requirements was a temporary file.
    lines = [line for line in found.splitlines() if not re.match(r" +#.* -r ", line)]
    head = [
        "# Written by `make lock`: releases with which iGen is tested.",
        f"{MARK}{digest(asked, locked(found))}",
    ]
    return "\n".join([*head, *lines]) + "\n"


def findings(pyproject: str, lock: str) -> list[str]:
    """Return the differences between the file and pyproject.toml, and requirements without an upper bound.

    The digest is of the requirements and of the releases and hashes that were found for them: with another
    release the file is not the one that was written for these requirements.
    """
    asked = requirements(pyproject)
    packages = locked(lock)
    found = []
    if f"{MARK}{digest(asked, packages)}" not in lock.splitlines():
        found.append("constraints.txt was not written for what pyproject.toml asks for: run `make lock`")
    for each in asked:
        if not re.search("<|==|~=", each):
            found.append(f"pyproject.toml: `{each}` has no upper bound")
        if name_of(each) not in packages:
            found.append(f"constraints.txt has no release of `{each}`")
    found += [
        f"constraints.txt has no hash of `{name}`" for name, each in packages.items() if not each.hashes
    ]
    used = with_needs({name_of(each) for each in asked}, packages)
    found += [f"constraints.txt: nothing needs `{name}`" for name in sorted(packages.keys() - set(used))]
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
    return tree.finish("lock", findings(pyproject, lock), f"{len(locked(lock))} packages")


if __name__ == "__main__":
    sys.exit(main())
