"""What is missing of a recording: its figures rest on what is there, and that is said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from igen.damage import Damage
from igen.judge.record.recording import Recording
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Finding, Part, Scope, finding
from igen.judge.trust.rules.recording import SAME_MOMENT_S


def damage(run: MeasuredRun) -> Iterator[Finding]:
    """Lines of the recording are damaged or missing, or time of its measurement is."""
    found = [damage_of(each) for each in run.recording.damage]
    missing = list(_missing_time(run.recording))
    if found or missing:
        yield finding("damaged", *missing, because=found)


def damage_of(each: Damage, scope: Scope = "run") -> Finding:
    """Return damage of a file as a finding."""
    texts = {"file": each.file, "of": each.of, "error": each.error}
    names = [Part(name=name, text=text) for name, text in texts.items() if text]
    lines = [Part(name="line", figure=line) for line in each.lines]
    count = [] if each.count is None else [Part(name="count", figure=each.count)]
    return finding(each.kind, *names, *lines, *count, scope=scope)


def _missing_time(recording: Recording) -> Iterator[Part]:
    """Yield the time that no interval covers, or more than one, from the first one under load to the last."""
    pairs = [(before.end_s, after.start_s) for before, after in pairwise(recording.snapshots)]
    if missing := [(end_s, start_s) for end_s, start_s in pairs if start_s - end_s > SAME_MOMENT_S.value]:
        length_s = sum(start_s - end_s for end_s, start_s in missing)
        yield Part(name="missing_s", figure=length_s)
        yield Part(name="first_missing_s", figure=missing[0][0])
    if twice := [(end_s, start_s) for end_s, start_s in pairs if end_s - start_s > SAME_MOMENT_S.value]:
        yield Part(name="first_overlap_s", figure=twice[0][1])
