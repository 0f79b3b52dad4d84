"""The order of the executions: repeats outside, loads inside, and back again.

The executions of one load of all systems stand side by side: a block. Pairs within it share the moment and
the random numbers. Who goes first in a block, and whether a repeat goes up or down the loads, is balanced
over the repeats and drawn from the seed of the study (see `judge.turns`). Tests have a fixed order, and what
is said of levels holds within each of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from igen.judge.compare.decided import Look, Measurement, look_at
from igen.judge.compare.shares import SHARES
from igen.judge.curve.sweep import enough
from igen.judge.record.turns import DOUBLE_BLOCK, ascends, turns
from igen.judge.result import Quantity
from igen.judge.trust.rules.comparison import DEFAULT_MARGIN
from igen.judge.trust.rules.curve import MOST_RUNS
from igen.loads import THROUGHPUT, Loads, deciding_quantity, is_amount
from igen.study.levels import PlannedLevel
from igen.study.order import Execution, Heard, Reached
from igen.study.plan import Repeats

MOST_UNTIL_DECIDED = 50
"""Blocks at most, where the answers decide."""


@dataclass(slots=True)
class _Block:
    """One load: the levels of all systems there, and what came of them."""

    levels: list[PlannedLevel]
    quantity: Quantity = THROUGHPUT
    """What the load decides by."""
    figures: dict[int, dict[int, Measurement]] = field(default_factory=dict)
    """Figures of that quantity, by level and repeat."""
    unusable: set[tuple[int, int]] = field(default_factory=set)
    """Level and repeat of executions that were disturbed or not measured."""
    spoiled: set[int] = field(default_factory=set)
    """Levels that no further execution can save."""
    recorded: Counter[int] = field(default_factory=Counter)
    """Executions by repeat."""
    executed: int = 0
    """Repeats."""
    replaced: dict[int, int] = field(default_factory=dict)
    """By fresh repeat: the planned repeat whose order it takes."""

    @property
    def to_replace(self) -> set[int]:
        """Repeats in which an execution is unusable whose level fresh ones can save."""
        return {repeat for level, repeat in self.unusable if level not in self.spoiled}


class SweepOrder:
    """Test by test every load once ascending, once descending, and so on, until each has its repeats."""

    def __init__(
        self,
        levels: Sequence[PlannedLevel],
        repeats: Repeats,
        *,
        seed: str,
        margin: float = DEFAULT_MARGIN.value,
        against: dict[str, str] | None = None,
        further: Callable[[], PlannedLevel | None] = lambda: None,
    ) -> None:
        """`seed` draws the order. `against` names the base of a system; the first one is that of all others
        without it. `further` makes one more level when all are done."""
        self._repeats = repeats
        self._seed = seed
        self._margin = margin
        self._against = against or {}
        self._blocks: dict[tuple[str, str], _Block] = {}
        self._block_of: dict[int, _Block] = {}
        self._further = further
        for level in levels:
            self._add(level)

    def _add(self, level: PlannedLevel) -> None:
        """Take one more level."""
        block = self._blocks.setdefault((level.test, _load_of(level)), _Block([]))
        block.levels.append(level)
        self._block_of[level.number] = block

    def executions(self) -> Iterator[Execution]:
        """Yield one execution after the other."""
        yield from self._repeats_of_all()
        if level := self._further():
            self._add(level)
            yield from self._repeats_of_all()

    def _repeats_of_all(self) -> Iterator[Execution]:
        repeat = 0
        while going_on := [(key, block) for key, block in self._blocks.items() if not self._done(block)]:
            for name, blocks in groupby(going_on, key=lambda pair: pair[0][0]):
                goes_up = ascends(repeat, f"{self._seed} {name}")
                for (_, load), block in blocks if goes_up else reversed([*blocks]):
                    order = turns(len(block.levels), self._turn(block), f"{self._seed} {name} {load}")
                    for place in order:
                        level = block.levels[place]
                        yield Execution(level=level, repeat=block.executed, purpose=level.purpose)
                    block.executed += 1
            repeat += 1

    def _turn(self, block: _Block) -> int:
        """The repeat in whose order the next one is executed: a fresh one takes that of the repeat that it
        replaces."""
        repeat = block.executed
        if not isinstance(self._repeats, int) or repeat < self._repeats:
            return repeat
        replaced = sorted(block.to_replace)[repeat - self._repeats]
        block.replaced[repeat] = block.replaced.get(replaced, replaced)
        return block.replaced[repeat]

    def hear(self, execution: Execution, reached: Reached) -> Heard:
        """Take in what an execution reached; the levels of a block are finished together."""
        number, repeat = execution.level.number, execution.repeat
        block = self._block_of[number]
        # Of several loads at once what all of them do together.
        block.quantity = deciding_quantity(Loads.of(execution.level.job).model) or THROUGHPUT
        value = reached.throughput_per_s if block.quantity == THROUGHPUT else reached.response_ms
        if value is not None:
            measured = Measurement(value, reached.disturbance, execution.order)
            block.figures.setdefault(number, {})[repeat] = measured
        if reached.unusable:
            block.unusable.add((number, repeat))
        if reached.spoils_level:
            block.spoiled.add(number)
        block.recorded[repeat] += 1
        is_whole = block.recorded[repeat] >= len(block.levels)
        is_done = is_whole and self._done(block, executed=repeat + 1)
        is_replaced = number not in block.spoiled and self._replaces(block, repeat)
        return Heard(
            done=[level.number for level in block.levels] if is_done else [],
            replaced=reached.unusable if is_replaced else None,
            look=self._look(block, repeat),
        )

    def _replaces(self, block: _Block, repeat: int) -> bool:
        """True if a fresh repeat is to come for an unusable one, unless all others are unusable too."""
        repeats = self._repeats
        return isinstance(repeats, int) and not self._done(block, executed=max(repeat + 1, repeats))

    def _look(self, block: _Block, repeat: int) -> Look | None:
        """What is known at this load by now, where that decides how often it is executed."""
        if self._repeats != "decided" or not _is_looked_at(repeat + 1) or not _is_whole(block, repeat):
            return None
        found = self._looks(block)
        return next((each for each in found if not each.decided), found[0] if found else None)

    def _error(self, block: _Block) -> float:
        """Return the least share of the report's error at which it tests the question of this load."""
        loads = Counter(test for test, _ in self._blocks)
        pairs = {key: len(each.levels) - 1 for key, each in self._blocks.items()}
        if loads[block.levels[0].test] == 1:
            return SHARES["overall"] / sum({test: pairs[test, load] for test, load in pairs}.values())
        # Users who think have a second question at each load: the mean response time.
        return SHARES["loads"] / (2 * sum(pairs.values()))

    def _looks(self, block: _Block) -> list[Look]:
        return [
            look_at(
                block.figures.get(base.number, {}),
                block.figures.get(level.number, {}),
                block.quantity,
                self._error(block),
                self._margin,
            )
            for base, level in self._pairs(block)
        ]

    def _pairs(self, block: _Block) -> Iterator[tuple[PlannedLevel, PlannedLevel]]:
        by_name = {level.system: level for level in block.levels}
        for level in block.levels[1:]:
            yield by_name.get(self._against.get(level.system, ""), block.levels[0]), level

    def _done(self, block: _Block, executed: int | None = None) -> bool:
        executed = block.executed if executed is None else executed
        if self._repeats == "auto":
            of_levels = [
                [figure.value for figure in block.figures.get(level.number, {}).values()]
                for level in block.levels
            ]
            return executed >= MOST_RUNS.value or all(map(enough, of_levels))
        if self._repeats == "decided":
            is_decided = _is_looked_at(executed) and all(look.decided for look in self._looks(block))
            return executed >= MOST_UNTIL_DECIDED or is_decided
        # An unusable repeat is replaced, unless all are: fresh ones would be no better.
        good = executed - len([repeat for repeat in block.to_replace if repeat < executed])
        most = self._repeats + (most_replaced(self._repeats) if good else 0)
        return good >= self._repeats or executed >= most


def most_replaced(repeats: int) -> int:
    """Repeats of a load that are replaced at most."""
    return math.ceil(repeats / 2)


def _is_looked_at(executed: int) -> bool:
    """Return True after whole double blocks, in which each of two systems went first equally often."""
    return executed % DOUBLE_BLOCK == 0


def _is_whole(block: _Block, repeat: int) -> bool:
    return all(repeat in block.figures.get(level.number, {}) for level in block.levels)


def _load_of(level: PlannedLevel) -> str:
    """Where a level stands on its curve, in words: what two systems have in common."""
    along = [(path, value) for path, value in level.values.items() if path == "instances" or is_amount(path)]
    return repr(along)
