"""THE list of formats of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from igen.errors import InputError
from igen.extras import PNG

Format = Literal["html", "markdown", "csv", "json"]
FORMATS: dict[str, Format] = {".html": "html", ".md": "markdown", ".csv": "csv", ".json": "json"}
"""By the file's suffix."""


def format_of(path: Path) -> Format:
    """Return the format of a file by its suffix. Raises `InputError` if it is unknown or lacks its extra."""
    if path.suffix not in FORMATS:
        hint = f"end its name with one of {', '.join(FORMATS)}"
        raise InputError(f"no format of reports ends like `{path}`", where=str(path), hint=hint)
    format = FORMATS[path.suffix]
    if format == "markdown":
        PNG.need("a report in Markdown, whose pictures are PNG,", where=str(path))
    return format
