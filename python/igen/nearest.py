"""What was probably meant where a word is not known."""

from __future__ import annotations

from collections.abc import Collection


def suggestion(word: str, known: Collection[str]) -> str:
    """A hint that names the nearest of the known words, or all of them."""
    import difflib

    nearest = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{nearest[0]}`?" if nearest else f"there is {', '.join(known)}"
