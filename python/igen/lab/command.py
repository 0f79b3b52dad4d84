"""Programs of the system, by which arrays are made."""

from __future__ import annotations

import os
import shutil
import subprocess

from igen.environment import environment_of
from igen.errors import IgenError, InputError

PACKAGES = {
    "btrfs": "btrfs-progs",
    "mkfs.btrfs": "btrfs-progs",
    "losetup": "mount",
    "mount": "mount",
    "blockdev": "util-linux",
}
"""Debian's, by program."""
_SYSTEM_FOLDERS = "/usr/sbin:/sbin"
"""Not in everybody's PATH."""


def run(*words: str) -> str:
    """What a program prints. Raises `IgenError` with its last words."""
    done = subprocess.run(
        [_program(words[0]), *words[1:]],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=environment_of(),
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-4:]
        raise IgenError(f"{words[0]} failed: " + "\n  ".join(said))
    return done.stdout.strip()


def check_able() -> None:
    """Raises `InputError` where arrays cannot be made: not root, or a program is missing."""
    if os.geteuid() != 0:
        raise InputError(
            "arrays need root: loop devices, their caps and mounts are the administrator's",
            hint="try it with sudo, or load two arrays of your own: any file or device can be a target",
        )
    for program in PACKAGES:
        _program(program)


def _program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{_SYSTEM_FOLDERS}")
    if found is None:
        package = PACKAGES.get(name, name)
        raise InputError(f"there is no program {name}", hint=f"install Debian's: apt-get install {package}")
    return found
