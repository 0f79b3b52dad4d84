"""Sentences about the named points of a curve: why a point is missing, and notes on a point."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.words import because
from igen.units import counted, date_text, format_count

MOST_TIMES = 3
"""Earlier times at which a run was resumed are counted."""


def _offered(group: Group) -> str:
    kind = "an open" if group.listed("load_model") == "open" else "a paced"
    limited = group.has("response_time_limit_ms")
    hint = "" if limited else "; with a response-time limit iGen names the highest load within it"
    return f"the throughput of {kind} load is the offered rate{hint}"


def _undecided(group: Group) -> str:
    ratio = group.parts("ratio")[0]
    low, high = ratio.span or (None, None)
    interval = f"{100 * (low or 0):.1f} to {100 * (high or 0):.1f} %"
    share = f"{100 * (ratio.figure or 0):.1f} % of the highest ({interval})"
    limit = f"{100 * (group.findings[0].limit or 0):g} %"
    return (
        f"undecided: throughput at {group.texts('load')[0]} is {share}, and it is unclear if that is more or "
        f"less than {limit}; {because(group)}"
    )


def _few_runs(group: Group) -> str:
    runs = round(group.parts("runs")[0].figure or 0)
    return "one run" if runs == 1 else f"only {format_count(runs)} runs"


def _between(group: Group) -> str:
    low = group.number("low_users")
    where = f"between {low} and {group.number('high_users')} users" if group.has("high_users") else ""
    return f"it lies {where or f'above {low} users'}: the search had no time to compare the loads there"


def _resumed(group: Group) -> str:
    times = [date_text(part.figure or 0.0) for part in group.parts("resumed_unix_s")]
    earlier = len(times) - MOST_TIMES
    before = f"{counted(earlier, 'time')} before, and then at " if earlier > 0 else "at "
    when = before + " and at ".join(times[-MOST_TIMES:])
    return f"the run ended early and was resumed {when}: it was not measured in one session"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "offered-throughput": _offered,
    "several-loads": lambda _: "several loads run at the same time and compete with each other",
    "several-response-times": lambda _: (
        "several loads run at the same time, and each has its own response time"
    ),
    "no-confirmed-load": lambda _: "the search confirmed no level",
    "few-valid-loads": lambda _: "fewer than two valid loads",
    "no-load-surely-below": lambda _: (
        "no valid load has a mean response time that is clearly below the limit"
    ),
    "search-out-of-time": lambda _: "undecided: the search had no time to compare the best loads",
    "few-common-repeats": lambda group: (
        f"undecided: fewer than {group.findings[0].limit:g} repeats have a usable run at both levels"
    ),
    "lower-load-undecided": _undecided,
    "quiet-machine-needed": lambda _: "a quiet machine and more repeats would decide",
    "loads-too-alike": lambda _: "the two loads are too similar: more repeats would not decide",
    "repeats-needed": lambda group: f"about {group.number('repeats')} repeats would decide",
    "sweet-spot-not-confirmed": lambda _: "the candidate level was not confirmed by fresh runs",
    "power-highest-at-lowest-load": lambda _: (
        "throughput over response time is highest at the lowest load tried"
    ),
    "knee-at-highest-load": lambda _: "the knee is the highest load tried",
    "limit-may-lie-beyond": lambda _: (
        "it is the highest load tried: higher loads may stay within the limit too"
    ),
    "next-load-invalid": lambda _: "the next higher load is INVALID",
    "lower-load-above-limit": lambda _: "a lower load is above the limit",
    "few-runs-of-point": _few_runs,
    "throughput-invalid": lambda _: "its throughput is INVALID",
    "higher-loads-invalid": lambda _: "all higher loads are INVALID",
    "peak-may-lie-beyond": lambda _: "the peak may lie beyond this load",
    "one-run-flatters": lambda _: "one run: the highest of several levels is probably too high",
    "peak-between": _between,
    # Notes on a whole system.
    "agent-warning": lambda group: _in_jobs(group),
    "study-damaged": lambda _: (
        "the study in run.json is damaged: the run is judged without its thresholds and limits"
    ),
    "run-resumed": _resumed,
    "recording-empty": lambda group: f"{group.listed('file')} holds no readable event",
    "nothing-recorded": lambda _: "nothing was recorded",
    "levels-left-out": lambda group: (
        f"INVALID and left out of all conclusions: {', '.join(group.texts('load'))}"
    ),
}


def _in_jobs(group: Group) -> str:
    jobs = round(group.parts("jobs")[0].figure or 0)
    return f"{group.texts('text')[0]} (in {counted(jobs, 'job')})" if jobs > 1 else group.texts("text")[0]
