"""pip of iGen's interpreter, run apart from the caller's folder and settings."""

from __future__ import annotations

import subprocess
import sys

from igen.environment import environment_of
from igen.errors import IgenError, InputError

_LAST_LINES = 6
_SOURCES = ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "PROXY", "TRUSTED_HOST", "CERT", "CLIENT_CERT")
_CACHES = ("CACHE_DIR", "NO_CACHE_DIR")
_PROXIES = (*(f"{name}_proxy" for name in ("http", "https", "no")), "HTTPS_PROXY", "NO_PROXY")
_OF_PIP = ("HOME", *(f"PIP_{name}" for name in _SOURCES + _CACHES), *_PROXIES)
"""Variables of the caller's environment that pip gets: locations of archives, but no options."""
_UMASK = 0o022
"""The accounts of servers read what is installed, also where its owner keeps new files to itself."""


def pip() -> list[str]:
    """Return the command of iGen's pip. Raises `InputError` if its interpreter has none."""
    asked = [sys.executable, "-I", "-c", "import pip"]
    if subprocess.run(asked, check=False, capture_output=True, cwd="/").returncode != 0:
        raise InputError(
            f"{sys.executable} has no pip, which fetches packages",
            hint=f"install it: {sys.executable} -m ensurepip, or Debian's python3-pip",
        )
    return [sys.executable, "-I", "-m", "pip"]


def run_apart(command: list[str]) -> None:
    """Run a command away from the caller's folder, which may hold anybody's modules: hence `-I` and `cwd`.

    Raises `IgenError` with the last lines of its output if it fails.
    """
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        env=environment_of(_OF_PIP),
        cwd="/",
        umask=_UMASK,
    )
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()[-_LAST_LINES:]
        raise IgenError(f"{' '.join(command[:4])} failed: " + "\n  ".join(words))
