"""What was probably meant where a word is not known."""

from __future__ import annotations

from collections.abc import Collection


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return the known word that is nearest to a misspelt one; None if none is near."""
    import difflib

    return next(iter(difflib.get_close_matches(word, known, n=1)), None)


def suggestion(word: str, known: Collection[str]) -> str:
    """Return a hint that names the nearest of the known words, or all of them."""
    meant = nearest(word, known)
    return f"did you mean `{meant}`?" if meant else f"there is {', '.join(known)}"
