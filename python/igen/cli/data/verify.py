"""`igen data verify`: check the data that earlier runs loaded or wrote."""

from __future__ import annotations

from typing import Any

import click

from igen.cli import parameters as p
from igen.cli.workload_help import WorkloadCommand


@click.command(cls=WorkloadCommand)
@p.workload_argument
@p.target_option
@p.set_option
@p.force_option
@p.own_data_option
@p.json_option
@p.quiet_option
def verify(as_json: bool, quiet: bool, **flags: Any) -> None:
    """Check that the data of a workload are complete.

    A database must have its tables and rows. A file or device that was written with --set verify=true is read
    from start to end, and each block must hold the data that was written last. After a power cut only flushed
    blocks must be there: --set after=power_cut.

    \b
    Examples:
      igen data verify oltp --target sqlite:///shop.db
      igen data verify io --target file:///data/f
      igen data verify io --target file:///data/f --set after=power_cut --json
    """
    from igen.cli.output import print_json
    from igen.cli.step import checked_step, facts_and_error

    job = checked_step("verify", **flags)
    facts, error = facts_and_error(job, quiet=quiet)
    if as_json:
        print_json({"ok": error is None, "error": error and error.text, "facts": facts})
    elif error is None:
        for line in _lines(facts):
            click.echo(line)
    if error is not None:
        raise error


def _lines(facts: dict[str, Any]) -> list[str]:
    """Return the result, a line for each target."""
    from igen.facts import IO_VERIFIED

    verified = facts.get(IO_VERIFIED, [])
    return [
        f"{each['target']}: {each['blocks']:,} blocks: {each['right']:,} as written, {_others(each)}"
        for each in verified
    ] or ["no errors found"]


def _others(found: dict[str, Any]) -> str:
    others = [f"{found['unclaimed']:,} never written"]
    if found["unflushed"] or found["expectation"] == "durable":
        others.append(f"{found['unflushed']:,} not flushed and older")
    return ", ".join(others)
