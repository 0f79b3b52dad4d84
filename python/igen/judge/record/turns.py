"""Whose turn it is: the order of systems or loads within a repeat, balanced over the repeats.

Two repeats form a double block: the second one has the order of the first one reversed, AB BA. So each of two
systems goes first equally often, and what going first does to a figure cancels. Which of the two orders comes
first is drawn. With three systems and more the double blocks together form a Williams square: each system
has each place equally often and follows each other one equally often (E. J. Williams, "Experimental designs
balanced for the estimation of residual effects of treatments", Australian Journal of Scientific Research A 2,
1949).
"""

from __future__ import annotations

from random import Random

DOUBLE_BLOCK = 2
"""Repeats after which each of two systems went first equally often."""


def turns(count: int, repeat: int, seed: str) -> list[int]:
    """Return the numbers from 0 to `count` - 1 in the order of this repeat, which is counted from 0.

    The last one of an odd number of repeats has the first order of a double block, so it is drawn too.
    """
    double_block, in_block = divmod(repeat, DOUBLE_BLOCK)
    # The rows of a square for an even number are each other's reverse in pairs.
    rows = max(count if count % 2 else count // 2, 1)
    square, place = divmod(double_block, rows)
    random = Random(f"{seed} {square}")
    names = random.sample(range(count), count)
    row = random.sample(range(rows), rows)[place]
    is_reversed = [random.random() < 1 / 2 for _ in range(rows)][place]
    order = [names[(each + row) % count] for each in _zigzag(count)]
    return order[::-1] if is_reversed != bool(in_block) else order


def ascends(repeat: int, seed: str) -> bool:
    """Return True if this repeat goes up the loads; one of two neighbours does."""
    return turns(2, repeat, seed) == [0, 1]


def _zigzag(count: int) -> list[int]:
    """Return the first row of a Williams square: 0, 1, count - 1, 2, count - 2, ..."""
    return [(step + 1) // 2 if step % 2 else -step // 2 % count for step in range(count)]
