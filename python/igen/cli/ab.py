"""`igen ab`: two systems side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.ask.asked import Asked
from igen.cli import parameters as p
from igen.cli.load_flags import without_yielding
from igen.cli.load_options import asked_options
from igen.cli.telemetry import Telemetry, telemetry_options
from igen.errors import IgenError, InputError

if TYPE_CHECKING:
    from igen.study.plan import Repeats


@click.command()
@click.argument("words", metavar="WORKLOAD|STUDY|A B", nargs=-1, required=True)
@click.option("--a", "a", metavar="SETTINGS", default="", help="Settings of the base: 'synchronous=full'.")
@click.option("--b", "b", metavar="SETTINGS", help="Settings of the other system: 'synchronous=off'.")
@asked_options("load")
@click.option("--repeats", metavar="N", callback=p.repeats, help="Pairs at each level.  [default: 5]")
@click.option(
    "--until", type=click.Choice(["decided"]), help="Continue until the answer is clear, up to 50 pairs."
)
@p.margin_option
@p.fail_if_slower_option
@p.strict_option
@p.store_option
@p.report_option
@p.junit_option
@telemetry_options
@p.json_option
@p.quiet_option
def ab(
    words: tuple[str, ...],
    a: str,
    b: str | None,
    repeats: int | str | None,
    until: str | None,
    margin: float | None,
    fail_if_slower: float | None,
    strict: bool,
    store: str | None,
    report: Path | None,
    junit: Path | None,
    telemetry: Telemetry,
    as_json: bool,
    quiet: bool,
    **flags: Any,
) -> int:
    """Measure which of two systems is faster.

    The systems are one workload or study (TOML) with two settings, or two programs A and B as typed into a
    shell. SETTINGS are parameters of the workload, a `target=URL`, or fields of the job such as
    `placement.thread.pin=true`, separated by spaces. At each level both systems run next to each other in
    balanced order and with the same random numbers, and are compared as pairs. --until decided stops as soon
    as the answer is clear.

    The exit code is 1 if the load failed, if a level crosses a threshold of --fail-if, or if --fail-if-slower
    is given and the runs do not prove that B is fast enough. `igen compare` reads runs that were recorded
    before.

    \b
    Examples:
      igen ab './old' './new'
      igen ab oltp --a synchronous=full --b synchronous=normal --users 1,4
      igen ab studies/cpu.toml --b placement.thread.pin=true --until decided
      igen ab oltp --a target=sqlite:///fast/a.db --b target=sqlite:///slow/a.db
      igen ab http --a target=http://old:8080/ --b target=http://new:8080/ --rate 500 --fail-if-slower 5%
    """
    from igen.cli.conduct import conduct
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.side_by_side import plan_of, sides_of, with_sides
    from igen.cli.suggest import with_suggestion
    from igen.study.plan import DEFAULT_REPEATS

    if until and repeats is not None:
        raise InputError("cannot be combined with --until", where="--repeats", hint="remove one of them")
    if repeats == "auto":
        raise InputError(
            "`auto` works for a single system only", where="--repeats", hint="use --until decided"
        )
    name, sides = sides_of(words, a, b, flags["params"])
    count: Repeats = "decided" if until else int(repeats or DEFAULT_REPEATS)
    workload = ""
    try:
        plan = plan_of(name, Asked(**without_yielding(flags)))
        workload = str(plan.job.get("workload", ""))
        return conduct(
            with_sides(plan, sides, count, margin),
            store=store,
            report=report,
            junit=junit,
            as_json=as_json,
            quiet=quiet,
            strict=strict,
            slower_margin=fail_if_slower,
            telemetry=telemetry,
        )
    except IgenError as error:
        raise in_terms_of_flags(with_suggestion(error, workload)) from error
