"""What a tool left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """What a tool left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """What `--json` prints."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of one of its tables."""
        (found,) = [each for each in self.document["tables"] if each["name"] == table]
        return list(found["rows"])


Tool = Callable[..., Said]
"""Runs `igen tool` with these words."""
