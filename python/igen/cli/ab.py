"""`igen ab`: two systems side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.errors import IgenError, InputError

if TYPE_CHECKING:
    from igen.study.plan import Repeats


@click.command()
@click.argument("study")
@click.option("--a", "a", metavar="SETTINGS", default="", help="The base: 'synchronous=full'.")
@click.option("--b", "b", metavar="SETTINGS", required=True, help="What differs: 'synchronous=off'.")
@p.target_option
@click.option("--users", metavar="N,N,...", callback=p.users, help="Levels: concurrent users.")
@click.option("--duration", metavar="TIME", callback=p.duration, help="Length of each measurement.")
@click.option("--repeats", metavar="N", callback=p.repeats, help="Pairs at each level.  [default: 5]")
@click.option(
    "--until", type=click.Choice(["decided"]), help="Go on until the answer is clear, 50 pairs at most."
)
@p.margin_option
@click.option("--seed", metavar="N", type=int, help="Of what users draw.  [default: another in each study]")
@p.set_option
@p.store_option
@p.report_option
@p.json_option
@p.quiet_option
def ab(
    study: str,
    a: str,
    b: str,
    targets: tuple[str, ...],
    users: list[int],
    duration: str | None,
    repeats: int | str | None,
    until: str | None,
    margin: float | None,
    seed: int | None,
    params: dict[str, Any],
    store: str | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Measure two systems side by side.

    STUDY is a file (TOML) or a workload. At each level the executions of both stand beside each other in
    random order, with the same random numbers, and are compared as pairs. SETTINGS are parameters of
    the workload, a `target=URL`, or fields of the job such as `placement.thread.pin=true`; several are
    separated by spaces. With --until decided one may look as often as one likes: the intervals hold at
    every look.

    \b
    Examples:
      igen ab oltp --a synchronous=full --b synchronous=normal --users 1,4
      igen ab studies/cpu.toml --b placement.thread.pin=true --until decided
      igen ab oltp --a target=sqlite:///fast/a.db --b target=sqlite:///slow/a.db
    """
    from igen.cli.conduct import conduct
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.side_by_side import plan_of, with_systems
    from igen.cli.suggest import with_suggestion
    from igen.study.plan import DEFAULT_REPEATS

    if until and repeats is not None:
        raise InputError("does not go with --until", where="--repeats", hint="leave one of them out")
    if repeats == "auto":
        raise InputError("`auto` is for single systems", where="--repeats", hint="use --until decided")
    if a.split() == b.split():
        raise InputError(
            "both sides are the same", where="--b", hint="`igen aa` measures the noise of one system"
        )
    plan = plan_of(study, targets=targets, users=users, duration=duration, params=params, seed=seed)
    count: Repeats = "decided" if until else int(repeats or DEFAULT_REPEATS)
    plan = with_systems(plan, [("a", a), ("b", b)], count, margin)
    try:
        return conduct(plan, store=store, report=report, as_json=as_json, quiet=quiet)
    except IgenError as error:
        raise in_terms_of_flags(with_suggestion(error, str(plan.job.get("workload", "")))) from error
