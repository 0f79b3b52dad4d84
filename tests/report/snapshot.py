"""Expected texts as files; `IGEN_UPDATE_SNAPSHOTS=1 pytest tests/report` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def check(name: str, text: str) -> None:
    path = FOLDER / name
    if os.environ.get("IGEN_UPDATE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs: see git diff after an update"
