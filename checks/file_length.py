"""No source file is longer than 500 lines; the median says whether files stay small on the whole."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from checks import tree

LIMIT = 500
SOURCES = (".rs", ".py", ".md", ".toml", ".html", ".css", ".js")


def lengths(paths: list[Path]) -> dict[Path, int]:
    """Lines of each file."""
    return {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}


def too_long(lines: dict[Path, int]) -> list[str]:
    """The files beyond the limit."""
    return [f"{path}: {count} lines, the limit is {LIMIT}" for path, count in lines.items() if count > LIMIT]


def main() -> int:
    """Checks all sources; generated reference pages may be as long as they are."""
    generated = tree.ROOT / "docs" / "reference"
    paths = [path for path in tree.files(*SOURCES) if not path.is_relative_to(generated)]
    lines = {path.relative_to(tree.ROOT): count for path, count in lengths(paths).items()}
    # Empty package markers would pull the median down.
    code = [count for path, count in lines.items() if path.suffix in {".rs", ".py"} and count > 5]
    median, longest = statistics.median(code), max(lines, key=lambda path: lines[path])
    return tree.finish(
        "file length",
        too_long(lines),
        f"median of {len(code)} source files {median:.0f} lines, longest {longest} with {lines[longest]}",
    )


if __name__ == "__main__":
    sys.exit(main())
