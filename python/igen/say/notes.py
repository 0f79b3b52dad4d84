"""Sentences of notes: what a reader of a level or a ratio should know, whatever the verdict."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.words import because, between_times
from igen.units import format_short


def _repeats(group: Group) -> str:
    """Return the repeats by number: `repeat 2 was`, `repeats 2, 4 and 5 were`; a range could name another."""
    *first, last = group.numerals("repeat")
    return f"repeats {', '.join(first)} and {last} were" if first else f"repeat {last} was"


def _not_measured(group: Group) -> str:
    fresh = ", a fresh one took its place" if group.has("replaced") else ""
    return f"{_repeats(group)} not measured{fresh}: {because(group)}"


def _replaced(group: Group) -> str:
    return (
        f"{_repeats(group)} replaced by a fresh one: {because(group) or 'another system was disturbed in it'}"
    )


def _periods(group: Group) -> str:
    text = f"the throughput has a period of {group.number('period_s', format_short, ' s')}"
    change = group.number("change_percent", "+.1f", " %")
    if not group.has("left_out_s"):
        return (
            f"{text} and all of each measurement counts, as the warm-up was given; of whole periods alone it "
            f"would be {change}"
        )
    left_out = group.number("left_out_s", format_short, " s")
    return (
        f"{text} and whole ones count: at most {left_out} after the last were left out of each measurement; "
        f"with them it would be {change}"
    )


def _times_between(group: Group) -> str:
    mean, p99 = between_times(group)
    return f"{because(group)}: the mean response time is between {mean}, the p99 between {p99}"


def _kernels_missed(group: Group) -> str:
    worst = Group([group.worst])
    missed = worst.texts("kernel")
    if len(missed) == 1:
        return f"no pass of {missed[0]} was measured: measure longer"
    share = f"{len(missed)} of {worst.number('kernels')} kernels"
    return f"no pass of {share} was measured: measure longer ({worst.listed('kernel')})"


def _level_invalid(group: Group) -> str:
    of = f" of {group.listed('system')}" if group.has("system") else ""
    why = because(group)
    return f"the level{of} is INVALID{': ' if why else ''}{why}"


def _page_cache(group: Group) -> str:
    why = "buffered: the file system has no direct I/O"
    if group.has("some_targets"):
        why = "direct for some targets; the file systems of the others have no direct I/O"
    return f"{why} (O_DIRECT): the page cache is measured with it"


def _server_count(group: Group) -> str:
    differences = [part.figure or 0.0 for part in group.parts("difference_percent")]
    size = max(differences, key=abs)
    side = "more transactions than this load" if size > 0 else "fewer transactions than it acknowledged"
    return f"the servers report {abs(size):.1f} % {side} {group.limit('.0f')}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "speed-corrected": lambda group: (
        "corrected to the usual speed of the machine by its spin canary: throughput by "
        f"{group.number('change_percent', '+.1f', ' %')}"
    ),
    "any-session": lambda group: (
        f"this session ±{group.percent('this_session_percent')}, any session of this machine "
        f"±{group.percent('any_session_percent')} (from {group.count('sessions', 'session')})"
    ),
    "few-runs": lambda group: (
        f"{group.number('used_runs')} runs: the interval is wide (use {group.findings[0].limit:g} or more)"
    ),
    "run-left-out": lambda group: f"{_repeats(group)} left out: {because(group)}",
    "run-not-measured": _not_measured,
    "run-replaced": _replaced,
    "few-transactions": lambda group: (
        f"{group.count('transactions_per_run', 'transaction')} a run: the throughput's interval is that of "
        "one more or less of them"
    ),
    "warm-up-cut": lambda group: (
        f"the first {group.number('cut_s', format_short, ' s')} of each measurement were cut as warm-up; "
        f"without the cut the throughput would be {group.number('change_percent', '+.1f', ' %')}"
    ),
    "whole-periods": _periods,
    "times-between": _times_between,
    "page-cache": _page_cache,
    "kernels-missed": _kernels_missed,
    "server-count": _server_count,
    "level-invalid": _level_invalid,
    "late-driver": lambda group: (
        f"the driver started transactions of {group.listed('system')} too late for a comparison"
    ),
    "no-interval": lambda group: (
        f"{group.count('runs', 'run')}: no interval below {group.findings[0].limit:g}"
    ),
    "interval-needs-runs": lambda group: (
        f"{group.count('runs', 'run')}: its interval needs {group.findings[0].limit:g}"
    ),
    "interval-unknown": lambda _: "no interval is known of it; mean and p99 of service have one",
    "interval-spans-limit": lambda _: "its interval spans the limit",
    "disturbance-spans-limit": lambda _: (
        "what disturbed the machine or a driver that was late may have moved it over the limit"
    ),
    "no-transaction-ended": lambda _: "no transaction ended",
    "no-transaction-succeeded": lambda _: "no transaction succeeded",
    "short-history": lambda group: (
        f"{group.count('runs', 'run')}: changes are looked for from {group.findings[0].limit:g} runs on"
    ),
    "runs-resemble": lambda group: (
        f"a run resembles the run before it (correlation {group.number('correlation', '.2f')}): the machine "
        "drifts, and chance makes more changes than the given share"
    ),
    "odd-run": lambda group: (
        f"{group.listed('run')} is odd: {group.number('ratio', '.3g', ' ×')} the runs around it; the search "
        "for changes uses their median instead"
    ),
    "load-not-measured": lambda group: f"no level{_at(group)} was measured",
}


def _at(group: Group) -> str:
    if group.has("users"):
        return f" at {group.count('users', 'user')}"
    return f" at {group.number('offered_per_s', ',.6g')}/s" if group.has("offered_per_s") else ""
