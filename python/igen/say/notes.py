"""Sentences of notes on a level or a ratio, whatever its verdict."""

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
    fresh = " (replaced)" if group.has("replaced") else ""
    return f"{_repeats(group)} not measured{fresh}: {because(group)}"


def _replaced(group: Group) -> str:
    return (
        f"{_repeats(group)} replaced: {because(group) or 'another system was disturbed in the same repeat'}"
    )


def _periods(group: Group) -> str:
    text = f"the throughput repeats every {group.number('period_s', format_short, ' s')}"
    change = group.number("change_percent", "+.1f", " %")
    if not group.has("left_out_s"):
        return (
            f"{text}, and the whole measurement counts because the warm-up was given; with whole "
            f"periods only, the throughput would change by {change}"
        )
    left_out = group.number("left_out_s", format_short, " s")
    return (
        f"{text}, and only whole periods count: at most {left_out} were left out at the end of each "
        f"measurement; with them the throughput would change by {change}"
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
    why = "buffered I/O: the file system does not support O_DIRECT"
    if group.has("some_targets"):
        why = "direct I/O for some targets only: the file systems of the others do not support O_DIRECT"
    return f"{why}, so the page cache is measured too"


def _server_count(group: Group) -> str:
    differences = [part.figure or 0.0 for part in group.parts("difference_percent")]
    size = max(differences, key=abs)
    side = (
        "more transactions than this load made"
        if size > 0
        else "fewer transactions than they acknowledged to this load"
    )
    return f"the servers report {abs(size):.1f} % {side} {group.limit('.0f')}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "speed-corrected": lambda group: (
        "corrected to the usual speed of the processors, by a short test before and after (spin canary): "
        f"throughput by {group.number('change_percent', '+.1f', ' %')}"
    ),
    "any-session": lambda group: (
        f"±{group.percent('this_session_percent')} within this session, "
        f"±{group.percent('any_session_percent')} in any session of this machine "
        f"(from {group.count('sessions', 'session')})"
    ),
    "few-runs": lambda group: (
        f"{group.number('used_runs')} runs: the interval is wide (use {group.findings[0].limit:g} or more)"
    ),
    "run-left-out": lambda group: f"{_repeats(group)} left out: {because(group)}",
    "run-not-measured": _not_measured,
    "run-replaced": _replaced,
    "few-transactions": lambda group: (
        f"{group.count('transactions_per_run', 'transaction')} a run: the interval of the throughput is one "
        "transaction more or less"
    ),
    "warm-up-cut": lambda group: (
        f"the first {group.number('cut_s', format_short, ' s')} of each measurement were cut as warm-up; "
        f"without the cut the throughput would change by {group.number('change_percent', '+.1f', ' %')}"
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
        f"{group.count('runs', 'run')}: no interval with fewer than {group.findings[0].limit:g}"
    ),
    "interval-needs-runs": lambda group: (
        f"{group.count('runs', 'run')}: its interval needs {group.findings[0].limit:g}"
    ),
    "interval-unknown": lambda _: (
        "its interval is unknown; the mean and p99 of the service time have an interval"
    ),
    "interval-spans-limit": lambda _: "its interval spans the limit",
    "disturbance-spans-limit": lambda _: (
        "a disturbance of the machine or a late driver may have moved it over the limit"
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
        f"{group.listed('run')} is an outlier: {group.number('ratio', '.3g', ' ×')} the runs around it; the "
        "search for changes uses the median of those runs instead"
    ),
    "load-not-measured": lambda group: f"no level{_at(group)} was measured",
}


def _at(group: Group) -> str:
    if group.has("users"):
        return f" at {group.count('users', 'user')}"
    return f" at {group.number('offered_per_s', ',.6g')}/s" if group.has("offered_per_s") else ""
