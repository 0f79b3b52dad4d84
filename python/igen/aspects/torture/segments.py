"""Judges a run of many hours: which targets fall away from their own beginning and from their peers.

A segment is one recorded job. A target's beginning is the median of its first three segments. It is slower
when throughput or response time is worse than three quarters of that, and worse than three quarters of what
the other targets have kept of theirs: a load process that is disturbed slows all of them. The better end of
the segment's 95 % interval is compared, so that a segment of a few intervals cannot accuse anybody. A mean
response time is that of all transactions, at the beginning as in each segment: the mean of the intervals'
means is another one, in which the slow intervals count for more than the transactions in them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from igen.aspects.torture.parts import Incident, Kind, Torture, TortureTarget
from igen.facts import IO_VERIFIED
from igen.judge.figure.interval import ratio_interval
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Snapshot, Statistics
from igen.judge.result import Figure
from igen.units import counted, format_duration, format_rate, format_time_ms

BEGIN_SEGMENTS = 3
SLOWER = 0.75
"""Part of its beginning below which a target is named."""
AS_BEFORE = 0.9
"""Part at which it is itself again."""
LEAST_PART = 0.5
"""A segment that was cut shorter than this part of its plan says nothing of speed."""
_GRAVITY: tuple[Kind, ...] = ("failed", "data errors", "failed I/Os", "slower")
_TARGET = re.compile(r"targets\[(\d+)\]")
"""The path of a target in a job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSegment:
    """What one target did in one segment."""

    throughput_per_s: float
    best_per_s: float
    """Upper end of its interval over the segment's intervals."""
    response_ms: float | None
    """Mean of all transactions; None where nothing succeeded."""
    best_ms: float | None
    """Lower end of its interval."""
    failed: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    """Blocks by kind of data error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One job of the run."""

    number: int
    """From 1."""
    end_s: float
    """Time under load up to its end."""
    whole: bool
    """Long enough to tell of speed."""
    targets: Mapping[str, TargetSegment]
    lost_target: str = ""
    """The target because of which the job failed."""
    lost_why: str = ""


def segments_of(recordings: Iterable[Recording]) -> list[Segment]:
    """The segments of a run in their order; one recording at a time is needed."""
    segments: list[Segment] = []
    for recording in recordings:
        segments.append(next_segment(recording, segments))
    return segments


def next_segment(recording: Recording, before: Sequence[Segment]) -> Segment:
    """The segment that follows those before."""
    before_s = before[-1].end_s if before else 0.0
    measured_s = sum(snapshot.length_s for snapshot in recording.measure)
    planned_s = float((recording.job.get("phases") or {}).get("measure_s") or 0.0)
    faults = _faults(recording)
    targets = {
        target: _target(recording, index, measured_s, faults.get(target, {}))
        for index, target in enumerate(recording.targets)
    }
    lost, why = _lost(recording)
    return Segment(
        number=len(before) + 1,
        end_s=before_s + measured_s,
        whole=measured_s > 0 and measured_s >= LEAST_PART * planned_s,
        targets=targets if measured_s > 0 else {},
        lost_target="" if faults.get(lost) else lost,
        lost_why=why,
    )


def _target(recording: Recording, index: int, measured_s: float, faults: Mapping[str, int]) -> TargetSegment:
    parts = [(snapshot, _part(snapshot, index)) for snapshot in recording.measure]
    counts = [part.count for _, part in parts]
    times_ms = [part.response_time.sum_ns / 1e6 for _, part in parts]
    rate = ratio_interval(counts, [snapshot.length_s for snapshot, _ in parts]) if measured_s else None
    time = ratio_interval(times_ms, counts) if sum(counts) else None
    return TargetSegment(
        throughput_per_s=rate.value if rate else 0.0,
        best_per_s=_or_value(rate.high, rate) if rate else 0.0,
        response_ms=time.value if time else None,
        best_ms=_or_value(time.low, time) if time else None,
        failed=sum(part.failed for _, part in parts),
        faults=faults,
    )


