"""Files that igen writes say of which format they are; any other format is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from igen.errors import IgenError

FORMAT_FIELD = "format"


class UnknownFormat(IgenError):
    """Another release has written the file."""


def check_format(fields: Mapping[str, Any], known: int, path: Path) -> None:
    """Raise `UnknownFormat` unless a file with these fields is of the format that is `known`."""
    found = fields.get(FORMAT_FIELD)
    if found != known or isinstance(found, bool):
        raise UnknownFormat(
            f"it is of format {found}; this igen reads format {known}",
            where=str(path),
            hint="another release of igen has written it: use that one, or another folder",
        )
