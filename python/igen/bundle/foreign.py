"""Runs of others are judged with care: what no igen has written ends in a sentence, not in a traceback."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from igen.errors import IgenError, InputError

_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What code raises that trusts the form of a run, which is checked where runs are written."""


@contextmanager
def runs_of(path: Path) -> Iterator[None]:
    """Names the bundle where its runs cannot be read. Raises `InputError` for those of an odd form."""
    try:
        with warnings.catch_warnings():
            # Figures that overflow are none, and nothing that a reader of the terminal must know.
            warnings.simplefilter("ignore", RuntimeWarning)
            yield
    except IgenError as error:
        error.where = f"{path}: {error.where}" if error.where else str(path)
        raise
    except _ODD as error:
        text = f"its runs are not as an igen writes them: {type(error).__name__}: {error}"
        raise InputError(text, where=str(path), hint="ask who published it") from error
