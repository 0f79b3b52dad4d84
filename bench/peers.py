"""The tools that iGen is compared with, installed or built when missing."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import urllib.request
from pathlib import Path

from bench.process import ROOT

CACHE = ROOT / "target" / "peers"
"""What is fetched or built, beside the distribution's packages."""
MAVEN = "https://repo1.maven.org/maven2"
FETCH_LIMIT_S = 120.0


def need(command: str, package: str, settings: str = "") -> None:
    """Makes sure that `command` is there; `settings` are answers to its package's questions, as debconf reads
    them. Raises RuntimeError when the package cannot be installed."""
    if shutil.which(command):
        return
    if settings:
        _execute(["debconf-set-selections"], package, settings)
    for step in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        _execute(["apt-get", *step], package)


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


def build(folder: Path) -> Path:
    """A Rust program of its own package, optimized, with the versions of its lock file."""
    target = CACHE / folder.name
    command = ["cargo", "build", "--quiet", "--release", "--locked"]
    _execute([*command, f"--manifest-path={folder / 'Cargo.toml'}", f"--target-dir={target}"], folder.name)
    return target / "release" / folder.name


def _execute(command: list[str], what: str, stdin: str = "") -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, check=False, input=stdin, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)}: {done.stderr.strip()}; {what} is needed, by hand if need be"
        )
