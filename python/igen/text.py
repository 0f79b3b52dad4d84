"""A sentence for people, which no program reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, final


@final
@dataclass(frozen=True, slots=True)
class Text:
    """One sentence, or several that were joined. It can be joined and compared; only `igen.printed` makes it
    a `str`, and only printers may import that."""

    _words: str

    @classmethod
    def of(cls, *parts: str | Text, between: str = "") -> Text:
        """Return these parts as one text, with `between` between them."""
        return cls(between.join(part if isinstance(part, str) else part._words for part in parts))

    def __str__(self) -> NoReturn:
        """Raise `TypeError`: an f-string would read the words."""
        raise TypeError("a text is joined by `Text.of` and printed by `igen.printed`")
