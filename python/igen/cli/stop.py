"""`igen stop`: stop a run and keep its results."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@p.run_argument
@p.store_option
@p.quiet_option
def stop(reference: str, store: str | None, quiet: bool) -> None:
    """Stop a run and keep its results.

    The run ends as with Ctrl-C: all complete measurements are kept and judged. RUN is an active run on
    this machine, started from a terminal, a program or the queue; it is named as in `igen show`. The
    command returns when the run has ended. A second `igen stop` ends the run at once.

    \b
    Examples:
      igen stop last
      igen stop 20260921-1404
    """
    from igen.cli.output import say_next
    from igen.store.store import Store
    from igen.workbench.stop import stop as stop_run

    run = stop_run(reference, Store(store))
    click.echo(f"Stopped {run.id}.")
    say_next(f"igen show {run.id}", quiet=quiet)
