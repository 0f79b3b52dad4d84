"""The recordings of one run by curve: each system of a study, each value of an axis other than load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from igen.judge.record.recording import Recording
from igen.judge.record.settings import settings_of, value_text

TARGETS = "targets"
"""The setting that a curve along the number of targets runs along."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Recordings that differ in load alone, or in load and number of targets."""

    system: str
    test: str
    along_targets: bool
    settings: dict[str, Any]
    recordings: list[Recording] = field(default_factory=list)

    @classmethod
    def through(cls, recording: Recording) -> Curve:
        """The curve on which a recording stands, without it."""
        settings = settings_of(recording.job)
        if recording.along_targets:
            settings.pop(TARGETS, None)
        return cls(recording.system or recording.host, recording.test, recording.along_targets, settings)


def curves_of(recordings: Sequence[Recording]) -> list[Curve]:
    """All curves in the order of their first recording."""
    curves: list[Curve] = []
    for recording in sorted(recordings, key=lambda recording: recording.level):
        through = Curve.through(recording)
        # Compared as values, because 1 and 1.0 are the same setting.
        curve = next((curve for curve in curves if _same(curve, through)), None)
        if curve is None:
            curve = through
            curves.append(curve)
        curve.recordings.append(recording)
    return curves


def curve_endings(curves: Sequence[Curve]) -> list[str]:
    """What tells each curve from the others of its system: ` R1`, ` (synchronous=full, users=2)`,
    `, horizontal`, `, alone (targets=sqlite:///a.db)`.

    Empty for the only one.
    """
    groups: dict[tuple[str, str, bool], list[Curve]] = {}
    for curve in curves:
        groups.setdefault((curve.system, curve.test, curve.along_targets), []).append(curve)
    both = {system for system, _, along_targets in groups if along_targets}
    endings = {}
    for (system, test, along_targets), group in groups.items():
        alone = any(curve.settings.get(TARGETS) != group[0].settings.get(TARGETS) for curve in group)
        direction = ", horizontal" if along_targets else ", alone" if alone else ", vertical, one instance"
        for curve, differing in zip(group, _differing(group), strict=True):
            endings[id(curve)] = "".join(
                (
                    f" {test}" if test else "",
                    direction if system in both else "",
                    f" ({differing})" if differing else "",
                )
            )
    return [endings[id(curve)] for curve in curves]


def _same(one: Curve, other: Curve) -> bool:
    return all(
        getattr(one, name) == getattr(other, name) for name in ("system", "test", "along_targets", "settings")
    )


def _differing(curves: Sequence[Curve]) -> list[str]:
    """The settings of each curve in which any of them differ."""
    paths = [
        path
        for path in dict.fromkeys(path for curve in curves for path in curve.settings)
        if any(curve.settings.get(path) != curves[0].settings.get(path) for curve in curves)
    ]
    last = Counter(path.rpartition(".")[2] for path in paths)
    words = {path: word if last[word := path.rpartition(".")[2]] == 1 else path for path in paths}
    return [
        ", ".join(f"{words[path]}={_text(curve.settings.get(path))}" for path in paths) for curve in curves
    ]


def _text(value: Any) -> str:
    """A list of one as that one: the only target."""
    return value_text(value[0] if isinstance(value, list) and len(value) == 1 else value)
