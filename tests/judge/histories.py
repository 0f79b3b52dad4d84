"""Histories with a known truth: noise alone, changes that stay, changes that were undone, odd runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from igen.judge.compare.change import Change, Floats, change_points

Noise = Callable[[np.random.Generator, int], Floats]


def series(values: Floats) -> list[float]:
    """Throughputs around 1,000/s with a standard deviation of 2 %."""
    return [float(each) for each in 1000 * np.exp(0.02 * values)]


def normal(random: np.random.Generator, runs: int) -> Floats:
    """Noise of independent runs."""
    return random.standard_normal(runs)


def alike(correlation: float, random: np.random.Generator, runs: int) -> Floats:
    """Noise of runs that resemble the one before them."""
    noise = random.standard_normal(runs + 30)
    for at in range(1, len(noise)):
        noise[at] = correlation * noise[at - 1] + (1 - correlation**2) ** 0.5 * noise[at]
    return noise[30:]


NOISE: dict[str, Noise] = {
    "normal": normal,
    "with outliers": lambda random, n: random.standard_t(3, n),
    "skewed": lambda random, n: np.exp(random.standard_normal(n)),
    "a fifth of the runs slow": lambda random, n: (
        np.where(random.random(n) < 0.2, -6.0, 0.0) + 0.5 * random.standard_normal(n)
    ),
}
ALIKE: dict[str, Noise] = {f"correlation {each}": partial(alike, each) for each in (0.3, 0.5)}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of history: noise, and what is known of it. Changes are in standard deviations of the noise."""

    runs: int
    noise: str = "normal"
    """Its name, so that a scenario can be sent to another process."""
    effect: float = 0.0
    """From the first edge on, up to the second if there are two."""
    edges: tuple[int, ...] = ()
    odd: float = 0.0
    """Distance of one odd run from its neighbours, 3 to 8 runs before the first edge."""

    def values(self, random: np.random.Generator) -> list[float]:
        """Return one history of this kind."""
        values = (NOISE | ALIKE)[self.noise](random, self.runs)
        if self.edges:
            values[self.edges[0] : self.edges[1] if len(self.edges) > 1 else None] -= self.effect
        if self.odd:
            values[self.edges[0] - random.integers(3, 9)] += self.odd
        return series(values)


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the histories of a scenario."""

    any: float
    """Some change is found."""
    near: float
    """A change is found at each edge, or at the run next to it."""
    named: float
    """The first run after each edge is named."""


def shares(scenario: Scenario, histories: int, seed: int = 3) -> Shares:
    """Return what is found in so many histories."""
    random = np.random.default_rng(seed)
    found = [change_points(scenario.values(random)) for _ in range(histories)]
    return Shares(
        any=_share([bool(each) for each in found]),
        near=_share([_is_near(each, scenario.edges) for each in found]),
        named=_share([{change.at for change in each} >= {*scenario.edges} for each in found]),
    )


def _is_near(changes: Sequence[Change], edges: Sequence[int]) -> bool:
    return all(any(abs(change.at - edge) <= 1 for change in changes) for edge in edges)


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held)
