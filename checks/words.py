"""Text that must not be committed: leftovers, conflict markers, paths of somebody's machine, em dashes, and
docstrings that do not begin with the thing they describe."""

from __future__ import annotations

import re
import sys

from checks import tree

FORBIDDEN: dict[str, re.Pattern[str]] = {
    "leftover": re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bdbg!\(|\b(todo|unimplemented)!\("),
    "conflict marker": re.compile(r"^(<{7}|>{7}) ", re.MULTILINE),
    "path of one machine": re.compile(r"(?<![\w./$~}])/(?:root|work|Users)/\w"),
    "em dash": re.compile("\N{EM DASH}"),
    "docstring that does not begin with the thing": re.compile(r'^\s*(?:"""|//[/!] )Of ', re.MULTILINE),
}
TEXT = (".rs", ".py", ".md", ".toml", ".json", ".html", ".css", ".js", ".sh", ".yml", "")


def findings(name: str, text: str) -> list[str]:
    """Forbidden words in `text`, each with its line."""
    found = []
    for what, pattern in FORBIDDEN.items():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{name}:{line}: {what}: {match.group(0).strip()}")
    return found


def main() -> int:
    """Checks every text file but this one, which has to name the words."""
    paths = [path for path in tree.files(*TEXT) if path.name not in {"words.py", "test_words.py"}]
    found = []
    for path in paths:
        found += findings(str(path.relative_to(tree.ROOT)), path.read_text(encoding="utf-8"))
    return tree.finish("words", found, f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
