"""A single step of a workload, such as loading its database, without a measurement or a recording."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Self

import click

from igen.cli.how_far import how_far
from igen.cli.output import say_unless
from igen.errors import IgenError
from igen.workbench.step import do_step, step_job


def run_step(
    step: str,
    *,
    workload: str,
    targets: Sequence[str],
    params: dict[str, Any],
    force: bool,
    quiet: bool,
    i_own_this_data: bool = False,
) -> None:
    """Run a step of a workload in the agent, with a progress bar unless quiet."""
    job = checked_step(
        step,
        workload=workload,
        targets=targets,
        params=params,
        force=force,
        i_own_this_data=i_own_this_data,
    )
    _, error = facts_and_error(job, quiet=quiet)
    if error is not None:
        raise error


def facts_and_error(job: dict[str, Any], *, quiet: bool) -> tuple[dict[str, Any], IgenError | None]:
    """Run the job of a step in the agent; return its facts and its error. Raises `Interrupted`."""
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.suggest import with_suggestion

    with StepProgress(shown=not quiet) as progress:
        facts, error = do_step(job, say=say_unless(quiet), hear=progress.hear)
    return facts, error and in_terms_of_flags(with_suggestion(error, job["workload"]))


def checked_step(step: str, **asked: Any) -> dict[str, Any]:
    """Return the job of a step, checked by the agent without any connection."""
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.suggest import with_suggestion

    try:
        return step_job(step, **asked)
    except IgenError as error:
        raise in_terms_of_flags(with_suggestion(error, asked["workload"])) from error


class StepProgress:
    """Progress of a step on standard error."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._live = shown and sys.stderr.isatty()
        self._open = False
        """True if a line was started and not ended; without a known total it never ends."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_line()

    def _end_line(self) -> None:
        if self._open:
            click.echo(err=True)
        self._open = False

    def hear(self, event: dict[str, Any]) -> None:
        """Print warnings and progress: continuously on a terminal, only the end elsewhere."""
        if "warning" in event:
            self._end_line()
            click.echo(f"igen: warning: {event['warning']['text']}", err=True)
        progress = event.get("progress")
        if not progress or not self._shown:
            return
        done, total, text = progress["done"], progress["total"], how_far(progress)
        ended = 0 < total <= done
        if self._live:
            filled = 30 * done // total if total else 0
            click.echo(f"\r[{'#' * filled:30}] {text}\x1b[K" + ("\n" if ended else ""), err=True, nl=False)
            self._open = not ended
        elif ended:
            click.echo(text, err=True)
