"""`igen noise plan`: how many repeats a difference needs."""

from __future__ import annotations

from math import log1p, sqrt
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.errors import InputError
from igen.units import counted

if TYPE_CHECKING:
    from igen.judge.figure.noise import MachineNoise


@click.command()
@click.option(
    "--see",
    metavar="SHARE",
    required=True,
    callback=p.share,
    help="The smallest difference that the comparison should show: 2%.",
)
@click.option(
    "--noise",
    metavar="SHARE",
    callback=p.share,
    help="Standard deviation of a run.  [default: as measured by `igen noise measure`]",
)
@click.option(
    "--session-noise",
    metavar="SHARE",
    callback=p.share,
    help="Standard deviation between sessions.  [default: as measured, or 4%]",
)
@click.option(
    "--correlation",
    metavar="R",
    type=click.FloatRange(0, 1, max_open=True),
    help="Correlation of the two runs of a pair.  [default: as measured, or 0]",
)
@click.option(
    "--loads",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of levels of the study.",
)
@click.option(
    "--workload",
    metavar="WORKLOAD",
    default="cpu",
    show_default=True,
    help="Workload whose measured noise is used.",
)
@p.store_option
@p.json_option
def plan(
    see: float,
    noise: float | None,
    session_noise: float | None,
    correlation: float | None,
    loads: int,
    workload: str,
    store: str | None,
    as_json: bool,
) -> None:
    """Compute how many repeats a difference needs.

    With this number of repeats, 4 of 5 studies detect the difference at each load. The error of a report is
    5 %: a single load gets 3 % of it, several loads divide 4 % equally. `igen ab` needs fewer repeats than
    `igen compare`, whose intervals include the noise between sessions; if that noise is too large, no
    number of repeats is enough.

    \b
    Examples:
      igen noise plan --see 2% --noise 2%
      igen noise plan --see 5% --noise 1% --loads 4
    """
    from igen.judge.compare.shares import error_of_load
    from igen.judge.figure.effect import repeats_for
    from igen.judge.figure.interval import ASSUMED_BETWEEN_SESSIONS
    from igen.store.store import Store
    from igen.study.noise import machine_noise

    machine = machine_noise(Store(store).path, workload) if noise is None else None
    deciding = machine.deciding if machine else None
    if noise is None:
        if deciding is None:
            raise InputError(
                "the noise of this machine is unknown",
                where="--noise",
                hint="measure it with `igen noise measure`, or assume a value: --noise 2%",
            )
        noise = deciding.between_runs
    if correlation is None:
        correlation = deciding.correlation if deciding else 0.0
    error = error_of_load(loads)
    effect = log1p(see)
    known = deciding.session_variance if deciding else None
    between = sqrt((known or ASSUMED_BETWEEN_SESSIONS).variance) if session_noise is None else session_noise
    found: dict[str, Any] = {
        "see_percent": 100 * see,
        "noise_percent": 100 * noise,
        "session_noise_percent": 100 * between,
        "session_noise_is_assumed": session_noise is None and known is None,
        "correlation": correlation,
        "error_percent": 100 * error,
        "pairs": repeats_for(effect, noise * sqrt(2 * (1 - correlation)), "pairs", error=error),
        "pairs_until_decided": repeats_for(
            effect, noise * sqrt(2 * (1 - correlation)), "sequence", error=error
        ),
        "stored_runs": repeats_for(
            effect, noise * sqrt(2), "runs", error=error, session_error=sqrt(2) * between
        ),
    }
    if as_json:
        from igen.cli.output import print_json

        print_json(found)
        return
    for line in _lines(found, machine, loads=loads):
        click.echo(line)
    from igen.cli.output import say_next

    if found["pairs"]:
        say_next(f"igen ab {workload} --b SETTINGS --repeats {found['pairs']}")


def _lines(found: dict[str, Any], machine: MachineNoise | None, *, loads: int) -> list[str]:
    from igen.cli.output import aligned
    from igen.study.orders.sweep import MOST_UNTIL_DECIDED

    whose = f", measured by `igen noise` with {machine.workload}" if machine else ""
    noise = f"{found['noise_percent']:.2g} % of noise between runs{whose}"
    asked = f"tested at {found['error_percent']:.2g} % at {'each of ' * (loads > 1)}{counted(loads, 'load')}"
    assumed = ", which is assumed" if found["session_noise_is_assumed"] else ""
    sessions = f"{found['session_noise_percent']:.2g} % between sessions{assumed}"
    until_decided = found["pairs_until_decided"]
    often = ", often fewer"
    if until_decided is None or until_decided > MOST_UNTIL_DECIDED:
        often = f": it stops undecided after {MOST_UNTIL_DECIDED}"
    rows = [
        ["side by side (`igen ab`)", _count(found["pairs"], "pair")],
        ["side by side, --until decided", _count(until_decided, "pair") + often],
        ["stored runs (`igen compare`)", _count(found["stored_runs"], "repeat") + " of each"],
    ]
    return [
        f"A difference of {found['see_percent']:g} % at {noise} and {sessions}: seen in 4 of 5 studies "
        f"({asked}) by",
        *aligned(rows),
    ]


def _count(count: int | None, what: str) -> str:
    return f"no number of {what}s" if count is None else f"{count} {what}s"
