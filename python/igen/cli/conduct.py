"""Runs a study for the command line: progress during the run, then the result and the report."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from igen.ask.asked import Asked
from igen.ask.command import ab_command
from igen.cli.announce import Announcer
from igen.cli.exit_code import check_load, check_not_slower, check_thresholds, failures_of_load
from igen.cli.output import say_next, say_unless
from igen.cli.step import StepProgress
from igen.cli.telemetry import Telemetry
from igen.errors import IgenError
from igen.judge.result import Result
from igen.loads import several
from igen.report.checks import Check, load_checks, not_slower_checks, threshold_checks
from igen.store.run import Run
from igen.store.store import Store
from igen.study.observer import Observer, Observers
from igen.study.results import read_result
from igen.study.runner import Outcome
from igen.study.study import Study
from igen.text import Text
from igen.workbench.failure import interrupted
from igen.workbench.measure import Size, carry_out
from igen.workbench.private_instance import in_terms_of_instance
from igen.workbench.remarks import keep_in_catalog
from igen.workbench.sized import sized
from igen.workbench.threaded import threaded


def conduct(
    study: Study,
    *,
    store: str | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    junit: Path | None = None,
    strict: bool = False,
    slower_margin: float | None = None,
    telemetry: Telemetry | None = None,
    announce: int | None = None,
    begun: Run | None = None,
    facts: Mapping[str, Any] | None = None,
) -> int:
    """Runs the study, shows what came of it and returns the exit code; raises what is to be read last.

    With a run that was `begun` earlier it goes on. `strict` makes a run without a valid level an error.
    `slower_margin` is the share by which no system may be slower than its base; None if nobody asks.
    `announce` is a descriptor that is told the run's id. `facts` are kept with each job.
    A study that does not say how long it measures, or where its users run, is completed by pilots.
    """
    say = say_unless(quiet)
    shown = observer_of(quiet)
    if announce is not None:
        shown = Observers([Announcer(announce), shown])
    with (telemetry or Telemetry()).told(shown, say) as observer:
        outcome = carry_out(
            study,
            Store(store),
            observer=observer,
            say=say,
            begun=begun,
            facts=facts,
            size=piloted(quiet=quiet) if begun is None else None,
        )
    result = None
    if outcome.measured:
        result = read_result([outcome.run], recordings=outcome.recordings, slower_margin=slower_margin)
        keep_in_catalog(outcome.run, result)
        _show(result, outcome, report=report, as_json=as_json, quiet=quiet)
        if junit is not None:
            not_slower = [] if slower_margin is None else not_slower_checks(result)
            _write_junit(result, outcome, study, junit, [*threshold_checks(result), *not_slower])
    levels = [level for system in result.systems for level in system.levels] if result else []
    if outcome.interrupted:
        measured = any(level.transactions + level.errors for level in levels)
        raise interrupted(outcome, study, measured=measured)
    if outcome.error is not None:
        raise in_terms_of_instance(outcome.error, study)
    if result is None:
        return 0
    # Torture tells itself what befell a target, and goes on after segments that were cut off.
    if not study.plan.in_segments:
        check_load(result, outcome.run.id, strict=strict)
    check_thresholds(result, outcome.run.id, strict=strict)
    if slower_margin is not None:
        check_not_slower(result)
    say_next(f"igen show {outcome.run.id} --all", *_of_two(study), quiet=quiet or as_json)
    return 0


def _of_two(study: Study) -> list[str]:
    """Return the command that compares a setting of a study of one system."""
    if study.systems or not study.plan.is_product or several(study.job):
        return []
    targets = Asked(targets=study.job.get("targets"))
    return [ab_command(str(study.job["workload"]), targets, "", "KEY=VALUE")]


def piloted(*, quiet: bool, sessions: int = 1) -> Size:
    """Return what completes a study by pilots: with the threads of its client, and with the length of its
    measurements. Their preparation is shown unless quiet."""

    def size(study: Study) -> Study:
        say = say_unless(quiet)
        with StepProgress(shown=not quiet) as progress:
            placed = threaded(study, say=say, hear=progress.hear)
            return sized(placed, say=say, hear=progress.hear, sessions=sessions)

    return size


def observer_of(quiet: bool) -> Observer:
    """Return the progress display: a live table on a terminal, lines elsewhere, nothing if quiet."""
    if quiet:
        return Observer()
    if sys.stderr.isatty():
        from igen.cli.live import LiveProgress

        return LiveProgress()
    from igen.cli.plain import PlainProgress

    return PlainProgress()


def _write_junit(result: Result, outcome: Outcome, study: Study, path: Path, asked: Sequence[Check]) -> None:
    """Write all requested checks and other failures; a run that ended early is a failed check."""
    from igen.cli.output import write_junit_file

    failures = [] if study.plan.in_segments else failures_of_load(result)
    why = "it was interrupted" if outcome.interrupted else str(outcome.error or "")
    ended = Check(outcome.run.id, "the run was completed", "failed" if why else "passed", Text(why))
    write_junit_file([ended, *asked, *load_checks(failures)], f"igen run {study.name}", path)


def _show(result: Result, outcome: Outcome, *, report: Path | None, as_json: bool, quiet: bool) -> None:
    from igen.cli.output import print_result, write_report_file

    print_result(result, as_json=as_json)
    if report is None and not (as_json or quiet):
        report = outcome.run.folder / "report.html"
    if report is not None:
        try:
            write_report_file(result, report, [outcome.run])
        except IgenError as error:
            outcome.error = outcome.error or error
            return
        click.echo(f"Report: {report}", err=as_json)
    if not as_json:
        click.echo(f"Run: {outcome.run.id}")
