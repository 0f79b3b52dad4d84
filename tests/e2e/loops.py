"""Loop devices and mounts of a test's own; all are gone when the test ends."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
from pathlib import Path

import pytest


def run(*command: str) -> str:
    """What a command prints; the test is skipped where it is missing or may not do what it should."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "") or error
        pytest.skip(f"{command[0]} cannot be had here: {said}")
    return done.stdout.strip()


def checksum(path: Path) -> str:
    """Checksum of every byte of a file or device."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Loops:
    """Makes them, and takes them away again in reverse order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stack = contextlib.ExitStack()

    def device(self, name: str, size_bytes: int, *options: str) -> Path:
        """A loop device over a sparse file `name`."""
        image = self.folder / name
        with image.open("wb") as file:
            file.truncate(size_bytes)
        path = Path(run("losetup", "--find", "--show", *options, str(image)))
        # One that is in use is taken away when it no longer is.
        self.stack.callback(subprocess.run, ["losetup", "--detach", str(path)], capture_output=True)
        return path

    def partition(self, device: Path) -> Path:
        """Its first partition, of 8 MiB, under an MBR."""
        table = self.folder / "table"
        table.write_text("start=2048, size=16384\n")
        run("sh", "-c", f"sfdisk --quiet {device} < {table}")
        path = Path(f"{device}p1")
        if not path.exists():
            # A kernel that does not read this kind of table can be told.
            run("addpart", str(device), "1", "2048", "16384")
        return path

    def mounted(self, what: str | Path, *options: str) -> Path:
        """A folder at which a device or a kind of file system is mounted."""
        folder = self.folder / f"mounted{len(list(self.folder.glob('mounted*')))}"
        folder.mkdir()
        run("mount", *options, str(what), str(folder))
        self.stack.callback(subprocess.run, ["umount", "--lazy", str(folder)], capture_output=True)
        return folder
