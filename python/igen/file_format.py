"""Files that igen writes say of which format they are; one that this igen does not know is refused.

What does not say it was written before any did: it is of format 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from igen.errors import IgenError

FORMAT_FIELD = "format"


class UnknownFormat(IgenError):
    """A later release has written the file."""


def format_of_file(fields: Mapping[str, Any], latest: int, path: Path) -> int:
    """The format of a file with these fields. Raises `UnknownFormat` beyond the `latest` that is known."""
    found = fields.get(FORMAT_FIELD, 1)
    if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= latest:
        raise UnknownFormat(
            f"it is of format {found}; this igen reads up to {latest}",
            where=str(path),
            hint="a later igen has written it: use that one, or another folder",
        )
    return found
