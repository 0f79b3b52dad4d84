"""The console's charts, from npm: uPlot, at one version, by hash, with its licence.

`make console-assets` fetches it by npm, from the registry that npm is set to; the check compares the
committed files with the hashes and asks nobody.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from checks import tree

VERSION = "1.6.32"
PACKAGE = f"uplot@{VERSION}"
INTEGRITY = "KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="
"""SHA-512 of the tarball, as npm tells it."""
FOLDER = tree.ROOT / "python" / "igen" / "console" / "static" / "live"
FILES = {
    "uplot.js": (
        "package/dist/uPlot.iife.min.js",
        "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    ),
    "uplot.css": (
        "package/dist/uPlot.min.css",
        "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    ),
    "uplot.LICENSE": ("package/LICENSE", "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd"),
}
"""By our name: where it is in the tarball, and its SHA-256."""


def findings(folder: Path = FOLDER) -> list[str]:
    """Files that are missing, or not those of the version."""
    found = []
    for name, (_, wanted) in FILES.items():
        path = folder / name
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
            found.append(f"{name} is not that of uPlot {VERSION}: `make console-assets` fetches it")
    return found


def write(folder: Path = FOLDER) -> None:
    """Fetches the tarball and writes the files. Raises `ValueError` for one with another hash."""
    with tempfile.TemporaryDirectory() as place:
        command = ["npm", "pack", "--silent", f"--pack-destination={place}", PACKAGE]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (tarball,) = Path(place).iterdir()
        data = tarball.read_bytes()
    if base64.b64encode(hashlib.sha512(data).digest()).decode() != INTEGRITY:
        raise ValueError(f"{PACKAGE} does not have the SHA-512 {INTEGRITY}")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for name, (member, _) in FILES.items():
            content = archive.extractfile(member)
            if content is None:
                raise ValueError(f"{PACKAGE} has no {member}")
            (folder / name).write_bytes(content.read())


def main() -> int:
    """Compares, or fetches with --write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="fetch it anew")
    if parser.parse_args().write:
        write()
    return tree.finish("console assets", findings(), f"uPlot {VERSION}")


if __name__ == "__main__":
    sys.exit(main())
