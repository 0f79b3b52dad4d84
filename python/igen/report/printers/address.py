"""Where the links of a document lead, seen from the place where it is printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from igen.document import RUN_FILE

Address = Callable[[str], str]
"""From a link of the document to an address; empty where nothing is known to be there."""


def addresses(printed: Path, runs: Mapping[str, Path]) -> Address:
    """Links to files of `runs` (folders by id) relative to the `printed` file, so that both may move."""

    def address(link: str) -> str:
        if not link.startswith(RUN_FILE):
            return link
        run, _, path = link.removeprefix(RUN_FILE).partition("/")
        folder = runs.get(run)
        if folder is None:
            return ""
        found = Path(os.path.relpath((folder / path).resolve(), printed.parent.resolve()))
        return quote(found.as_posix())

    return address
