"""The recordings of one run by curve: an axis other than load makes a curve for each of its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from igen.analysis.recording import Recording
from igen.analysis.settings import settings_of
from igen.analysis.wording import value_text


@dataclass(frozen=True, slots=True)
class Curve:
    """Recordings that differ in load alone."""

    settings: dict[str, Any]
    recordings: list[Recording] = field(default_factory=list)


def curves_of(recordings: Sequence[Recording]) -> list[Curve]:
    """All curves in the order of their first recording."""
    curves: list[Curve] = []
    for recording in sorted(recordings, key=lambda recording: recording.level):
        settings = settings_of(recording.job)
        # Compared as values, because 1 and 1.0 are the same setting.
        curve = next((curve for curve in curves if curve.settings == settings), None)
        if curve is None:
            curve = Curve(settings)
            curves.append(curve)
        curve.recordings.append(recording)
    return curves


def curve_names(curves: Sequence[Curve]) -> list[str]:
    """What tells each curve from the others: `synchronous=full, users=2`; empty for a single one."""
    paths = [
        path
        for path in dict.fromkeys(path for curve in curves for path in curve.settings)
        if any(curve.settings.get(path) != curves[0].settings.get(path) for curve in curves)
    ]
    last = Counter(path.rpartition(".")[2] for path in paths)
    words = {path: word if last[word := path.rpartition(".")[2]] == 1 else path for path in paths}
    return [
        ", ".join(f"{words[path]}={value_text(curve.settings.get(path))}" for path in paths)
        for curve in curves
    ]
