"""Rules of what stands at the top of a report."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Rule

ROWS = (
    Rule("levels-off", "system"),
    Rule("highest-at", "system"),
    Rule("still-grows", "system"),
    Rule("nothing-measured", "system"),
    Rule("no-figure-usable", "system"),
    Rule("none-succeeded", "system"),
    Rule("reached-by-aspect", "system"),
    Rule("reached-together", "system"),
    Rule("reached-alone", "system"),
    Rule("reached-compared", "system"),
    Rule("reached-plateau", "system"),
    Rule("reached-peak", "system"),
    Rule("reached-most-tried", "system"),
    Rule("reached-most", "system"),
    Rule("reached-times", "system"),
    Rule("reached-within-limit", "system"),
    Rule("reached-held", "system"),
    Rule("reached-timed", "system"),
    Rule("reached-by-loads", "system"),
    Rule("load-did", "system"),
    Rule("peak-not-named", "system"),
    Rule("most-of-systems", "system"),
    Rule("many-systems", "system"),
    Rule("all-levels-invalid", "system"),
    Rule("levels-invalid", "system"),
    Rule("load-failed", "system"),
    Rule("estate", "system"),
)
