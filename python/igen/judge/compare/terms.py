"""On which terms systems are compared: what does not matter, and what is known of the machine's noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from igen.judge.figure.noise import MachineNoise
from igen.judge.trust.rules.comparison import DEFAULT_MARGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of one comparison."""

    margin: float = DEFAULT_MARGIN.value
    """Equivalent means that the ratio lies within 1 / (1 + margin) and 1 + margin."""
    noise: Mapping[str, MachineNoise] = field(default_factory=dict)
    """As `igen noise` measured it, by the name of the machine; without those where it never did."""
    slower_margin: float | None = None
    """What must be shown at each load: that no system is slower than its base by this share or more."""
    until_decided: bool = False
    """The runs ended when the answers were clear: intervals must hold at every look."""
