"""Findings that were made up."""

from __future__ import annotations

from igen.judge.trust.finding import Finding, Part, finding

STOLEN = finding(
    "disturbed",
    scope="level",
    because=[finding("steal", stolen_percent=1.7)],
    throughput_low_percent=0.0,
    throughput_high_percent=1.7,
    times_low_percent=-1.7,
    times_high_percent=0.0,
)
ERRORS = finding("errors", scope="level", share_percent=0.42, limit=0.1, unit="percent")
SLOWED = finding(
    "disturbed",
    quantity="throughput",
    scope="level",
    because=[
        finding("other-clients", Part(name="client_percent", figure=4.1, text="2 psql"), share_percent=4.1)
    ],
    throughput_low_percent=0.0,
    throughput_high_percent=4.3,
    times_low_percent=0.0,
    times_high_percent=0.0,
)
NOT_SENT = finding(
    "rate-not-sent",
    scope="level",
    because=[finding("arrivals-given-up", given_up=3120.0, arrivals=6750.0)],
)
DIED = finding("agent-died", scope="level", signal=9.0)


def hostile_findings(text: str) -> list[Finding]:
    """Somebody else's words: markup, and what ends a cell of Markdown."""
    return [finding("agent-failed", error=text), finding("share-failed", error="a | b\nnext line")]


OBSERVED = (
    finding(
        "peak",
        Part(name="throughput_per_s", figure=9751.8, span=(9605.5, 9900.1), text="transactions"),
        scope="study",
        because=[finding("confirmed"), finding("no-lower-load-does-as-much")],
        system="shop-sqlite",
        load="2 users",
        runs=3,
        transactions=292554,
    ),
    finding(
        "falls-beyond-peak",
        Part(name="ratio", figure=0.916, span=(0.902, 0.931)),
        Part(name="times_ratio", figure=2.04, span=(1.99, 2.1)),
        scope="study",
        load="2 users",
        higher_load="4 users",
        test="paired log-t",
        runs=3,
    ),
    finding(
        "cpu-bound",
        scope="study",
        limit=90,
        unit="percent",
        load="2 users",
        cpu_percent=96.0,
        cpu_user_percent=61.0,
        cpu_system_percent=35.0,
    ),
)
FASTER = finding(
    "faster",
    Part(name="quantity", text="throughput"),
    Part(name="ratio", figure=1.078, span=(1.059, 1.098), text="1 user"),
    Part(name="ratio", figure=1.076, span=(1.055, 1.097), text="4 users"),
    scope="comparison",
    because=[finding("tested", test="log-Welch"), finding("corrected", questions=4)],
    system="xfs",
    base="ext4",
    loads=2,
    loads_compared=4,
    margin_percent=3,
)
