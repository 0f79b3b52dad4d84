"""`igen verify`: read what earlier runs have written, or published, and tell what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from igen.cli import parameters as p
from igen.cli.workload_help import WorkloadCommand
from igen.errors import InputError


@click.command(cls=WorkloadCommand)
@p.workload_or_bundle_argument
@p.target_option
@p.set_option
@p.force_option
@p.own_data_option
@p.output_option(required=False)
@p.json_option
@p.quiet_option
def verify(output: Path | None, as_json: bool, quiet: bool, **flags: Any) -> None:
    """Check what is loaded, or what a bundle says.

    A database must have its tables and rows; storage that was written with --set verify=true is read from
    begin to end, and each block must be the one that was written last. After a power cut only what was
    flushed must be there: --set after=power_cut.

    A BUNDLE is a file of `igen bundle`, whose name has a dot or a slash: all figures of its report are
    computed again from its events, and those that differ are named (exit code 1). -o writes the report of
    what was computed.

    \b
    Examples:
      igen verify oltp --target sqlite:///shop.db
      igen verify io --target file:///data/f
      igen verify io --target file:///data/f --set after=power_cut --json
      igen verify shop.igen -o report.html
    """
    if is_file_name(flags["workload"]):
        given = [name for name, flag in _OF_WORKLOADS.items() if flags[flag]]
        if given:
            raise InputError("does not go with a bundle", where=given[0], hint="leave it out")
        from igen.cli.verify_bundle import verify_bundle

        verify_bundle(Path(flags["workload"]), output=output, as_json=as_json, quiet=quiet)
        return
    if output is not None:
        hint = "such as: igen verify shop.igen -o report.html"
        raise InputError("goes with a bundle only", where="-o", hint=hint)
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


_OF_WORKLOADS = {
    "--target": "targets",
    "--set": "params",
    "--force": "force",
    "--i-own-this-data": "i_own_this_data",
}
"""Options that mean nothing of a bundle."""


def is_file_name(name: str) -> bool:
    """Whether it is the name of a file: no workload's has a dot or a slash."""
    return "." in name or "/" in name


def _lines(facts: dict[str, Any]) -> list[str]:
    """What was found, a line for each target."""
    from igen.facts import IO_VERIFIED

    verified = facts.get(IO_VERIFIED, [])
    return [
        f"{each['target']}: {each['blocks']:,} blocks: {each['right']:,} as written, {_others(each)}"
        for each in verified
    ] or ["all is as it should be"]


def _others(found: dict[str, Any]) -> str:
    others = [f"{found['unclaimed']:,} never written"]
    if found["unflushed"] or found["expectation"] == "durable":
        others.append(f"{found['unflushed']:,} not flushed and older")
    return ", ".join(others)