def _part(snapshot: Snapshot, index: int) -> Statistics:
    return snapshot.targets[index] if snapshot.targets else snapshot.transactions


def _or_value(end: float | None, estimate: Figure) -> float:
    """An end of its interval; the estimate itself where there are too few values for one."""
    return estimate.value if end is None else end


def _faults(recording: Recording) -> dict[str, dict[str, int]]:
    """Data errors by target, as verification has told them."""
    verified: list[dict[str, Any]] = recording.facts.get(IO_VERIFIED) or []
    targets = {target.removeprefix("file://"): target for target in recording.targets}
    return {
        targets[found["target"]]: {kind: fault["blocks"] for kind, fault in found["faults"].items()}
        for found in verified
        if found["target"] in targets
    }


def _lost(recording: Recording) -> tuple[str, str]:
    """Return the target that an error of the job is about, and its text."""
    for error in recording.errors:
        if match := _TARGET.fullmatch(error.path or ""):
            index = int(match[1])
            if index < len(recording.targets):
                return recording.targets[index], error.text
    return "", ""


@dataclass(slots=True)
class _History:
    """What is known of a target so far."""

    first_rates: list[float] = field(default_factory=list)
    """Rates of the first segments in which it was not slower already."""
    first_times: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    segments: int = 0
    failed: int = 0
    said: dict[Kind, bool] = field(default_factory=dict)

    @property
    def begin_per_s(self) -> float | None:
        return median(self.first_rates) if self.first_rates else None

    @property
    def begin_ms(self) -> float | None:
        return median(self.first_times) if self.first_times else None


def torture_of(segments: Sequence[Segment]) -> Torture:
    """All incidents of a run, and what each target was and has become."""
    histories: dict[str, _History] = {}
    incidents: list[Incident] = []
    all_slower = False
    for segment in segments:
        for target in segment.targets:
            histories.setdefault(target, _History())
        incidents += _incidents(segment, histories)
        before, all_slower = all_slower, _all_slower(segment, histories)
        if all_slower and not before:
            incidents.append(
                _incident(segment, "", "all slower", "all targets are slower than at their beginning")
            )
        for target, part in segment.targets.items():
            _remember(histories[target], part, whole=segment.whole)
    return Torture(
        segments=len(segments),
        under_load_s=segments[-1].end_s if segments else 0.0,
        targets=[_result(target, history) for target, history in histories.items()],
        incidents=incidents,
    )


def _remember(history: _History, part: TargetSegment, *, whole: bool) -> None:
    history.segments += 1
    history.failed += part.failed
    if not whole:
        return
    kept = _kept(part, history)
    begins = len(history.first_rates) < BEGIN_SEGMENTS and not (kept and kept.is_worse)
    times = [] if part.response_ms is None else [part.response_ms]
    history.rates.append(part.throughput_per_s)
    history.times += times
    if begins:
        history.first_rates.append(part.throughput_per_s)
        history.first_times += times


def _result(target: str, history: _History) -> TortureTarget:
    rates, times = history.rates, history.times
    return TortureTarget(
        target=target,
        segments=history.segments,
        begin_per_s=history.begin_per_s,
        last_per_s=rates[-1] if rates else None,
        least_per_s=min(rates, default=None),
        begin_ms=history.begin_ms,
        last_ms=times[-1] if times else None,
        failed=history.failed,
        state=next((kind for kind in _GRAVITY if history.said.get(kind)), "sound"),
    )


def _incident(segment: Segment, target: str, kind: Kind, text: str) -> Incident:
    where = f"{target} " if target else ""
    text = f"{where}{text} after {format_duration(segment.end_s)} under load"
    return Incident(segment=segment.number, target=target, kind=kind, text=text)


