"""A sweep, then one more level at the load that its own utilisation names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from igen.aspects.aspects import ASPECTS
from igen.judge.aspect import filled
from igen.judge.curve.bound import bound_of
from igen.study.levels import PlannedLevel, level, search_range
from igen.study.order import Execution
from igen.study.orders.sweep import SweepOrder
from igen.study.plans import Repeats
from igen.study.running import Running


def full_level(running: Running) -> PlannedLevel | None:
    """Return the level at which the fullest resource would be full; None if unknown or reached."""
    ran = [level for system in running.judged() for level in system.levels]
    bound = bound_of(ran, lambda level: filled(level, ASPECTS))
    if bound is None or bound.users <= max(level.users or 0 for level in ran):
        return None
    axis, _, _ = search_range(running.study)
    values = {axis: bound.users}
    return running.further(lambda: level(running.study, len(running.levels), values, running.agent))


class FillOrder(SweepOrder):
    """Executes the planned levels, and the level that follows from them."""

    def __init__(
        self,
        levels: Sequence[PlannedLevel],
        repeats: Repeats,
        full: Callable[[], PlannedLevel | None],
        *,
        seed: str,
    ) -> None:
        """Take the planned levels; `full` makes the last level if their utilisation says where it is. `seed`
        draws the order."""
        super().__init__(levels, repeats, seed=seed)
        self._full = full

    def executions(self) -> Iterator[Execution]:
        """Yield one execution after the other."""
        yield from super().executions()
        if level := self._full():
            self.add(level)
            yield from super().executions()
