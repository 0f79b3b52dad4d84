"""axe-core, which finds faults of accessibility: one release, known by its hash, kept in the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.needed import missing

RELEASE = "4.14.1"
SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
MEMBER = "package/axe.min.js"


def axe() -> str:
    """Its script. Skips the test where it is neither kept nor to be had."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = cache / "igen-tests" / f"axe-{RELEASE}.js"
    if not kept.exists():
        _fetch(kept)
    script = kept.read_bytes()
    assert hashlib.sha256(script).hexdigest() == SHA256, f"{kept} is not the release that it should be"
    return script.decode()


def _fetch(kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        missing("no npm to fetch axe-core with")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"axe-core@{RELEASE}", "--silent"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            missing("axe-core cannot be fetched: no network")
        with tarfile.open(Path(folder) / done.stdout.split()[-1]) as archive:
            script = archive.extractfile(MEMBER)
            assert script is not None
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(script.read())
