"""`igen study init`: a new study for a workload, with comments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from igen.ask import kinds
from igen.ask.asked import QUESTIONS, Asked
from igen.ask.study_kind import KINDS
from igen.cli import parameters as p
from igen.errors import IgenError

_HINT = "choose another file with -o, or remove this one"


@click.command()
@p.workload_argument
@click.option(
    "--question", "kind", type=click.Choice([*KINDS]), default=next(iter(KINDS)), show_default=True,
    help=f"{' '.join(f'{name}: {each.question}' for name, each in KINDS.items())}",
)  # fmt: skip
@p.target_option
@click.option(
    "--set", "params", metavar=QUESTIONS["params"].metavar, multiple=True, callback=p.reading(kinds.settings),
    shell_complete=p.settings_at_hand, help=QUESTIONS["params"].help,
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="Study to write.  [default: WORKLOAD.toml]",
)  # fmt: skip
@p.json_option
def init(
    workload: str,
    kind: str,
    targets: list[str] | None,
    params: dict[str, Any],
    output: Path | None,
    as_json: bool,
) -> None:
    """Write a commented study for a workload.

    The study lists the parameters of WORKLOAD with their defaults. iGen checks it as `igen study check` does
    before it writes it. A file that exists is not replaced.

    \b
    Examples:
      igen study init oltp
      igen study init bank --question compare -o commits.toml
      igen study init io --target file:///data/f --set read=70
      igen study init command --set run='./sort big.txt'
    """
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.new_file import refuse_existing, write_new
    from igen.cli.output import print_json, say_next
    from igen.cli.suggest import with_suggestion
    from igen.workbench.new_study import checked_text

    file = output or Path(f"{workload}.toml")
    refuse_existing(file, _HINT)
    try:
        text = checked_text(KINDS[kind], workload, Asked(targets=targets, params=params), file)
    except IgenError as error:
        raise in_terms_of_flags(with_suggestion(error, workload)) from error
    write_new(file, text, _HINT)
    commands = [f"igen study check {file}", f"igen study run {file}"]
    if as_json:
        print_json({"file": str(file), "workload": workload, "question": kind, "next": commands})
    else:
        click.echo(f"{file}: {KINDS[kind].question}")
    say_next(*commands[:1], quiet=as_json)
