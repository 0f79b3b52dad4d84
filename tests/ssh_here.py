"""Stands in for ssh: what another machine is asked to do is done on this one, by another account's cache."""

from __future__ import annotations

from pathlib import Path

GONE = "gone1"
"""A machine that cannot be reached."""


def write_ssh(folder: Path) -> Path:
    """Writes the program into a folder that is to come first in PATH; the folder of what it keeps."""
    cache = folder / "cache-of-other-machines"
    program = folder / "ssh"
    program.write_text(
        f"""#!/bin/sh
case "$*" in *ssh://{GONE}*) echo "ssh: connect to host {GONE} port 22: No route to host" >&2; exit 255;; esac
for command; do :; done
XDG_CACHE_HOME={cache} exec sh -c "$command"
"""
    )
    program.chmod(0o755)
    return cache
