"""Numbers that are not exactly known: draws of what they may be, and on which inputs they rest."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igen.datacenter.source import Input
from igen.judge.figure.student import normal_quantile

Draws = NDArray[np.float64]
DRAWS = 10_000
SEED = 20_060_301
CONFIDENCE = 0.95
Draw = Callable[[Input], "Number"]


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A value, what it may be instead, and the inputs behind it."""

    value: float
    draws: Draws
    inputs: frozenset[str] = frozenset()

    def __add__(self, other: Number | float) -> Number:
        return combined(np.add, self, other)

    __radd__ = __add__

    def __sub__(self, other: Number | float) -> Number:
        return combined(np.subtract, self, other)

    def __rsub__(self, other: Number | float) -> Number:
        return combined(np.subtract, other, self)

    def __mul__(self, other: Number | float) -> Number:
        return combined(np.multiply, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Number | float) -> Number:
        return combined(np.divide, self, other)

    def __rtruediv__(self, other: Number | float) -> Number:
        return combined(np.divide, other, self)

    def __pow__(self, other: Number | float) -> Number:
        return combined(np.power, self, other)

    def interval(self) -> tuple[float, float]:
        """Between these it is with 95 %."""
        low, high = np.quantile(self.draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        return min(float(low), self.value), max(float(high), self.value)


def combined(function: Callable[..., Any], *parts: Number | float) -> Number:
    """The function of the values and, draw by draw, of the draws."""
    values = [part.value if isinstance(part, Number) else part for part in parts]
    draws = [part.draws if isinstance(part, Number) else np.array(part) for part in parts]
    inputs = [part.inputs for part in parts if isinstance(part, Number)]
    with np.errstate(all="ignore"):  # what is not finite is not told
        value, drawn = float(function(*map(np.float64, values))), function(*draws)
    return Number(value, drawn, reduce(frozenset.union, inputs, frozenset()))


def at_least(number: Number, least: float) -> Number:
    """The larger of both."""
    return combined(np.maximum, number, least)


def smaller(one: Number, other: Number) -> Number:
    """The smaller of both, draw by draw."""
    return combined(np.minimum, one, other)


def whole(number: Number) -> Number:
    """Rounded up; what is a whole number but for rounding stays one."""
    return combined(lambda x: np.ceil(np.round(x, 9)), number)


def whole_down(number: Number) -> Number:
    """Rounded down."""
    return combined(lambda x: np.floor(np.round(x, 9)), number)


def exactly(value: float, size: int = 1) -> Number:
    """A number that is known."""
    return Number(value, np.full(size, value))


def monte_carlo(size: int = DRAWS, seed: int = SEED) -> Draw:
    """Draws of an input, the same ones whenever it is asked for: by its name.

    Measured intervals are those of a log-normal distribution, each side with its own spread; all other ranges
    those of a triangular one.
    """

    def draw(of: Input) -> Number:
        if not of.is_range:
            return Number(of.value, np.array([of.value]), frozenset([of.name]))
        rng = np.random.default_rng([seed, zlib.crc32(of.name.encode())])
        if of.source.kind == "run" and of.low > 0:
            z = rng.normal(size=size) / normal_quantile((1 + CONFIDENCE) / 2)
            draws = of.value * np.exp(
                z * np.where(z < 0, np.log(of.value / of.low), np.log(of.high / of.value))
            )
        else:
            draws = rng.triangular(of.low, of.value, of.high, size)
        return Number(of.value, draws, frozenset([of.name]))

    return draw


def one_at_a_time(inputs: Sequence[Input]) -> Draw:
    """Instead of draws: in pairs, each of these inputs at its low and high end, all others as likely."""
    places = {of.name: 2 * place for place, of in enumerate(inputs)}

    def draw(of: Input) -> Number:
        values = np.full(2 * len(inputs), of.value)
        if of.name in places:
            values[places[of.name]], values[places[of.name] + 1] = of.low, of.high
        return Number(of.value, values, frozenset([of.name]))

    return draw
