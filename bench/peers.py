"""The tools that iGen is compared with, installed or built when missing."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.process import ROOT
from checks import debian_root

CACHE = ROOT / "target" / "peers"
"""What is fetched or built, beside the distribution's packages."""


def need(command: str, package: str, settings: str = "") -> None:
    """Makes sure that `command` is there; `settings` are answers to its package's questions, as debconf reads
    them. Raises RuntimeError when the package cannot be installed."""
    if shutil.which(command):
        return
    if settings:
        execute(["debconf-set-selections"], package, settings)
    for step in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        execute(["apt-get", *step], package)


def jar(group: str, artifact: str, version: str, sha256: str) -> Path:
    """A Java archive, fetched by Maven from where Maven looks. Raises RuntimeError for one with another
    hash."""
    file = CACHE / f"{artifact}-{version}.jar"
    if not _has(file, sha256):
        file.unlink(missing_ok=True)
        need("mvn", "maven")
        what = [f"-Dartifact={group}:{artifact}:{version}", f"-DoutputDirectory={CACHE}"]
        execute(["mvn", "--batch-mode", "--quiet", "dependency:copy", *what], artifact)
        if not _has(file, sha256):
            raise RuntimeError(f"{artifact} {version} has not the SHA-256 {sha256}")
    return file


def _has(file: Path, sha256: str) -> bool:
    return file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == sha256


def debian(suite: str, package: str, libraries: Sequence[str] = ()) -> tuple[str, ...]:
    """The command of a package from another release of Debian, run with that release's own C library.

    `libraries` are folders of libraries that only their users know. Nothing of it is installed.
    """
    root = CACHE / f"{suite}-{package}"
    if not root.exists():
        need("mmdebstrap", "mmdebstrap")
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            extracted = Path(folder) / package
            options = ["--variant=extract", f"--include={package}"]
            execute(debian_root.command(options, suite, str(extracted)), package)
            extracted.rename(root)
    system = root / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
    loader = next(system.glob("ld-linux-*.so.*"))
    path = ":".join(str(folder) for folder in (system, *(system / name for name in libraries)))
    return str(loader), "--library-path", path, str(root / "usr" / "bin" / package)


def build(folder: Path) -> Path:
    """A Rust program of its own package, optimized, with the versions of its lock file."""
    target = CACHE / folder.name
    command = ["cargo", "build", "--quiet", "--release", "--locked"]
    execute([*command, f"--manifest-path={folder / 'Cargo.toml'}", f"--target-dir={target}"], folder.name)
    return target / "release" / folder.name


def execute(command: list[str], what: str, stdin: str = "") -> None:
    """Does a step of an installation. Raises RuntimeError with its error output when it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, check=False, input=stdin, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)}: {done.stderr.strip()}; {what} is needed, by hand if need be"
        )
