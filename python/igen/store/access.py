"""What the file system refuses, as the project's errors: with the place and a remedy."""

from __future__ import annotations

from pathlib import Path

from igen.errors import IgenError


def not_written(path: Path, error: OSError) -> IgenError:
    """The error that tells a user why the store could not be written."""
    return IgenError(
        f"cannot write: {_reason(error)}",
        where=str(path),
        hint="what was measured before is kept; choose another place with --store, or free some space",
    )


def not_read(path: Path, error: OSError) -> IgenError:
    """The error that tells a user why the store could not be read."""
    return IgenError(
        f"cannot read: {_reason(error)}",
        where=str(error.filename or path),
        hint="look at its owner and permissions; --store or IGEN_STORE chooses another store",
    )


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
