"""Findings about a run, a level, a ratio or a threshold: reasons of verdicts, explanations and notes."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.trust.finding import Finding, Part, Runs, finding

PERCENT = "percent"
BOUNDS = {
    "throughput_low_percent": 0.0,
    "throughput_high_percent": 5.2,
    "times_low_percent": -4.9,
    "times_high_percent": 0.0,
}
FOREIGN = finding(
    "foreign-cpu",
    Part(name="program_percent", figure=30.0, text="rustc"),
    Part(name="program_percent", figure=8.0, text="backup"),
    used_percent=41.5,
)
MALFORMED = finding(
    "event-malformed",
    file="0001.jsonl",
    of="snapshot",
    error="ValueError('no transactions')",
    line=2,
    count=1,
)
LEAST_AND_MOST = {"least_mean_ms": 0.2, "mean_ms": 1.4, "least_p99_ms": 0.3, "p99_ms": 2.4}
DISTURBED = finding("disturbed", because=[FOREIGN], **BOUNDS)
GIVEN_UP = finding("arrivals-given-up", given_up=50, arrivals=500)
OUTAGE = finding("outage", Part(name="below_half_s", span=(2.4, 3.4)))
LATE = finding("late-starts", late_ms=4.98, late_p99_ms=12.0, median_response_time_ms=20.0)


def change(rule: str, percent: float | None, start_s: float, end_s: float | None, *more: Part) -> Finding:
    """Return a change of the throughput; one from nothing has no figure."""
    known = [] if percent is None else [Part(name="change_percent", figure=percent)]
    return finding(rule, *known, Part(name="changed_s", span=(start_s, end_s)), *more)


def limited(rule: str, limit: float, *parts: Part, **named: float | str) -> Finding:
    """Return a finding with a limit in percent."""
    return finding(rule, *parts, limit=limit, unit=PERCENT, **named)


OF_LOAD = (
    finding("nothing-done"),
    finding("nothing-done", failed=2),
    finding("nothing-done", think_time_s=10, measured_s=3),
    limited("errors", 0.1, Part(name="reason", text="locked"), share_percent=0.42),
    finding("connections-lost", times=1),
    finding("device-failed", ios=1),
    finding("rate-not-sent", because=[GIVEN_UP]),
    GIVEN_UP,
    limited("rate-not-served", 1, served_per_s=980, offered_per_s=1000),
    limited("queue-grew", 1, grown=120, arrivals=5000),
    limited("backlog-served", 1, served_per_s=1020, offered_per_s=1000),
    finding("users-left", left=3, users=100),
    limited("driver-busy", 70, machine="a", used_percent=81),
    limited("driver-busy", 70, Part(name="machines_enough", figure=2), machine="b", used_percent=80),
    limited("driver-busy", 70, Part(name="machines_needed_at_least", figure=3), machine="b", used_percent=80),
    finding("agent-failed", error="no space left"),
    finding("agent-failed"),
    limited("users-unaccounted", 2, users=4, accounted=3.8),
    limited("users-unaccounted", 2, Part(name="in_flight_per_user", figure=8), users=4, accounted=4.0),
    finding("unfinished", quantity="times", transactions=3),
    finding("unfinished", Part(name="stopped", figure=1), quantity="times", transactions=1),
    limited("repeated-requests", 1, stale_connections=101, share_percent=1.01),
    limited("repeated-requests", 1, stale_connections=90, refused_requests=30, share_percent=1.2),
    finding(
        "directory-count",
        Part(name="counted", figure=1201, text="search"),
        Part(name="sent", figure=1200, text="search"),
        target="ldap://a/dc=x",
        others=0,
    ),
    finding(
        "directory-count",
        Part(name="counted", figure=1, text="bind"),
        Part(name="sent", figure=2, text="bind"),
        Part(name="counted", figure=1197, text="search"),
        Part(name="sent", figure=1200, text="search"),
        Part(name="lost_connections", figure=4),
        target="ldap://a/dc=x",
        others=1,
    ),
    finding("processes-left", Part(name="program", text="sleep"), executions=1, processes=2),
    finding("processes-left", executions=300, processes=300),
    limited("data-unwritten", 1, unwritten_percent=37.5),
    finding("storage-in-memory"),
    limited("reads-elsewhere", 50, physical_percent=0.2),
    finding("page-cache"),
    finding("page-cache", Part(name="some_targets", figure=1)),
    limited("server-count", 2, difference_percent=20),
    finding("no-transaction-ended"),
    finding("no-transaction-succeeded"),
    finding("load-not-measured", scope="study"),
    finding("load-not-measured", scope="study", users=8),
    finding("load-not-measured", scope="study", offered_per_s=200),
    finding("odd-run", scope="comparison", run="oltp-7", ratio=0.52),
    finding("short-history", scope="comparison", limit=10, unit="runs", runs=8),
    finding("runs-resemble", scope="comparison", correlation=0.42),
)
OF_RECORDING = (
    finding("interrupted"),
    finding("agent-died", signal=9),
    finding("agent-died", Part(name="exit_code", figure=1), Part(name="error", text="out of memory")),
    finding("share-failed", error="agent 2 of 3 on b was lost"),
    finding("cut-off"),
    finding("share-lost", Part(name="loss", text="agent 2 of 3 on b was lost"), lost=1, shares=3),
    finding("stopped-before-work"),
    finding("damaged", because=[MALFORMED]),
    MALFORMED,
    finding(
        "damaged",
        Part(name="missing_s", figure=1),
        Part(name="first_missing_s", figure=4),
        Part(name="first_overlap_s", figure=6),
    ),
    finding("run-not-measured", because=[finding("interrupted")], repeat=3),
    finding(
        "run-not-measured",
        Part(name="replaced", figure=1),
        because=[finding("agent-died", signal=9)],
        repeat=3,
    ),
)
OF_MACHINE = (
    replace(DISTURBED, rule="disturbed-beyond-use"),
    replace(DISTURBED, scope="level", runs=Runs(number=3, of=5)),
    finding("shared-machine", scope="level", limit=25, unit=PERCENT, because=[FOREIGN]),
    finding("concurrent-runs", other_runs=1),
    finding("throttled", machine="a", throttled_percent=98),
    limited("unattributed", 5, used_percent=7.5),
    limited("unattributed", 5, Part(name="machine", text="db1"), used_percent=7.5),
    FOREIGN,
    finding(
        "foreign-cpu",
        Part(name="server_unknown", figure=1),
        Part(name="rest_percent", figure=5.0),
        used_percent=25.0,
    ),
    finding("other-clients", Part(name="client_percent", figure=60.0, text="17 wrk"), share_percent=60),
    finding("steal", stolen_percent=1.7),
    finding("stood-still", stood_still_s=1.0),
    LATE,
    replace(LATE, parts=(Part(name="free_percent", figure=0.5), *LATE.parts)),
    finding("processors-lost", because=[FOREIGN, finding("steal", stolen_percent=1.7)], lost_s=1.2),
    finding("trend", scope="level", throughput_change_percent=-7.1, times_change_percent=7.7),
    finding("trend", scope="level", throughput_change_percent=3.0, times_change_percent=0.0),
    finding("clock-drift", drift_ppm=200),
    finding("run-replaced", because=[DISTURBED], repeat=4),
    finding("run-replaced", repeat=4),
    finding("times-between", quantity="times", because=[LATE], **LEAST_AND_MOST),
    finding("late-times", quantity="times", because=[LATE], **LEAST_AND_MOST),
    limited("speed-corrected", 1, change_percent=-2.1),
    finding("any-session", scope="system", this_session_percent=0.31, any_session_percent=2.04, sessions=8),
    finding(
        "other-clients-seen",
        Part(name="active_percent", figure=80, text="bob at 10.0.0.7 (psql)"),
        Part(name="commits_percent", figure=3.2),
    ),
    finding("other-clients-hidden"),
    finding("late-driver", system="B"),
    finding("disturbance-spans-limit"),
)
OF_STATISTICS = (
    finding("wide-interval", quantity="throughput", scope="level", limit=20, unit=PERCENT, half_percent=27.4),
    finding("wide-interval", scope="level", limit=20, unit=PERCENT, half_percent=312.0),
    finding("wide-interval", quantity="times", scope="level", limit=20, unit=PERCENT, half_percent=27.4),
    finding("too-short", quantity="times", limit=10, independent_values=6.3),
    finding("two-groups", runs_low=2, near_low_per_s=800, runs_high=3, near_high_per_s=1000),
    limited("noisy-repeats", 3, spread_percent=4.9, kernels=1),
    limited("noisy-repeats", 3, spread_percent=4.9, kernels=7),
    finding("few-intervals", limit=6, intervals=1),
    finding("few-periods", limit=3, periods=2.5, period_s=20),
    finding("long-warm-up", warm_up_s=25),
    OUTAGE,
    change("step", -20.0, 30, None),
    change("step", None, 30, 40),
    finding("one-run"),
    finding("few-runs", limit=3, used_runs=2),
    finding("run-left-out", because=[finding("agent-failed", error="no space left")], repeat=5),
    finding("few-transactions", quantity="throughput", transactions_per_run=3),
    finding("warm-up-cut", cut_s=6, change_percent=-1.6),
    finding("whole-periods", period_s=8, change_percent=-0.6),
    finding("whole-periods", Part(name="left_out_s", figure=2), period_s=8, change_percent=0.6),
    finding("kernels-missed", Part(name="kernel", text="copy_avx2"), kernels=3),
    finding("kernels-missed", *(Part(name="kernel", text=f"copy_{n}") for n in range(7)), kernels=9),
    finding("level-invalid", scope="comparison", because=[GIVEN_UP], system="B"),
    finding("no-interval", scope="comparison", limit=3, runs=1),
    finding("interval-needs-runs", limit=5, runs=3),
    finding("interval-unknown"),
    finding("interval-spans-limit"),
)
OF_RUNS = (*OF_LOAD, *OF_RECORDING, *OF_MACHINE, *OF_STATISTICS)
