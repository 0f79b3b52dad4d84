"""A sweep, then one more level at the load that its own utilisation names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from igen.study.levels import PlannedLevel
from igen.study.order import Execution, SweepOrder
from igen.study.plan import Repeats


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
