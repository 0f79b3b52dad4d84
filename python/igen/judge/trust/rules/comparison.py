"""Rules about a comparison: its notes, its answers, and what they add."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule
from igen.judge.trust.rules.statistics import CONFIDENCE, LEAST_RUNS, LEAST_RUNS_OF_P99

DEFAULT_MARGIN = Limit(
    0.03, "of a figure", "systems that differ by less are equivalent, unless a study says other"
)
ERROR_OF_OVERALL = Limit(
    0.03,
    "of reports",
    "claim a difference over all loads that does not exist; this is asked first",
)
ERROR_OF_LOADS = Limit(
    0.01,
    "of reports",
    "claim a difference at one load that does not exist, if none over all is claimed",
)
ERROR_OF_TAIL = Limit(0.01, "of reports", "claim a difference of p99 or p99.9 that does not exist")
TAIL_MARGIN = Limit(
    3.0, "margins", "equivalent systems may differ in p99, which repeats less well than throughput and mean"
)
FEWEST_OF_P999 = Limit(1000, "transactions a run", "the 99.9th percentile of fewer is the longest of them")
POWER = Limit(0.8, "of studies", "show an effect that a comparison could have seen: 4 of 5")
MOST_REPEATS = Limit(10_000, "repeats", "if more were needed, nobody would run them")
PRIOR_VARIANCE = Limit(
    10.0,
    "variances of a run",
    "prior of an effect that is looked for after each run: it gives the narrowest intervals at 4 to 20 runs",
)
LEAST_PAIRS_OF_ORDER = Limit(
    5, "pairs", "with fewer the effect of going first costs more, as a degree of freedom, than it explains"
)
SESSION_SD = Limit(
    0.04,
    "of a figure",
    "standard deviation between sessions of a machine that was never measured: of identical runs under such "
    "a drift 31 % are claimed different from 3 runs a side and 97 % from 10, if the interval ignores it",
)
LEAST_RUNS_OF_A_RATE = Limit(3, "runs", "fewer hold a rate, or do not, by chance")
FALSE_CHANGES = Limit(0.05, "of histories without a change", "in which `igen history` finds one")
LEAST_SIDE = Limit(3, "runs", "on each side of a change in a history: one or two odd runs are noise")
LEAST_HISTORY = Limit(8, "runs", "a shorter history has too few orders for one of them to be rare")
ODD_DISTANCE = Limit(
    8.0,
    "usual distances from the median of five",
    "a run of a history that is farther from the runs around it is odd: of normal noise 2 to 5 % of "
    "histories have such a run",
)
MOST_ODD = Limit(0.2, "of the runs of a history", "may be odd: the usual distance is that of the others")
RESEMBLANCE = Limit(
    0.2, "correlation of a run with the one before", "from it on chance makes changes of its own in a history"
)
MOST_ALIKE = Limit(
    0.6,
    "correlation of a run with the one before",
    "the most that counts in a history: two levels look like a random walk, which would explain any change",
)

ROWS = (
    Rule("nothing-in-common", "statistics"),
    Rule("other-workload", "load"),
    Rule("other-version", "load"),
    Rule("loads-without-work", "load"),
    Rule("several-factors", "statistics"),
    Rule("parts-of-ratio", "system"),
    Rule("factors-interact", "system"),
    Rule("no-interaction-shown", "statistics"),
    Rule("measured-on-two-machines", "machine"),
    Rule("measured-one-after-the-other", "machine"),
    Rule("noise-measured", "machine"),
    Rule("noise-assumed", "machine", limits=(SESSION_SD,)),
    Rule("noise-of-several-loads-assumed", "machine"),
    Rule("faster", "system", limits=(CONFIDENCE, ERROR_OF_LOADS)),
    Rule("slower", "system", limits=(CONFIDENCE, ERROR_OF_LOADS)),
    Rule("equivalent", "system", limits=(DEFAULT_MARGIN, TAIL_MARGIN, CONFIDENCE)),
    Rule("equivalent-in-part", "system", limits=(DEFAULT_MARGIN, TAIL_MARGIN, CONFIDENCE)),
    Rule("cannot-tell-apart", "system"),
    Rule("times-shorter", "system", limits=(CONFIDENCE, ERROR_OF_TAIL, FEWEST_OF_P999)),
    Rule("times-longer", "system", limits=(CONFIDENCE, ERROR_OF_TAIL, FEWEST_OF_P999)),
    Rule("faster-overall", "system", limits=(CONFIDENCE, ERROR_OF_OVERALL)),
    Rule("slower-overall", "system", limits=(CONFIDENCE, ERROR_OF_OVERALL)),
    Rule("equivalent-overall", "system", limits=(DEFAULT_MARGIN, TAIL_MARGIN, CONFIDENCE)),
    Rule("equivalent-in-part-overall", "system", limits=(DEFAULT_MARGIN, TAIL_MARGIN, CONFIDENCE)),
    Rule("cannot-tell-overall", "system"),
    Rule("apart-shorter", "system"),
    Rule("apart-longer", "system"),
    Rule("apart-unknown", "statistics", limits=(LEAST_RUNS_OF_P99,)),
    Rule("holds-rate", "system", limits=(LEAST_RUNS_OF_A_RATE,)),
    Rule(
        "tested",
        "statistics",
        limits=(
            CONFIDENCE,
            PRIOR_VARIANCE,
        ),
    ),
    Rule("order-of-pairs", "statistics", limits=(LEAST_PAIRS_OF_ORDER,)),
    Rule("corrected", "statistics", limits=(CONFIDENCE,)),
    Rule("session-noise-assumed", "machine", limits=(SESSION_SD,)),
    Rule("within-margin", "statistics", limits=(DEFAULT_MARGIN,)),
    Rule("could-have-seen", "statistics", limits=(POWER,)),
    Rule("disturbed-beyond-margin", "machine"),
    Rule(
        "repeats-would-show",
        "statistics",
        limits=(
            POWER,
            MOST_REPEATS,
        ),
    ),
    Rule("side-by-side-would-show", "statistics"),
    Rule("no-repeats-would-show", "statistics"),
    Rule("many-repeats-would-show", "statistics", limits=(MOST_REPEATS,)),
)
NOTES = (
    Rule("level-invalid", "statistics"),
    Rule("late-driver", "machine"),
    Rule(
        "no-interval",
        "statistics",
        limits=(
            LEAST_RUNS,
            LEAST_RUNS_OF_P99,
        ),
    ),
    Rule("interval-needs-runs", "statistics", limits=(LEAST_RUNS_OF_P99,)),
    Rule("interval-unknown", "statistics"),
    Rule("interval-spans-limit", "statistics"),
    Rule("disturbance-spans-limit", "machine"),
    Rule("no-transaction-ended", "load"),
    Rule("no-transaction-succeeded", "load"),
    Rule("load-not-measured", "load"),
    Rule("short-history", "statistics", limits=(LEAST_HISTORY,)),
    Rule("runs-resemble", "statistics", limits=(RESEMBLANCE,)),
    Rule(
        "odd-run",
        "statistics",
        limits=(
            ODD_DISTANCE,
            MOST_ODD,
        ),
    ),
)
"""Notes on a ratio, a threshold or a history."""
