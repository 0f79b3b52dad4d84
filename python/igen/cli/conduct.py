"""Runs a study for the command line: progress while it goes, then the result and the report."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from igen.analysis.result import Result
from igen.cli.bulk_load import bulk_load_targets
from igen.cli.output import say_unless
from igen.cli.private_instance import in_terms_of_instance, with_target
from igen.errors import IgenError, Interrupted
from igen.fleet.agent import Agent
from igen.store.run import Run
from igen.store.store import Store
from igen.study.observer import Observer
from igen.study.results import read_result
from igen.study.runner import Outcome, run_study
from igen.study.study import Study


def conduct(
    study: Study,
    *,
    store: str | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    begun: Run | None = None,
) -> int:
    """Runs the study, shows what came of it and returns the exit code; raises what is to be read last.

    With a run that was `begun` earlier it goes on.
    """
    say = say_unless(quiet)
    with with_target(study, say) as placed:
        bulk_load_targets(placed, say)
        outcome = run_study(placed, Agent(), Store(store), _observer(quiet), begun)
    result = read_result([outcome.run]) if outcome.measured else None
    if result is not None:
        _show(result, outcome, report=report, as_json=as_json, quiet=quiet)
    levels = [level for system in result.systems for level in system.levels] if result else []
    if outcome.interrupted:
        measured = any(level.transactions + level.errors for level in levels)
        raise _interrupted(outcome, measured, study)
    if outcome.error is not None:
        raise in_terms_of_instance(outcome.error, study)
    if levels and all(level.verdict == "INVALID" for level in levels):
        raise IgenError("no level is valid", hint=f"`igen show {outcome.run.id}` tells the reasons")
    return 0


def _interrupted(outcome: Outcome, measured: bool, study: Study) -> Interrupted:
    """What the user reads last after Ctrl-C; what failed before is told too, as `--quiet` hid it."""
    kept = "; what was measured is kept" if measured else " before anything was measured"
    error = outcome.error
    failed = f"; before that: {f'{error.where}: ' if error.where else ''}{error.text}" if error else ""
    hint = f"`igen show {outcome.run.id}` shows it" if measured else ""
    if study.torture_s is not None:
        hint = f"`igen run {study.job['workload']} --resume {outcome.run.id}` goes on"
    return Interrupted(f"interrupted{kept}{failed}", hint=hint)


def _observer(quiet: bool) -> Observer:
    if quiet:
        return Observer()
    if sys.stderr.isatty():
        from igen.cli.live import LiveProgress

        return LiveProgress()
    from igen.cli.plain import PlainProgress

    return PlainProgress()


def _show(result: Result, outcome: Outcome, *, report: Path | None, as_json: bool, quiet: bool) -> None:
    from igen.cli.output import print_result_json, write_report_file

    if as_json:
        print_result_json(result)
    else:
        from igen.report.text import summary_text

        click.echo(summary_text(result))
    if report is None and not (as_json or quiet):
        report = outcome.run.folder / "report.html"
    if report is not None:
        try:
            write_report_file(result, report)
        except IgenError as error:
            outcome.error = outcome.error or error
            return
        click.echo(f"Report: {report}", err=as_json)
    if not as_json:
        click.echo(f"Run: {outcome.run.id}")
