"""Harmless targets: servers of this machine, and files next to the study or among temporary files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from igen.dangers.field import Kind
from igen.errors import IgenError, InputError
from igen.instances import control
from igen.study.targets import expand_targets

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
"""Folders in which everybody may make files."""
_PATH_SCHEME = re.compile(r"\s*(?:file|sqlite|duckdb):", re.IGNORECASE)
_PATH = r"[^%?#\x00-\x1f\x7f]*[^%?#\x00-\x20\x7f/]"
_FILE = re.compile(rf"file://(/{_PATH})|(?:sqlite|duckdb):///({_PATH})")
"""Without characters that one program decodes and another one does not."""
_SERVER = re.compile(
    r"[a-z]+://(?:[^/?#@\\\s]*@)?(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?"
    r"(?:/[^?#\\\s]*)?(?:\?(?P<options>[^#\s]*))?"
)
_SSLMODE = re.compile(r"(?:sslmode=[a-z-]+)?")
"""The only option of a target that names neither a file nor a socket."""


def danger_of_target(target: Any, folder: Path) -> Kind | None:
    """Return the danger of a target or a pattern of targets; None if it is harmless.

    A relative path is seen from `folder`, in which the study runs; links are followed as they lead now.
    """
    if not isinstance(target, str):
        return "unknown"
    try:
        targets: list[str] = expand_targets([target])
    except InputError:
        return "unknown"
    return next((kind for each in targets if (kind := _danger(each, folder)) is not None), None)


def _danger(target: str, folder: Path) -> Kind | None:
    if found := _FILE.fullmatch(target):
        return None if _is_at_hand(found[1] or found[2], folder) else "file"
    if _PATH_SCHEME.match(target):
        return "file"
    found = _SERVER.fullmatch(target)
    options = (found["options"] or "").split("&") if found else []
    if (found and all(map(_SSLMODE.fullmatch, options))) or target in _private_instances():
        return None
    return "file" if found else "host"


def _is_at_hand(path: str, folder: Path) -> bool:
    """Return whether the file is directly in the study's folder or in a temporary one, and not hidden.

    In a folder below it could be a setting of another program: the study's folder may be `/`.
    """
    above, name = os.path.split(os.path.realpath(os.path.join(folder, path)))
    folders = {os.path.realpath(each) for each in (folder, *TEMPORARY)}
    return above in folders and not name.startswith(".")


def _private_instances() -> set[str]:
    """Return the targets of the servers that iGen has made."""
    try:
        made = list(control.of_known_kinds())
    except IgenError:
        return set()
    return {control.target(each) for each in made} | {
        socket for each in made if (socket := control.socket_target(each))
    }
