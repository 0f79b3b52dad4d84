"""What a study asks for that can destroy what iGen did not make, or run what anybody writes."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from igen.errors import InputError
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.study.targets import expand_targets

PATH_SCHEMES = ("file:", "sqlite:", "duckdb:")
"""Targets that are opened by their path on this machine."""


def dangers(value: Any, folder: Path | None = None, key: str = "") -> Iterator[str]:
    """The words of a study that stand for it, wherever they are.

    Paths are looked at as from `folder`, where the study runs: from the current one by default.
    """
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from dangers(each, folder, str(name))
        return
    if isinstance(value, list):
        for each in value:
            yield from dangers(each, folder, key)
        return
    field = key.rpartition(".")[2]
    if field in ("force", "i_own_this_data") and value:
        yield key
    elif field == "workload" and value == "command":
        yield "the workload command"
    elif isinstance(value, str) and any(_is_device(each, folder or Path()) for each in _spelled_out(value)):
        yield value


def dangers_of_job(queue: QueueFolder, entry: Entry) -> list[str]:
    """The same of a job of the queue, with the links on this machine as they lead now.

    A study that cannot be read is a danger too: nobody can say what it does.
    """
    try:
        table = tomllib.loads((queue.study_folder(entry.job) / entry.study).read_text(encoding="utf-8"))
        said = {"study": table, "params": entry.params}
        return list(dict.fromkeys(dangers(said, Path(entry.folder))))
    except (OSError, ValueError, RecursionError):
        return ["a study that cannot be read"]


def _spelled_out(target: str) -> list[str]:
    """What a pattern of targets stands for; one that makes no sense is refused by whoever plans with it."""
    try:
        found: list[str] = expand_targets([target])
    except InputError:
        return [target]
    return found


def _is_device(target: str, folder: Path) -> bool:
    """Whether the target is a device, or would be a file among devices, however its path is written.

    The agent takes a path as it stands, others decode it: both readings are looked at.
    """
    if not target.strip().lower().startswith(PATH_SCHEMES):
        return False
    plain = target.strip().partition(":")[2]
    try:
        paths = (plain, plain.removeprefix("//"), unquote(urlsplit(target.strip()).path))
        return any(_leads_to_device(os.path.join(folder, path)) for path in paths if path)
    except ValueError:
        # Nobody can open a path with a zero byte in it.
        return False


def _leads_to_device(path: str) -> bool:
    # POSIX lets a path begin with two slashes, and `realpath` keeps them.
    path = re.sub("^/+", "/", path)
    try:
        mode = os.stat(path).st_mode
        is_device = stat.S_ISBLK(mode) or stat.S_ISCHR(mode)
    except OSError:
        is_device = False
    real = re.sub("^/+", "/", os.path.realpath(path))
    # Where shared memory is, files are files.
    return is_device or (real.startswith("/dev/") and not real.startswith("/dev/shm/"))
