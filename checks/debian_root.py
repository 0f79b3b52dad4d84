"""A Debian in a separate folder, by mmdebstrap: from the mirror and by the proxy that apt is set to here."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

_OF_DEBIAN = ("Created-By: Packages", "Origin: Debian", "Label: Debian", "Component: main")


def command(options: Sequence[str], suite: str, target: str = "") -> list[str]:
    """Return the command that makes the root of a release: in a folder, or nowhere but for its hooks."""
    settings = [
        f"--aptopt={line}" for line in _said(["apt-config", "dump", "Acquire::http", "Acquire::https"])
    ]
    # On a machine of another distribution there is no mirror, and mmdebstrap has its own.
    mirrors = _said(["apt-get", "indextargets", "--format", "$(REPO_URI)", *_OF_DEBIAN])[:1]
    return ["mmdebstrap", "--quiet", *settings, *options, suite, target or "/dev/null", *mirrors]


def _said(command: list[str]) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
