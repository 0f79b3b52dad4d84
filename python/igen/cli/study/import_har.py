"""`igen study import`: a browser recording becomes a scenario."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from igen.cli import parameters as p
from igen.foreign_text import cleaned

if TYPE_CHECKING:
    from igen.har.convert import Converted
    from igen.har.play import Difference

_EDITED = "it may have been edited; --force replaces it"


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), required=True,
    help="Scenario to write (TOML).",
)  # fmt: skip
@click.option(
    "--host", "hosts", metavar="NAME", multiple=True,
    help="Another host that is part of the application; may be repeated.",
)  # fmt: skip
@click.option(
    "--think", type=click.Choice(["recorded", "none"]), default="recorded", show_default=True,
    help="Think time before each page: as recorded, or none.",
)  # fmt: skip
@click.option(
    "--target", metavar="URL", help="Target of the load, for requests that contain the name of their host."
)
@click.option(
    "--try", "tried", metavar="URL",
    help="Play the scenario once with one user, and report the first answer that differs from the recording.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace the scenario if it exists.")
@p.json_option
def import_har(
    file: Path,
    output: Path,
    hosts: tuple[str, ...],
    think: Literal["recorded", "none"],
    target: str | None,
    tried: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Turn a browser recording into a scenario.

    FILE is a HAR file of at most 1 GiB; browsers export it in their developer tools. Pages, requests and
    embedded resources become pages of the scenario. Values that an answer contained become variables. A
    secret becomes a name, and the load reads the secret from the environment. Comments in the scenario mark
    the places that you should check.

    \b
    Examples:
      igen study import shop.har -o shop.toml
      igen study import shop.har -o shop.toml --host api.shop.lab --try http://shop.lab
    """
    from igen.cli.new_file import refuse_existing, write_new
    from igen.cli.output import print_json, say_next
    from igen.har.convert import Options, convert
    from igen.har.play import origin_of, play

    if not force:
        refuse_existing(output, _EDITED)
    goal = tried or target
    origin = origin_of(goal, "--try" if tried else "--target") if goal else None
    converted = convert(file, Options(hosts, think, origin))
    difference = play(converted, tried) if tried else None
    write_new(output, converted.text, _EDITED, replace=force)
    if as_json:
        print_json(_document(converted, output, difference, tried=tried is not None))
    else:
        _print(converted, output, difference, tried)
    if difference is None:
        goal = shlex.quote(tried or target or "URL")
        say_next(f"igen run web --target {goal} --set scenario=@{output}", quiet=as_json)
    return 1 if difference else 0


def _print(converted: Converted, output: Path, difference: Difference | None, tried: str | None) -> None:
    """What was made of it, and what is left to do."""
    _say(f"{output}: {converted.summary}")
    if converted.left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in converted.left_out.most_common())
        _say(f"  left out: {reasons}")
    if converted.other_hosts:
        hosts = ", ".join(f"{count} of {name}" for name, count in converted.other_hosts.most_common(5))
        more = f" and {len(converted.other_hosts) - 5} more" if len(converted.other_hosts) > 5 else ""
        _say(f"  other hosts than {converted.host}: {hosts}{more} (--host takes one for a part of it)")
    for secret in converted.secrets:
        _say(f"  secret: {secret.variable}, in {secret.where}")
    for remark in converted.look_at:
        _say(f"  look at: {remark}")
    for note in converted.notes:
        _say(f"  note: {note}")
    if difference:
        _say(f"  first difference: {difference.text}")
    elif tried:
        _say(f"  played once at {tried}: all {converted.requests} requests are answered as recorded")


def _say(text: str) -> None:
    """Prints a line; what a recording holds may be meant for the terminal."""
    click.echo(cleaned(text))


def _document(
    converted: Converted, output: Path, difference: Difference | None, *, tried: bool
) -> dict[str, Any]:
    """The same for programs."""
    return {
        "scenario": str(output),
        "host": converted.host,
        "requests": converted.requests,
        "resources": converted.resources,
        "pages": converted.pages,
        "extracted": converted.extracted,
        "look_at": converted.look_at,
        "secrets": [
            {"name": each.name, "variable": each.variable, "where": each.where} for each in converted.secrets
        ],
        "left_out": dict(converted.left_out),
        "other_hosts": dict(converted.other_hosts),
        "notes": converted.notes,
        "played": tried,
        "first_difference": None if difference is None else difference.text,
    }
