"""Rules about a curve: its named points, what it shows, and how a search finds them."""

from __future__ import annotations

from igen.judge.trust.rules.machine import FOREIGN_CPU_PERCENT
from igen.judge.trust.rules.rule import Limit, Rule
from igen.judge.trust.rules.statistics import LEAST_RUNS

NOT_INFERIOR = Limit(
    0.97, "of the peak's throughput", "a level that is shown to do as much does the same work"
)
LEAST_POINTS_OF_LINE = Limit(3, "points", "a line through two points has no error")
ALWAYS_BUSY = Limit(
    0.98, "of a load's users with a transaction under way", "from it on they count as never waiting"
)
LEAST_LEVELS_OF_KNEE = Limit(3, "loads", "a knee lies between others")
SATURATED_PERCENT = Limit(
    90.0, "percent of all processors", "the rest cannot be used: work is not split evenly"
)
IO_PRESSURE_PERCENT = Limit(20.0, "percent of the time", "some task waited for storage")
HIDDEN = Limit(
    2.0, "times", "a percentile from the intended start is this many times that from the actual start"
)
STALL = Limit(
    10.0,
    "times the 99th percentile of all",
    "a service is a stall if it is longer: of exponential ones, which make a plain queue, the longest of a "
    "million is 3 times as long",
)
STALLED_SHARE = Limit(
    0.6, "of the stall", "all users stood still for it: one of two users who waits takes half as much"
)
SLOWER_SHARE = Limit(0.3, "of the throughput", "an interval stands still in part if as much is missing")
SLOWER_SD = Limit(4.0, "standard deviations of a number of transactions", "chance misses fewer")
HALF_FULL = Limit(
    0.5, "of a resource", "a busier one makes users wait for each other, longer than in an idle system"
)
LEAST_LEVELS_OF_BOUND = Limit(2, "loads", "one load cannot show how the use of a resource grows")
PARTS_OF_RUN = Limit(10, "parts of a run", "each is longer than most queues and stalls last")
FACTOR_OF_PARTS = Limit(
    2.0, "times", "another run may differ by as much, however alike the parts of a run are"
)
PRECISION = Limit(
    0.02, "of the throughput", "half-width of the confidence sequence at which a level has enough runs"
)
MOST_RUNS = Limit(10, "runs", "of a level whose runs are repeated until they are precise enough")
LEAST_GAIN = Limit(
    0.01,
    "of the throughput",
    "two doublings that gain less, or less than noise lets see, end a search upwards",
)
FAR = Limit(4, "times the last load", "is tried once, when levels gain nothing more")
LARGEST_LOAD = Limit(4096, "users", "a search tries no more unless it is told to")
NOISE_LEVELS = Limit(4, "loads", "are executed twice in a search that does not know the noise")
MIDPOINT_ROUNDS = Limit(3, "rounds", "of midpoints around the best loads")
REFINED = Limit(
    2,
    "best loads",
    "whose neighbourhoods are refined: by one run each, the best is often the second best. With one 4.7 % of "
    "the sweet spots on a hump at 5 % noise lie too low, with two 3.3 %, for 8 % more runs",
)
EDGE_ROUNDS = Limit(
    4, "rounds", "of midpoints between the lowest load that does the most and the highest that does less"
)
BEST_CANDIDATES = Limit(3, "loads", "the best of them are repeated to choose one")
LEAST_CHOOSING = Limit(
    5, "runs", "of each candidate: with fewer the test for the sweet spot has too few degrees of freedom"
)
CONFIRM_RUNS = Limit(5, "runs", "of each load that is confirmed")
MOST_CONFIRMED = Limit(2, "loads", "are confirmed: peak and sweet spot")
CANDIDATE_SD = Limit(2.8, "standard deviations", "two runs of a level differ by less in 95 % of cases: 2 √2")
SEEN_SD = Limit(
    2.33,
    "standard deviations",
    "a larger gain is seen in one run of each of two levels: √2 × 1.65, 5 % in error",
)
_SEARCH = (
    LEAST_GAIN,
    FAR,
    LARGEST_LOAD,
    NOISE_LEVELS,
    MIDPOINT_ROUNDS,
    REFINED,
    EDGE_ROUNDS,
    SEEN_SD,
)
_CHOICE = (CANDIDATE_SD, BEST_CANDIDATES, LEAST_CHOOSING)

