"""Answers that are data of their own and no findings: thresholds, non-inferiority, changes of a history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from igen.judge.compare.history import History, RunSeries, SeriesChange
from igen.judge.compare.side_by_side import Confirmation
from igen.judge.result import Difference, Figure, NotSlower, Ratio, ThresholdAnswer
from igen.judge.trust.finding import finding
from igen.say.history import change_text, history_text, unchanged_text
from igen.say.threshold import not_slower_text, threshold_text
from igen.text import Text

ONE_RUN = finding("no-interval", runs=1, limit=3)
CROSSED = ThresholdAnswer(
    threshold="p99 of response > 20ms",
    figure="p99 of response",
    system="shop",
    level=0,
    users=8,
    offered_per_s=None,
    value=Figure(value=24.1, low=22.0, high=26.5),
    unit="ms",
    limit=20.0,
    above=True,
    answer="crossed",
    fails=True,
)
HELD = replace(
    CROSSED,
    threshold="throughput < 900",
    figure="throughput",
    value=Figure(value=1000.0, low=990.0, high=1010.0),
    unit="per s",
    limit=900.0,
    above=False,
    answer="held",
    fails=False,
)
OPEN = replace(CROSSED, value=Figure(value=24.1), answer="cannot tell", why=ONE_RUN)
UNKNOWN = replace(CROSSED, value=None, answer="cannot tell", why=finding("no-transaction-ended"))
RATIO = Ratio(
    system="B",
    base="A",
    quantity="throughput",
    ratio=Figure(value=0.871, low=0.85, high=0.89, n=3),
    answer="slower",
    p=0.001,
    error=0.01,
    questions=1,
    margin_percent=3.0,
    visible_percent=6.2,
    repeats_needed=9,
    disturbance_percent=0.0,
    session_noise_percent=None,
    method="log-Welch",
    level=0,
    users=8,
    offered_per_s=None,
    decides=True,
    figure=871.0,
    base_figure=1000.0,
    run_ratios=[],
    restates_throughput=False,
    served=None,
    base_served=None,
)
TIMES = replace(RATIO, quantity="mean response time", findings=[ONE_RUN])
NOT_SLOWER = [
    (RATIO, NotSlower(margin_percent=5, answer="slower", worst=0.851)),
    (RATIO, NotSlower(margin_percent=15, answer="not slower", worst=0.851)),
    (TIMES, NotSlower(margin_percent=5, answer="cannot tell", worst=None)),
    (replace(TIMES, of_invalid=True), NotSlower(margin_percent=5, answer="cannot tell", worst=None)),
]
DIFFERENCES = [
    Difference(kind="fact", name=f"kernel.setting{number}", of_base="1", of_system="2") for number in range(7)
]
CHANGE = SeriesChange(
    run="oltp-9",
    before="oltp-8",
    started_unix_s=0.0,
    ratio=Figure(value=0.9, low=0.88, high=0.92),
    p=0.001,
    differences=[],
    confirmation=None,
)
SIDE_BY_SIDE = Confirmation(
    run="ab-1", ratio=RATIO, after_is_base=False, confirmed=True, other_differences=DIFFERENCES[:1]
)
CONFIRMED = replace(CHANGE, differences=DIFFERENCES, confirmation=SIDE_BY_SIDE)
REFUTED = replace(
    CHANGE,
    differences=DIFFERENCES[:1],
    confirmation=replace(
        SIDE_BY_SIDE,
        ratio=replace(RATIO, answer="equivalent"),
        after_is_base=True,
        confirmed=False,
        other_differences=[],
    ),
)
SERIES = RunSeries(
    title="4 users",
    quantity="throughput",
    points=[],
    changes=[CHANGE, CONFIRMED, REFUTED],
    notes=[],
    odd=[],
    looked=True,
)


def history(series: Sequence[RunSeries]) -> Text:
    """Return the sentence at the top of a history."""
    return history_text(History(workload="oltp", host="db1", runs=12, series=[*series]))


OF_ANSWERS: dict[str, list[Text]] = {
    "threshold": [threshold_text(each) for each in (CROSSED, HELD, OPEN, UNKNOWN)],
    "not slower": [not_slower_text(*each) for each in NOT_SLOWER],
    "history": [
        history([SERIES]),
        history([replace(SERIES, changes=[CHANGE])]),
        history([replace(SERIES, changes=[])]),
        history([replace(SERIES, looked=False)]),
        unchanged_text(SERIES),
        *(change_text(SERIES, each) for each in SERIES.changes),
    ],
}
"""Sentences by what they answer."""
