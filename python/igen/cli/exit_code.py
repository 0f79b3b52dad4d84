"""Exit codes of completed runs: 1 if a load failed, or a threshold was crossed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from igen.errors import IgenError
from igen.judge.curve.load import load_name
from igen.judge.result import Level, Result, System
from igen.judge.trust.validity import load_failures
from igen.printed import printed
from igen.report.checks import Check, not_slower_checks, threshold_checks
from igen.say import say
from igen.text import Text
from igen.units import counted

NO_LEVEL_IS_VALID = "no level is valid"


def check_load(result: Result, run: str, *, strict: bool) -> None:
    """Raises an `IgenError` (exit code 1) where the load itself failed; warns where no level is valid.

    What the machine did meanwhile is told by the verdicts and changes no exit code, unless `strict`: then a
    run without a level that is VALID or SUSPECT raises as well.
    """
    hint = f"`igen show {run}` shows the reasons"
    for where, reason in failures_of_load(result):
        raise IgenError(f"the load failed: {printed(reason)}", where=where, hint=hint)
    levels = [level for system in result.systems for level in system.levels]
    if not levels or any(level.trust.verdict != "INVALID" for level in levels):
        return
    if strict:
        raise IgenError(f"{NO_LEVEL_IS_VALID}: {printed(say(levels[0].findings[0]))}", hint=hint)
    click.echo(f"igen: warning: {NO_LEVEL_IS_VALID}", err=True)


def check_thresholds(result: Result, run: str, *, strict: bool) -> None:
    """Raises an `IgenError` (exit code 1) where a threshold fails; warns where one cannot be told, which
    `strict` makes an error too.
    """
    checks = [*threshold_checks(result)]
    undecided = [check for check in checks if check.outcome == "undecided"]
    failed = [check for check in checks if check.outcome == "failed"]
    raise_failed([*failed, *(undecided if strict else [])], hint=f"`igen show {run}` shows each level")
    for check in undecided:
        click.echo(f"igen: warning: {_where(check)}: cannot tell: {printed(check.text)}", err=True)


def check_not_slower(result: Result) -> None:
    """Raise an `IgenError` (exit code 1) unless every system was shown to be not slower than its base."""
    hint = "an undecided check fails; use more repeats, a quieter machine or `igen ab`"
    raise_failed([check for check in not_slower_checks(result) if check.outcome == "failed"], hint=hint)


def raise_failed(checks: Sequence[Check], *, hint: str) -> None:
    """Raise an `IgenError` with the first of these checks and the number of the others."""
    if checks:
        more = f" (and {counted(len(checks) - 1, 'more check')} failed)" if len(checks) > 1 else ""
        raise IgenError(f"{printed(checks[0].text)}{more}", where=_where(checks[0]), hint=hint)


def _where(check: Check) -> str:
    return f"{check.group}, {check.name}" if check.group else check.name


def failures_of_load(result: Result) -> Iterator[tuple[str, Text]]:
    """Return place and reason of each failed load, except at the upper end of a search."""
    for system in result.systems:
        for number, level in enumerate(system.levels):
            failures = load_failures(level)
            if failures and not _is_upper_end(level, system.levels[number + 1 :]):
                yield _place(system, level), say(failures[0])


def _is_upper_end(level: Level, above: list[Level]) -> bool:
    searched = all(repeat.purpose == "search" for repeat in level.repeats)
    return searched and all(load_failures(other) for other in above)


def _place(system: System, level: Level) -> str:
    return f"{system.name}, {load_name(level, by_rate=system.load_model == 'open')}"