POINTS = (
    Rule("offered-throughput", "load"),
    Rule("several-loads", "load"),
    Rule("several-response-times", "load"),
    Rule("no-confirmed-load", "statistics"),
    Rule("few-valid-loads", "statistics"),
    Rule("no-load-surely-below", "statistics"),
    Rule("search-out-of-time", "statistics", limits=(MOST_RUNS,)),
    Rule("few-common-repeats", "statistics", limits=(LEAST_RUNS,)),
    Rule("lower-load-undecided", "statistics"),
    Rule("quiet-machine-needed", "machine"),
    Rule("loads-too-alike", "statistics"),
    Rule(
        "repeats-needed",
        "statistics",
        limits=(
            NOT_INFERIOR,
            MOST_RUNS,
        ),
    ),
    Rule("sweet-spot-not-confirmed", "statistics"),
    Rule("power-highest-at-lowest-load", "statistics", limits=(LEAST_LEVELS_OF_KNEE,)),
    Rule("knee-at-highest-load", "statistics", limits=(LEAST_LEVELS_OF_KNEE,)),
    Rule("limit-may-lie-beyond", "statistics"),
    Rule("next-load-invalid", "statistics"),
    Rule("lower-load-above-limit", "statistics"),
    Rule("few-runs-of-point", "statistics"),
    Rule("throughput-invalid", "statistics"),
    Rule("higher-loads-invalid", "statistics"),
    Rule("peak-may-lie-beyond", "statistics"),
    Rule("one-run-flatters", "statistics", limits=(LEAST_RUNS,)),
    Rule("peak-between", "statistics"),
)
"""Why a point of a curve has no name, and notes on a point."""
OBSERVATIONS = (
    Rule("single-load", "system"),
    Rule("peak", "system", limits=(*_SEARCH,)),
    Rule("reaches-plateau", "system", limits=(NOT_INFERIOR,)),
    Rule("most-of-loads-tried", "system"),
    Rule(
        "confirmed",
        "system",
        limits=(
            CONFIRM_RUNS,
            MOST_CONFIRMED,
        ),
    ),
    Rule("best-of-loads", "system", limits=(*_CHOICE,)),
    Rule("alike-loads", "system", limits=(NOT_INFERIOR,)),
    Rule("no-sweet-spot", "system"),
    Rule("lowest-load-tried", "system"),
    Rule("no-lower-load-does-as-much", "system", limits=(NOT_INFERIOR,)),
    Rule("no-peak", "system"),
    Rule("no-load-within-limit", "system"),
    Rule("growth", "system"),
    Rule("falls-beyond-peak", "system"),
    Rule("waits-beyond-peak", "system"),
    Rule(
        "cpu-bound",
        "system",
        bottleneck=True,
        limits=(
            SATURATED_PERCENT,
            FOREIGN_CPU_PERCENT,
        ),
    ),
    Rule(
        "io-bound",
        "system",
        bottleneck=True,
        limits=(
            IO_PRESSURE_PERCENT,
            FOREIGN_CPU_PERCENT,
        ),
    ),
    Rule(
        "hidden-stall",
        "system",
        limits=(
            HIDDEN,
            STALL,
            STALLED_SHARE,
            SLOWER_SHARE,
            SLOWER_SD,
        ),
    ),
    Rule("hidden-wait", "system", limits=(HIDDEN,)),
    Rule("within-limit", "system"),
    Rule("highest-load-tried", "system"),
    Rule("load-invalid", "system"),
    Rule("first-load-beyond", "system"),
    Rule("scaling", "system"),
    Rule("instances-within-limit", "system"),
    Rule("interval-crosses-limit", "system"),
    Rule("more-instances-beyond", "system"),
    Rule("load-processes", "load"),
    Rule("started-when-ready", "load"),
    Rule("started-at-same-time", "load"),
    Rule("started-by-same-clock", "load"),
    Rule("started-by-known-clocks", "load"),
)
