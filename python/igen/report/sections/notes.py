"""What people have written down of the runs."""

from __future__ import annotations

from collections.abc import Sequence

from igen.document import Items, Section


def notes(remarks: Sequence[str]) -> Section | None:
    """The notes, in the order in which they were written; nothing without any."""
    return Section("notes", "Notes", [Items(list(remarks))]) if remarks else None
