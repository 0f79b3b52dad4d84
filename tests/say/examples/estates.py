"""The top of an estimate of a data centre."""

from __future__ import annotations

from igen.judge.trust.finding import Part, finding

SIZE = (
    Part(name="systems", figure=5, span=(5, 6)),
    Part(name="racks", figure=2, span=(2, 2)),
    Part(name="kw", figure=8.52, span=(7.94, 9.1)),
    Part(name="guess", text="kw"),
    Part(name="outside", text="kw"),
    Part(name="cost", figure=622_726, span=(582_561, 715_288), text="USD in 4 years"),
)
OF_ESTATES = (
    finding("estate", *SIZE[:2], Part(name="does_not_fit"), estate="today", scope="study"),
    finding("estate", *SIZE, estate="today", scope="study", short_in_year=3),
    finding(
        "estate",
        *SIZE,
        Part(name="cost_ratio", figure=0.577, span=(0.507, 0.704), text="today"),
        estate="consolidate",
        scope="study",
    ),
    finding(
        "estate",
        *SIZE,
        Part(name="cost_ratio", figure=0.98, text="today"),
        estate="replace",
        scope="study",
    ),
)
