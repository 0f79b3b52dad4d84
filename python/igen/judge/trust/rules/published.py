"""Rules of published figures: how they disagree with each other, and what follows from them."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule

ROUNDED = Limit(0.01, "of a figure", "figures that were rounded for publication may differ by it")
ROUNDED_MEMORY = Limit(0.05, "GB", "memory was published with one decimal")
GENEROUS = Limit(
    1.5, "times what a disk does", "a larger claim about the disks that were replaced is generous"
)

ROWS = (
    Rule("rate-disagrees", "publication", limits=(ROUNDED,)),
    Rule("means-disagree", "publication", limits=(ROUNDED,)),
    Rule("count-disagrees", "publication", limits=(ROUNDED,)),
    Rule("parts-disagree", "publication", limits=(ROUNDED,)),
    Rule("operations-disagree", "publication", limits=(ROUNDED,)),
    Rule("table-disagrees", "publication"),
    Rule("users-per-watt-disagree", "publication"),
    Rule("memory-of-tiers-disagrees", "publication", limits=(ROUNDED_MEMORY,)),
    Rule("cpu-of-tiers-disagrees", "publication"),
    Rule("advantage-disagrees", "publication"),
    Rule("watts-cut", "publication"),
    Rule("disks-generous", "publication", limits=(GENEROUS,)),
    Rule("published-think-time", "publication"),
    Rule("published-scaling", "publication"),
)
