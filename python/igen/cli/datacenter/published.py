"""`igen datacenter published`: own results of a workload next to published results."""

from __future__ import annotations

import click

from igen.cli import parameters as p
from igen.errors import InputError

MOST_RUNS = 10
"""Runs to read, the newest ones; older runs are only counted."""


@click.command()
@p.workload_argument
@p.store_option
@p.json_option
def published(workload: str, store: str | None, as_json: bool) -> None:
    """Compare own results with published ones.

    Prints rates and users, also per watt, rack unit, core and chip if these are known, and the ratio of
    the newest own result to each other result. iGen recomputes published tables and names their
    contradictions.

    \b
    Examples:
      igen datacenter published web
      igen datacenter published ldap-search --json
    """
    from igen.aspects.published.landscape import (
        landscape_contradictions,
        own_level,
        own_standing,
        published_standings,
        ratio_to,
    )
    from igen.aspects.published.landscape_document import Landscape, Row, landscape_document
    from igen.reference.load import load_reference, reference_names
    from igen.store.store import Store
    from igen.study.results import read_systems

    sets = {name: load_reference(name) for name in reference_names()}
    shelf = Store(store)
    runs = [row.run for row in shelf.list_runs() if row.workload == workload and row.measured]
    read = [system for run in reversed(runs[-MOST_RUNS:]) for system in read_systems(shelf.find(run))]
    own = [(system, standing) for system in read if (standing := own_standing(system)) is not None]
    known = [*published_standings(workload, sets)]
    if not own and not known:
        hint = f"`igen run {workload}` measures it; `igen list workloads` lists other workloads"
        raise InputError(f"no own or published results of `{workload}`", where="WORKLOAD", hint=hint)
    newest = own[0][0] if own else None
    rows = [
        Row.of(
            standing,
            ratio_to(newest, standing, own_level(system)) if newest and system is not newest else None,
        )
        for system, standing in own
    ]
    rows += [Row.of(standing, ratio_to(newest, standing) if newest else None) for standing in known]
    found = Landscape(
        workload=workload, rows=rows, contradictions=[*landscape_contradictions(workload, sets)]
    )
    if as_json:
        from igen.cli.output import print_json

        print_json(found)
        return
    from igen.report.printers.terminal import Terminal, print_text

    click.echo(print_text(landscape_document(found), Terminal.detect()), nl=False)
    if len(runs) > MOST_RUNS:
        click.echo(f"{len(runs) - MOST_RUNS} older runs are left out", err=True)
