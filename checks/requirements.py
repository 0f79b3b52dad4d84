"""The requirements of pyproject.toml, without our own packages. Needs Python alone.

`python -m checks.requirements EXTRA…` prints the requirements of iGen with these extras, for `pip install
--requirement`: our own packages are on no index, and stand in the working tree.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
OWN = {"igen-agent", "igen-bench"}


def name_of(requirement: str) -> str:
    """Return the normalised name of the package that is asked for, by the packaging specifications."""
    (name,) = re.findall(r"^[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", name).lower()


def of_others(asked: Iterable[str]) -> list[str]:
    """Return these requirements, each once, without our own packages."""
    return sorted({each for each in asked if name_of(each) not in OWN})


def main() -> None:
    """Print a requirement a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = [project["optional-dependencies"][extra] for extra in parser.parse_args().extras]
    for each in of_others([*project["dependencies"], *(each for extra in extras for each in extra)]):
        print(each)


if __name__ == "__main__":
    main()
