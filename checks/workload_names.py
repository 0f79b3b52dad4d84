"""Judge, layout, report and study know no workload: no name of one stands in them outside the list below.

What is known of one kind of workload is an aspect. A name that is an everyday word too counts where it stands
alone in a string, in backticks, or at the begin of a fact's name.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from pathlib import Path

from checks import reference_pages, tree

PACKAGES = ("judge", "layout", "report", "study")
EVERYDAY = {"bank", "command", "cpu", "http", "io", "model", "ram", "scan"}

ALLOWED: dict[tuple[str, str], str] = {
    ("judge", "cpu"): "a monitor, a kind of pressure and a group of facts have this name",
    ("judge", "io"): "a kind of pressure has this name",
    ("judge", "noop"): "the engine's own floor is measured with it",
    ("report", "noop"): "the engine's own floor is measured with it",
    ("study", "noop"): "the engine's own floor is measured with it",
}
"""By package and name: why it may stand there."""


def names_in(source: str, workloads: list[str]) -> list[tuple[int, str]]:
    """Line and name of each workload that a Python source names."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        everywhere = token.type in (tokenize.STRING, tokenize.COMMENT, tokenize.NAME)
        for name in workloads if everywhere else ():
            for match in _pattern(name).finditer(token.string):
                line = token.start[0] + token.string.count("\n", 0, match.start())
                found.append((line, name))
    return found


def _pattern(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    if name not in EVERYDAY:
        return re.compile(rf"(?<![\w-]){word}(?![\w-])")
    return re.compile(rf"`{word}`|(?<![\w`]){word}(?=\.[a-z_{{])|^[rbf]*([\"']){word}\1$")


def findings(sources: dict[Path, str], workloads: list[str], allowed: set[tuple[str, str]]) -> list[str]:
    """What is named and not allowed, and what is allowed and not named."""
    named = [
        (path, line, name) for path, source in sources.items() for line, name in names_in(source, workloads)
    ]
    found = [
        f"{path}:{line}: names the workload `{name}`: what is known of it belongs to igen.aspects"
        for path, line, name in named
        if (_package(path), name) not in allowed
    ]
    needed = {(_package(path), name) for path, _, name in named}
    return found + [
        f"checks/workload_names.py: {package} does not name `{name}` any more: take it from the list"
        for package, name in sorted(allowed - needed)
    ]


def _package(path: Path) -> str:
    return path.parts[path.parts.index("igen") + 1]


def main() -> int:
    """Checks the packages."""
    workloads = [each["name"] for each in reference_pages.ask_agent("list", "workloads")]
    folders = [tree.ROOT / "python" / "igen" / package for package in PACKAGES]
    paths = [path for path in tree.files(".py") if any(path.is_relative_to(folder) for folder in folders)]
    sources = {path.relative_to(tree.ROOT): path.read_text(encoding="utf-8") for path in paths}
    found = findings(sources, workloads, set(ALLOWED))
    return tree.finish("workload names", found, f"{len(paths)} files name none of {len(workloads)} workloads")


if __name__ == "__main__":
    sys.exit(main())
