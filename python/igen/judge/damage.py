"""What is missing of a recording: its figures rest on what is there, and that is said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from igen.judge.limits import Finding
from igen.judge.measured import MeasuredRun
from igen.judge.recording import Recording

_SAME_MOMENT_S = 1e-6
"""The agent ends an interval and begins the next one at the same reading of the clock."""


def damage(run: MeasuredRun) -> Iterator[Finding]:
    """Lines of the recording are damaged or missing, or time of its measurement is."""
    told = [*run.recording.damage, *_missing_time(run.recording)]
    if told:
        yield Finding("SUSPECT", "damaged", f"the recording is damaged: {'; '.join(told)}")


def _missing_time(recording: Recording) -> list[str]:
    """Time that no interval tells of, or more than one, from the first one under load to the last."""
    told = []
    pairs = [(before.end_s, after.start_s) for before, after in pairwise(recording.snapshots)]
    if missing := [(end_s, start_s) for end_s, start_s in pairs if start_s - end_s > _SAME_MOMENT_S]:
        length_s = sum(start_s - end_s for end_s, start_s in missing)
        told.append(f"intervals of {length_s:.3g} s are missing, the first from {missing[0][0]:.3f} s on")
    if twice := [(end_s, start_s) for end_s, start_s in pairs if end_s - start_s > _SAME_MOMENT_S]:
        told.append(f"intervals overlap, the first at {twice[0][1]:.3f} s")
    return told
