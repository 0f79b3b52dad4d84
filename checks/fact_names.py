"""Python names facts by the constants of `igen.facts`: no text in a source is the name of a declared fact."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from checks import tree
from igen.facts.declaration import DECLARED, FAMILIES, declared

SOURCES = tree.ROOT / "python" / "igen"
OWN = SOURCES / "facts"
FIELDS = ("load.",)
"""Starts of names of facts that are paths in a job too."""
ALLOWED = {"python/igen/ask/asked.py": "names fields of a study, of which some are called like facts"}
"""By file: why names of facts may stand there."""


def names_in(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each name of a fact, or start of such names, in a Python source."""
    groups = {f"{name.partition('.')[0]}." for name in DECLARED}
    starts = {made.before for made, _ in FAMILIES} | (groups - {*FIELDS})
    parsed = ast.parse(source)
    documentation = {id(node.value) for node in ast.walk(parsed) if isinstance(node, ast.Expr)}
    # Only the first part of an f-string can be the start of a name.
    inner = {
        id(part) for node in ast.walk(parsed) if isinstance(node, ast.JoinedStr) for part in node.values[1:]
    }
    for node in ast.walk(parsed):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        if id(node) in documentation or id(node) in inner:
            continue
        if node.value in starts or declared(node.value) is not None:
            yield node.lineno, node.value


def findings(sources: dict[Path, str]) -> list[str]:
    """Return a sentence for each name."""
    return [
        f"{path}:{line}: `{name}` is the name of a fact: use its constant in igen.facts"
        for path, source in sources.items()
        if str(path) not in ALLOWED
        for line, name in names_in(source)
    ]


def main() -> int:
    """Checks all sources of igen."""
    paths = [path for path in sorted(SOURCES.rglob("*.py")) if not path.is_relative_to(OWN)]
    sources = {path.relative_to(tree.ROOT): path.read_text(encoding="utf-8") for path in paths}
    return tree.finish("fact names", findings(sources), f"{len(DECLARED) + len(FAMILIES)} facts")


if __name__ == "__main__":
    sys.exit(main())
