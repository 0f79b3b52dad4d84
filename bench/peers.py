"""The tools that iGen is compared with: from the distribution's own packages, installed when missing."""

from __future__ import annotations

import shutil
import subprocess


def need(command: str, package: str) -> None:
    """Makes sure that `command` is there. Raises RuntimeError when its package cannot be installed."""
    if shutil.which(command):
        return
    for step in (["apt-get", "update"], ["apt-get", "install", "--yes", package]):
        done = subprocess.run(step, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(step)}: {done.stderr.strip()}; install {package} by hand")
