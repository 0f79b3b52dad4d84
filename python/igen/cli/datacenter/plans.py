"""Plans of data centers: racks, kilowatts and money for a demand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from igen.cli import parameters as p
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.datacenter.estimated import Estimated
    from igen.datacenter.plan import Plan
    from igen.judge.curve.laws.curve import ScalingCurve


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@p.output_option(required=False)
@p.store_option
@p.json_option
def plan(file: Path, output: Path | None, store: str | None, as_json: bool) -> None:
    """Compute the machines, racks and costs for a demand.

    FILE (TOML) holds the systems with their measured curves, the demand, the room, the machines of today
    and the options. Each number names its source; results that depend on a guess are marked. Every answer
    is a range.

    \b
    Examples:
      igen datacenter plan consolidate.toml
      igen datacenter plan consolidate.toml -o report.html
      igen datacenter plan consolidate.toml --json
    """
    from igen.report.datacenter import datacenter_page, datacenter_summary

    estimated = _estimated(file, store)
    if output is not None:
        from igen.report.write import write_document

        write_document(datacenter_page(estimated), output)
    if as_json:
        from igen.cli.output import print_json

        print_json(estimated)
    else:
        from igen.report.printers.terminal import Terminal, print_text

        click.echo(print_text(datacenter_summary(estimated), Terminal.detect()), nl=False)
    if output is not None:
        click.echo(f"Report: {output}", err=as_json)


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@p.store_option
@p.json_option
def compare(files: tuple[Path, ...], store: str | None, as_json: bool) -> None:
    """Compare several plans.

    Each option is compared with the first option of the first FILE. Numbers with the same name get the same
    random values in each plan.
    `~` means that the draws do not show a difference.

    \b
    Examples:
      igen datacenter compare blades.toml racks.toml
      igen datacenter compare this-year.toml next-year.toml --json
    """
    from igen.datacenter.side_by_side import cannot_serve, compare_plans
    from igen.datacenter.wording import side_by_side_table

    if len(files) < 2:
        raise InputError(
            "name at least two plans", where="FILE", hint="`igen datacenter plan` reads a single plan"
        )
    plans = [_read(file, store) for file in files]
    found = compare_plans(plans)
    for sentence in cannot_serve(plans):
        click.echo(f"igen: warning: {sentence}", err=True)
    if as_json:
        from igen.cli.output import print_json

        print_json(found)
        return
    from igen.report.printers.terminal import Terminal, draw

    click.echo("\n".join(draw(side_by_side_table(found), Terminal.detect())))


@click.command("from-run")
@p.runs_argument
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="File to write."
)
@p.store_option
def from_run(references: tuple[str, ...], output: Path | None, store: str | None) -> None:
    """Write a plan from recorded runs.

    Unknown numbers are marked. Without RUN the last run is used.

    \b
    Examples:
      igen datacenter from-run last -o plan.toml
      igen datacenter from-run before after > plan.toml
    """
    from igen.store.store import Store
    from igen.workbench.plan_of_runs import plan_of_runs

    text = plan_of_runs([Store(store).find(reference) for reference in references or ("last",)])
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    click.echo(f"Plan: {output}")


def _estimated(file: Path, store: str | None) -> Estimated:
    from igen.datacenter.estimate import estimate

    return estimate(_read(file, store))


def _read(file: Path, store: str | None) -> Plan:
    from igen.datacenter.plan_file import read_plan
    from igen.reference.load import reference_names

    def curve_of_run(reference: str) -> ScalingCurve:
        from igen.judge.curve.laws.curve import curve_of
        from igen.store.store import Store
        from igen.study.results import read_systems

        return curve_of(read_systems(Store(store).find(reference))[0])

    return read_plan(file, reference_names(), curve_of_run)
