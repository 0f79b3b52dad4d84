"""A prebuilt library: where it comes from, that it is the right one, and where the agent looks for it.

The archives are those of the npm registry, which publishes a SHA-512 of each; ours are in
`packages.json`, so that whatever the network returns is what results were published with, or is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import tarfile
import tempfile
import urllib.request
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from igen.errors import IgenError, InputError

PACKAGES = Path(__file__).with_name("packages.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One file of one archive."""

    name: str
    version: str
    file: str
    url: str
    integrity: str
    """`sha512-` and the hash of the archive in base 64, as npm writes it."""

    @property
    def path(self) -> Path:
        """Where the agent looks for it, below the user's cache."""
        cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
        folder = cache if cache.is_absolute() else Path.home() / ".cache"
        return folder / "igen" / self.name / self.version / self.file


def package_of(name: str) -> Package:
    """The package for this machine; InputError where there is none."""
    packages = json.loads(PACKAGES.read_text())
    if name not in packages:
        raise InputError(f"there is no package `{name}`", hint=f"use one of {', '.join(packages)}")
    package = packages[name]
    archive = package["archives"].get(platform.machine()) if platform.system() == "Linux" else None
    if archive is None:
        raise InputError(
            f"there is no {package['file']} for {platform.system()} on {platform.machine()}",
            hint=f"build it, and set IGEN_{name.upper()} to its path",
        )
    return Package(name=name, version=package["version"], file=package["file"], **archive)


def fetch(package: Package) -> Path:
    """Downloads the package unless it is there; IgenError without network or with a wrong hash."""
    if package.path.exists():
        return package.path
    with tempfile.TemporaryFile() as archive:
        try:
            with urllib.request.urlopen(package.url, timeout=60) as response:
                shutil.copyfileobj(response, archive)
        except OSError as error:
            raise IgenError(
                f"cannot be downloaded: {error}",
                where=package.url,
                hint=f"set IGEN_{package.name.upper()} to a {package.file} of release {package.version}",
            ) from error
        archive.seek(0)
        digest = hashlib.file_digest(archive, "sha512").digest()
        if f"sha512-{b64encode(digest).decode()}" != package.integrity:
            raise IgenError("the download has not the hash that was expected", where=package.url)
        archive.seek(0)
        _extract(archive, package)
    return package.path


def _extract(archive: IO[bytes], package: Package) -> None:
    """Puts the file in its place as a whole or not at all."""
    package.path.parent.mkdir(parents=True, exist_ok=True)
    with (
        tarfile.open(fileobj=archive) as members,
        tempfile.NamedTemporaryFile(dir=package.path.parent, delete=False) as file,
    ):
        member = members.extractfile(f"package/{package.file}")
        assert member is not None, "the hash vouches for the content"
        shutil.copyfileobj(member, file)
    Path(file.name).replace(package.path)
