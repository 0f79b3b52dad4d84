"""Errors of the file system with place and remedy."""

from __future__ import annotations

from pathlib import Path

from igen.errors import IgenError


def not_written(path: Path, error: OSError) -> IgenError:
    """Return the error for a store that cannot be written."""
    return IgenError(
        f"cannot write: {_reason(error)}",
        where=str(path),
        hint="earlier results are kept; choose another folder with --store, or free some space",
    )


def not_read(path: Path, error: OSError) -> IgenError:
    """Return the error for a store that cannot be read."""
    return IgenError(
        f"cannot read: {_reason(error)}",
        where=str(error.filename or path),
        hint="check its owner and permissions, or choose another store with --store or IGEN_STORE",
    )


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
