"""Bandwidth and latency of memory as an aspect."""

from __future__ import annotations

from igen.aspects.memory.headline import memory_headline
from igen.aspects.memory.kernels import Memory
from igen.aspects.memory.measure import memory_of, notes_of
from igen.aspects.memory.observe import memory_observations
from igen.aspects.memory.pictures import memory_section
from igen.aspects.memory.plateau import plateau_observations
from igen.aspects.memory.tables import (
    all_kernels_table,
    best_kernels_table,
    latency_table,
    published_bandwidths_table,
)
from igen.judge.aspect import Aspect, Views

MEMORY = Aspect(
    name="memory",
    level_part=Memory,
    measure=memory_of,
    check_level=notes_of,
    observe=memory_observations,
    observe_together=plateau_observations,
    tables=(
        ("Memory: the best of each kernel", best_kernels_table),
        ("Memory: every kernel", all_kernels_table),
        ("Memory: latency", latency_table),
        ("Memory: beside published figures", published_bandwidths_table),
    ),
    sections={"pictures": Views(memory_section)},
    headline=memory_headline,
    # Passes of other kernels, or over arrays of another size, are other work.
)
