"""`igen publish bundle`: runs as one file that others can check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from igen.cli import parameters as p
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.store.run import Run


@click.command()
@p.runs_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Bundle to write, such as shop.igen.",
)
@p.force_option
@p.store_option
@p.json_option
@p.quiet_option
def bundle(
    references: tuple[str, ...], output: Path, force: bool, store: str | None, as_json: bool, quiet: bool
) -> None:
    """Pack runs into a file that others can check.

    A bundle holds all events, jobs and facts of the runs, and the result. `igen publish verify FILE` computes
    the result again, `igen publish reproduce FILE` measures it again. Without RUN the last run is packed;
    two or more runs are compared. A bundle contains the names of hosts, targets and paths. iGen refuses to
    pack anything that looks like a secret.

    \b
    Examples:
      igen publish bundle last -o shop.igen
      igen publish bundle before after -o comparison.igen
    """
    from igen.bundle.pack import members_of, pack
    from igen.cli.output import print_json, say_next
    from igen.facts import HOST_NAME
    from igen.store.store import Store
    from igen.study.noise import host_name
    from igen.study.results import read_result
    from igen.units import counted, format_bytes

    runs = [Store(store).find(reference) for reference in references or ("last",)]
    _check_ended(runs)
    members = members_of(runs)
    total = sum(path.stat().st_size for path in members.values())
    result = read_result(runs)
    with click.progressbar(length=total, label="packing", file=sys.stderr, hidden=quiet) as shown:
        sha256 = pack(runs, result, output, host=host_name(), force=force, told=shown.update)
    hosts = sorted({str(system.facts.get(HOST_NAME, "")) for system in result.systems} - {""})
    targets = sorted({target for system in result.systems for target in system.targets})
    size_bytes, ids = output.stat().st_size, [run.id for run in runs]
    if as_json:
        told = {"bundle": str(output), "bytes": size_bytes, "sha256": sha256, "runs": ids}
        print_json(told | {"hosts": hosts, "targets": targets})
        return
    executions = sum(len(run.job_paths()) for run in runs)
    holds = f"{counted(len(runs), 'run')}, {counted(executions, 'execution')}"
    click.echo(f"Bundle: {output}, {format_bytes(size_bytes)}: {holds}")
    click.echo(f"SHA-256: {sha256}")
    if hosts or targets:
        click.echo(f"The bundle contains these names: {', '.join([*hosts, *targets])}.", err=True)
    say_next(f"igen publish verify {output}", f"igen publish reproduce {output}", quiet=quiet)


def _check_ended(runs: list[Run]) -> None:
    """Raise `InputError` for a run that has not ended."""
    from igen.store.active import active_runs

    for run in runs:
        if run.id in active_runs(run.folder.parent):
            raise InputError(
                f"{run.id} is still running",
                where="RUN",
                hint="wait until it has ended, or stop it with `igen stop`",
            )
