"""The environment of the programs that iGen starts: what each needs, and nothing else of the caller's.

Whoever runs as a program's user can read its environment for as long as it lives, and clients of servers
take addresses and passwords from theirs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

_COMMON = ("PATH", "LANG", "LANGUAGE", "TMPDIR", "TZ")
_LOCALE = "LC_"


def environment_of(needs: Iterable[str] = ()) -> dict[str, str]:
    """Path, locale, time zone and temporary folder of this process, and the variables that a program `needs`.

    A need that ends in `*` stands for all variables that begin like that.
    """
    names = {*_COMMON, *needs}
    beginnings = (_LOCALE, *(name.removesuffix("*") for name in names if name.endswith("*")))
    return {name: value for name, value in os.environ.items() if name in names or name.startswith(beginnings)}
