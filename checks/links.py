"""Every relative link in the documents leads to a file, and every anchor to a heading."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import unquote

from checks import markdown, tree


def findings(path: Path, root: Path) -> list[str]:
    """Broken links of one page."""
    found = []
    for line, target in markdown.links(path.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / unquote(name)).resolve() if name else path
        where = f"{path.relative_to(root)}:{line}"
        if not file.exists():
            found.append(f"{where}: {target}: no such file")
        elif not file.is_relative_to(root):
            found.append(f"{where}: {target}: outside the repository")
        elif anchor and anchor not in markdown.anchors(file.read_text(encoding="utf-8")):
            found.append(f"{where}: {target}: no such heading")
    return found


def main() -> int:
    """Checks all Markdown files but those that tests compare with."""
    tests = tree.ROOT / "tests"
    pages = [page for page in tree.files(".md") if not page.is_relative_to(tests)]
    found = [finding for page in pages for finding in findings(page, tree.ROOT)]
    return tree.finish("links", found, f"{len(pages)} pages")


if __name__ == "__main__":
    sys.exit(main())
