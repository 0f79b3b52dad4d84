"""The requirements of pyproject.toml with their releases and hashes in constraints.txt. Needs Python alone.

`python -m checks.requirements EXTRA… --group GROUP` prints a file for `pip install --require-hashes`: what
iGen needs with these extras, or a group of tools, and all that this needs. Our own packages are on no index.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYPROJECT = ROOT / "pyproject.toml"
LOCK = ROOT / "constraints.txt"
OWN = {"igen-agent", "igen-bench"}


def name_of(requirement: str) -> str:
    """Return the normalised name of the package that is asked for, by the packaging specifications."""
    (name,) = re.findall(r"^[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", name).lower()


def of_others(asked: Iterable[str]) -> list[str]:
    """Return these requirements, each once, without our own packages."""
    return sorted({each for each in asked if name_of(each) not in OWN})


@dataclass(slots=True)
class Locked:
    """A package in constraints.txt."""

    text: str
    """Release and hashes, as pip reads them."""
    needed_by: set[str] = field(default_factory=set)

    @property
    def release(self) -> str:
        """The release without its hashes."""
        return self.text.split("==")[1].split()[0]

    @property
    def hashes(self) -> set[str]:
        """SHA-256 of each archive of the release."""
        return set(re.findall(r"--hash=sha256:([0-9a-f]{64})", self.text))


def locked(lock: str) -> dict[str, Locked]:
    """Return the packages of a lock by name."""
    found: dict[str, Locked] = {}
    name = ""
    for line in lock.splitlines():
        if "==" in line and line[:1] not in "# ":
            name = name_of(line)
            found[name] = Locked(line)
        elif name and "--hash" in line:
            found[name].text += f"\n{line}"
        elif name and (needing := re.fullmatch(r" +# +(?:via +)?(?!via$)([\w.-]+)", line)):
            found[name].needed_by.add(needing[1])
    return found


def with_needs(names: Iterable[str], lock: dict[str, Locked]) -> list[str]:
    """Return these packages and all that they need, sorted."""
    chosen = set(names)
    while more := {name for name, each in lock.items() if name not in chosen and each.needed_by & chosen}:
        chosen |= more
    return sorted(chosen)


def pinned(asked: Iterable[str], lock: str) -> str:
    """Return the lines for pip of these requirements and all that they need, with hashes.

    Raises `KeyError` for a package that is not in the lock.
    """
    packages = locked(lock)
    names = with_needs({name_of(each) for each in of_others(asked)}, packages)
    return "".join(f"{packages[name].text}\n" for name in names)


def of_product(extras: Iterable[str] = ()) -> str:
    """Return the lines for pip of what iGen needs with these extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    more = [each for extra in extras for each in project["optional-dependencies"][extra]]
    return pinned([*project["dependencies"], *more], LOCK.read_text(encoding="utf-8"))


def of_tools(names: Iterable[str]) -> str:
    """Return the lines for pip of these groups of tools."""
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    asked = [each for name in names for each in groups[name]]
    return pinned(asked, LOCK.read_text(encoding="utf-8"))


def main() -> None:
    """Print a file of requirements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    parser.add_argument("--group", action="append", help="a group of tools instead of iGen")
    asked = parser.parse_args()
    print(of_tools(asked.group) if asked.group else of_product(asked.extras), end="")


if __name__ == "__main__":
    main()
