"""From the values of a channel to pixels, as the scales of Vega-Lite that the charts use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from igen.report.charts.theme import Row, Spec


@dataclass(frozen=True, slots=True)
class Amounts:
    """A linear or logarithmic scale from its first value to its last."""

    first: float
    last: float
    from_px: float
    to_px: float
    is_log: bool

    def px(self, value: float) -> float:
        """Pixels from the left, or from the top; the middle where first and last are the same."""
        low, high, here = self.first, self.last, value
        if self.is_log:
            low, high, here = (math.log(each) for each in (low, high, here))
        share = (here - low) / (high - low) if high != low else 0.5
        return self.from_px + share * (self.to_px - self.from_px)


@dataclass(frozen=True, slots=True)
class Names:
    """Names beside each other, each in a stretch of the same length."""

    names: Sequence[str]
    length_px: float
    padding: float
    """Between two stretches and at the ends, as a share of the distance from one to the next."""

    def px(self, name: str) -> float:
        """The middle of its stretch."""
        return self._step_px * (self.names.index(name) + 0.5 + self.padding / 2)

    @property
    def stretch_px(self) -> float:
        """How long each of them is."""
        return self._step_px * (1 - self.padding)

    @property
    def _step_px(self) -> float:
        return self.length_px / (len(self.names) + self.padding)


@dataclass(frozen=True, slots=True)
class Plane:
    """The plot of a specification: its size, and the scales that its layers share."""

    width_px: float
    height_px: float
    x: Amounts | Names | None
    y: Amounts | Names | None

    @classmethod
    def of(cls, spec: Spec) -> Plane:
        """Reads the scales of the first layer that has one."""
        width, height = float(spec["width"]), float(spec["height"])
        return cls(
            width, height, _scale(shared(spec, "x"), 0.0, width), _scale(shared(spec, "y"), height, 0.0)
        )

    def px(self, channel: dict[str, Any] | None, row: Row, along: str) -> float | None:
        """Where a row stands `along` x or y; None where the channel or its value is absent."""
        if channel is None:
            return None
        if "value" in channel:
            return float(channel["value"])
        scale, value = (self.x if along == "x" else self.y), row.get(channel["field"])
        return None if value is None or scale is None else scale.px(value)


def shared(spec: Spec, along: str) -> dict[str, Any] | None:
    """The channel with the scale and the axis that all layers have `along` x or y."""
    channels = (each["encoding"].get(along, {}) for each in spec["layer"])
    return next((each for each in channels if "type" in each), None)


def _scale(channel: dict[str, Any] | None, from_px: float, to_px: float) -> Amounts | Names | None:
    if channel is None:
        return None
    scale = channel.get("scale", {})
    if channel["type"] == "nominal":
        return Names(list(dict.fromkeys(channel["sort"])), max(from_px, to_px), scale.get("padding", 0.0))
    first, last = scale["domain"]
    return Amounts(first, last, from_px, to_px, scale.get("type") == "log")
