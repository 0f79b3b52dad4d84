"""Sentences about the points of a curve: why one has no name, and what to know of one that has."""

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
    hint = "" if limited else "; a response-time limit names the highest load within it"
    return f"the throughput of {kind} load is what was offered{hint}"


def _undecided(group: Group) -> str:
    ratio = group.parts("ratio")[0]
    low, high = ratio.span or (None, None)
    interval = f"{100 * (low or 0):.1f} to {100 * (high or 0):.1f} %"
    share = f"{100 * (ratio.figure or 0):.1f} % of the highest ({interval})"
    limit = f"{100 * (group.findings[0].limit or 0):g} %"
    return (
        f"undecided: throughput at {group.texts('load')[0]} is {share}: neither at least {limit} nor less "
        f"is shown; {because(group)}"
    )


def _few_runs(group: Group) -> str:
    runs = round(group.parts("runs")[0].figure or 0)
    return "one run" if runs == 1 else f"{format_count(runs)} runs only"


def _between(group: Group) -> str:
    low = group.number("low_users")
    where = f"between {low} and {group.number('high_users')} users" if group.has("high_users") else ""
    return f"it lies {where or f'above {low} users'}: the search had no time to choose among the loads there"


def _resumed(group: Group) -> str:
    times = [date_text(part.figure or 0.0) for part in group.parts("resumed_unix_s")]
    earlier = len(times) - MOST_TIMES
    before = f"{counted(earlier, 'time')} before, and then at " if earlier > 0 else "at "
    when = before + " and at ".join(times[-MOST_TIMES:])
    return f"the run had ended early, and went on {when}: its executions are not of one session"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "offered-throughput": _offered,
    "several-loads": lambda _: "several loads go on at once, and more of one is less of another",
    "several-response-times": lambda _: "several loads go on at once, whose response times are their own",
    "no-confirmed-load": lambda _: "the search has no confirmed level",
    "few-valid-loads": lambda _: "fewer than two valid loads",
    "no-load-surely-below": lambda _: "no valid load has a mean response time that is surely below the limit",
    "search-out-of-time": lambda _: "undecided: the search had no time to choose among the best loads",
    "few-common-repeats": lambda group: (
        f"undecided: fewer than {group.findings[0].limit:g} repeats have a run that counts at both levels"
    ),
    "lower-load-undecided": _undecided,
    "quiet-machine-needed": lambda _: "a quiet machine and more repeats would tell",
    "loads-too-alike": lambda _: "the two loads are too alike for repeats to tell",
    "repeats-needed": lambda group: f"about {group.number('repeats')} repeats would tell",
    "sweet-spot-not-confirmed": lambda _: "the level that would be it was not confirmed by fresh runs",
    "power-highest-at-lowest-load": lambda _: (
        "throughput over response time is highest at the lowest load tried"
    ),
    "knee-at-highest-load": lambda _: "the knee is the highest load tried",
    "limit-may-lie-beyond": lambda _: "it is the highest load tried: the limit may lie beyond",
    "next-load-invalid": lambda _: "the next higher load is INVALID",
    "lower-load-above-limit": lambda _: "a lower load is above the limit",
    "few-runs-of-point": _few_runs,
    "throughput-invalid": lambda _: "its throughput is INVALID",
    "higher-loads-invalid": lambda _: "all higher loads are INVALID",
    "peak-may-lie-beyond": lambda _: "the peak may lie beyond this load",
    "one-run-flatters": lambda _: "one run: the highest of several levels flatters",
    "peak-between": _between,
    # Notes on a whole system.
    "agent-warning": lambda group: _in_jobs(group),
    "study-damaged": lambda _: (
        "run.json is damaged in what the study asks for: the run is judged without that"
    ),
    "run-resumed": _resumed,
    "recording-empty": lambda group: f"{group.listed('file')} says nothing",
    "nothing-recorded": lambda _: "nothing was recorded",
    "levels-left-out": lambda group: (
        f"INVALID and left out of all conclusions: {', '.join(group.texts('load'))}"
    ),
}


def _in_jobs(group: Group) -> str:
    jobs = round(group.parts("jobs")[0].figure or 0)
    return f"{group.texts('text')[0]} (in {counted(jobs, 'job')})" if jobs > 1 else group.texts("text")[0]
