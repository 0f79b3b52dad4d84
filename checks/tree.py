"""The files of the repository, and how a check reports."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def files(*suffixes: str) -> list[Path]:
    """Files that git tracks or would track, with one of `suffixes` (all files without any)."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = sorted({ROOT / name for name in listed.split("\0") if name})
    return [path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes)]


def finish(check: str, findings: Iterable[str], passed: str) -> int:
    """Prints the findings, or in a line what was checked; returns the exit code."""
    found = list(findings)
    for finding in found:
        print(f"{check}: {finding}")
    if not found:
        print(f"{check}: {passed}")
    return 1 if found else 0