def _incidents(segment: Segment, histories: dict[str, _History]) -> Iterator[Incident]:
    """What is new in a segment."""
    for target, part in segment.targets.items():
        said = histories[target].said
        if part.faults and not said.get("data errors"):
            said["data errors"] = True
            kinds = ", ".join(f"{blocks:,} {kind}" for kind, blocks in part.faults.items())
            yield _incident(
                segment, target, "data errors", f"has lost its claim: data errors ({kinds} blocks)"
            )
        if part.failed and not said.get("failed I/Os"):
            said["failed I/Os"] = True
            yield _incident(segment, target, "failed I/Os", f"has failed {counted(part.failed, 'I/O')}")
    if segment.lost_target:
        histories.setdefault(segment.lost_target, _History()).said["failed"] = True
        yield _incident(segment, segment.lost_target, "failed", f"is given up: {segment.lost_why}")
    for target, kind, text in _speeds(segment, histories):
        yield _incident(segment, target, kind, text)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a target has kept of its beginning: 1 for all of it, below 1 for worse."""

    rate: float
    best_rate: float
    time: float
    best_time: float

    @property
    def is_worse(self) -> bool:
        """Whether even the better end of an interval is worse than the beginning."""
        return min(self.best_rate, self.best_time) < SLOWER


def _speeds(segment: Segment, histories: dict[str, _History]) -> Iterator[tuple[str, Kind, str]]:
    kept = _all_kept(segment, histories)
    for target, each in kept.items():
        said = histories[target].said
        if each.is_worse and _apart(target, kept) and not said.get("slower"):
            said["slower"] = True
            yield target, "slower", _slower_text(target, segment, histories[target], kept)
        elif said.get("slower") and min(each.rate, each.time) >= AS_BEFORE:
            said["slower"] = False
            yield target, "as before", "is as fast as at its beginning again"


def _all_slower(segment: Segment, histories: Mapping[str, _History]) -> bool:
    """Whether all of several targets are slower, and none more than the others."""
    kept = _all_kept(segment, histories)
    return len(kept) > 1 and all(each.is_worse and not _apart(target, kept) for target, each in kept.items())


def _all_kept(segment: Segment, histories: Mapping[str, _History]) -> dict[str, _Kept]:
    """What is kept of the rate of each target that has a beginning."""
    if not segment.whole:
        return {}
    kept = {target: _kept(part, histories[target]) for target, part in segment.targets.items()}
    return {target: each for target, each in kept.items() if each is not None}


def _kept(part: TargetSegment, history: _History) -> _Kept | None:
    """None as long as there is no beginning."""
    begin_per_s, begin_ms = history.begin_per_s, history.begin_ms
    if not begin_per_s:
        return None
    return _Kept(
        rate=part.throughput_per_s / begin_per_s,
        best_rate=part.best_per_s / begin_per_s,
        time=_kept_time(begin_ms, part.response_ms),
        best_time=_kept_time(begin_ms, part.best_ms),
    )


def _kept_time(begin_ms: float | None, now_ms: float | None) -> float:
    """All of it where one is not known: throughput tells then. An interval may begin at 0."""
    if begin_ms is None or now_ms is None:
        return 1.0
    return begin_ms / now_ms if now_ms else math.inf


def _apart(target: str, kept: Mapping[str, _Kept]) -> bool:
    """Whether it has kept less than its peers have; without any, it is compared with itself alone."""
    others = [each for name, each in kept.items() if name != target]
    if not others:
        return True
    own = kept[target]
    return own.best_rate < SLOWER * median(other.rate for other in others) or own.best_time < SLOWER * median(
        other.time for other in others
    )


def _slower_text(target: str, segment: Segment, history: _History, kept: Mapping[str, _Kept]) -> str:
    part = segment.targets[target]
    others = [each.rate for name, each in kept.items() if name != target]
    peers = f"; the others keep {100 * median(others):.0f} % of theirs" if others else ""
    times = ""
    if part.response_ms is not None and history.begin_ms is not None:
        times = f", {format_time_ms(part.response_ms)} instead of {format_time_ms(history.begin_ms)} each"
    return (
        f"is slower than at its beginning: {format_rate(part.throughput_per_s)}/s instead of "
        f"{format_rate(history.begin_per_s or 0.0)}/s{times}{peers};"
    )
