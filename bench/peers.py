"""The tools that iGen is compared with, installed or built when missing."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from bench.process import ROOT

CACHE = ROOT / "target" / "peers"
"""What is fetched or built, beside the distribution's packages."""
MAVEN = "https://repo1.maven.org/maven2"
DEBIAN = "http://deb.debian.org/debian"
FETCH_LIMIT_S = 120.0


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
    """A Java archive from Maven Central. Raises RuntimeError when it is not the one that is meant."""
    name = f"{artifact}-{version}.jar"
    file = CACHE / name
    content = file.read_bytes() if file.exists() else b""
    if hashlib.sha256(content).hexdigest() != sha256:
        url = f"{MAVEN}/{group.replace('.', '/')}/{artifact}/{version}/{name}"
        try:
            with urllib.request.urlopen(url, timeout=FETCH_LIMIT_S) as response:
                content = response.read()
        except OSError as error:
            raise RuntimeError(f"{url}: {error}") from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise RuntimeError(f"{url} has not the SHA-256 {sha256}")
        CACHE.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return file


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
            include = f"--include={package}"
            execute(
                ["mmdebstrap", "--quiet", "--variant=extract", include, suite, str(extracted), DEBIAN],
                package,
            )
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
