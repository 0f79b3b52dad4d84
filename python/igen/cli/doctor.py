"""`igen doctor`: check if this machine is ready to measure."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@p.store_option
@p.json_option
def doctor(store: str | None, as_json: bool) -> None:
    """Check if this machine is ready to measure.

    Prints each problem with its effect on measurements and a remedy. The command changes nothing, and you can
    measure on such a machine: the exit code is 0.

    \b
    Examples:
      igen doctor
      igen doctor --json
    """
    from igen.cli.output import print_json
    from igen.doctor.checks import CHECKS, findings
    from igen.doctor.machine import this_machine
    from igen.printed import printed
    from igen.say import advise
    from igen.store.store import Store
    from igen.units import counted

    found = [
        (subject, each.rule, advise(each)) for subject, each in findings(this_machine(Store(store).path))
    ]
    if as_json:
        print_json(
            [
                {"rule": rule, "subject": subject}
                | {"found": printed(of.found), "costs": printed(of.why), "remedy": printed(of.remedy)}
                for subject, rule, of in found
            ]
        )
        return
    for subject, _, of in found:
        click.echo(f"{subject}: {printed(of.found)}")
        click.echo(f"  costs: {printed(of.why)}")
        click.echo(f"  remedy: {printed(of.remedy)}")
    click.echo(f"{len(found)} of {counted(len(CHECKS), 'subject')} could be better")
