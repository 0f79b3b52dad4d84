"""The one way from texts to `str`: for printers alone, which an import contract enforces."""

from __future__ import annotations

from igen.document import Phrase, Words
from igen.text import Text


def printed(words: Words) -> str:
    """Return the words without their style."""
    if isinstance(words, str):
        return words
    if isinstance(words, Text):
        return words._words
    return "".join(printed(each.text if isinstance(each, Phrase) else each) for each in words)
