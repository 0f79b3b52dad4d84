"""What a study asks for that can destroy what iGen did not make, or run what anybody writes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from igen.errors import InputError
from igen.study.targets import expand_targets


def dangers(value: Any, key: str = "") -> Iterator[str]:
    """The words of a study that stand for it, wherever they are."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from dangers(each, str(name))
    elif isinstance(value, list):
        for each in value:
            yield from dangers(each, key)
    elif key.rpartition(".")[2] in ("force", "i_own_this_data") and value:
        yield key
    elif key == "workload" and value == "command":
        yield "the workload command"
    elif isinstance(value, str) and any(map(_is_device, _spelled_out(value))):
        yield value


def _spelled_out(target: str) -> list[str]:
    """What a pattern of targets stands for; one that makes no sense is refused by whoever plans with it."""
    try:
        found: list[str] = expand_targets([target])
    except InputError:
        return [target]
    return found


def _is_device(target: str) -> bool:
    """Whether the target is a device, or a file in `/dev`, however its path is written.

    The agent takes a path as it stands, others decode it: both readings are looked at.
    """
    if not target.strip().lower().startswith("file:"):
        return False
    plain = target.strip()[len("file:") :]
    try:
        paths = (plain, plain.removeprefix("//"), unquote(urlsplit(target.strip()).path))
        return any(_leads_to_device(path) for path in paths if path)
    except ValueError:
        # Nobody can open a path with a zero byte in it.
        return False


def _leads_to_device(path: str) -> bool:
    # POSIX lets a path begin with two slashes, and `realpath` keeps them.
    path = re.sub("^/+", "/", path)
    try:
        is_device = stat.S_ISBLK(os.stat(path).st_mode)
    except OSError:
        is_device = False
    return is_device or re.sub("^/+", "/", os.path.realpath(path)).startswith("/dev/")
