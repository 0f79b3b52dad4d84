"""Short forms of a command line, written out."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SETTING = re.compile(r"[A-Za-z_][\w.]*=")


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """Return `--set a=1 --set b=2` for `--set a=1 b=2`: a flag takes all settings that follow it."""
    result: list[str] = []
    in_settings = False
    for argument in arguments:
        after_flag = bool(result) and result[-1] == "--set"
        if in_settings and not after_flag and _SETTING.match(argument):
            result.append("--set")
        elif not after_flag:
            in_settings = argument == "--set" or argument.startswith("--set=")
        result.append(argument)
    return result
