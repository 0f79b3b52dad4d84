"""What is in a bundle: its members by name, and the one that lists them.

A bundle is a ZIP archive. `bundle.json` comes first and lists the others with their sizes, `result.json` is
the result document as it was published, and `runs/` is a store with the files of the runs as they were
measured: unpacked, `igen show --store runs` reads it.
"""

from __future__ import annotations

import re

import msgspec

from igen.store.noise import NOISE_FILE

BUNDLE_FORMAT = 1
CONTENTS_FILE, RESULT_FILE = "bundle.json", "result.json"
RUNS_FOLDER = "runs"
NOISE_MEMBER = f"{RUNS_FOLDER}/{NOISE_FILE}"
MOST_MEMBERS = 200_000
"""A torture of a month has some 50,000 jobs."""
MOST_CONTENTS_BYTES = 64 << 20
"""Size of the list: what is larger lists more than that many members."""
_OF_A_RUN = re.compile(
    rf"{RUNS_FOLDER}/(?!\.)[A-Za-z0-9._-]{{1,200}}/(?:run\.json|floor\.jsonl|jobs/[0-9]{{1,12}}\.jsonl)"
)


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """The list, `bundle.json`."""

    format: int = BUNDLE_FORMAT
    igen_version: str
    """Release that made the bundle and judged its runs."""
    host: str
    """Machine on which they were judged: the noise that `igen noise` has measured is that of one machine."""
    title: str
    runs: list[str]
    """Their ids, in the order in which they are compared."""
    members: dict[str, int]
    """All other members, with their sizes in bytes."""


def may_be_member(name: str) -> bool:
    """Whether a bundle may have a member of that name: no path that leads anywhere else."""
    return name in (RESULT_FILE, NOISE_MEMBER) or _OF_A_RUN.fullmatch(name) is not None
