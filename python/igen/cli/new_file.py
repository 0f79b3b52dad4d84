"""Files that a command writes for people to edit: one that exists is not replaced."""

from __future__ import annotations

from pathlib import Path

from igen.errors import InputError


def refuse_existing(path: Path, hint: str) -> None:
    """Raise `InputError` if there is a file at `path`."""
    if path.exists():
        raise _exists(path, hint)


def write_new(path: Path, text: str, hint: str, *, replace: bool = False) -> None:
    """Write the file. Raises `InputError` if there is one by now, unless it may be replaced."""
    try:
        with path.open("w" if replace else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _exists(path, hint) from None


def _exists(path: Path, hint: str) -> InputError:
    return InputError("the file exists", where=str(path), hint=hint)
