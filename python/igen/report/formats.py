"""THE list of formats of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from igen.errors import InputError

Format = Literal["html", "markdown", "csv", "json"]
FORMATS: dict[str, Format] = {".html": "html", ".md": "markdown", ".csv": "csv", ".json": "json"}
"""By the file's suffix."""


def format_of(path: Path) -> Format:
    """The format that a file's suffix names. Raises `InputError`."""
    if path.suffix not in FORMATS:
        hint = f"end its name with one of {', '.join(FORMATS)}"
        raise InputError(f"no format of reports ends like `{path}`", where=str(path), hint=hint)
    return FORMATS[path.suffix]
