"""`igen publish verify`: compute the figures of a bundle again from its events."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.cli.output import print_json, say_unless, write_report_file
from igen.errors import IgenError
from igen.foreign_text import cleaned
from igen.units import counted

if TYPE_CHECKING:
    from igen.bundle.unpack import Bundle
    from igen.bundle.verify import Difference, Verified

MOST_SHOWN = 40
"""Differences shown on a terminal; JSON has all differences."""
MOST_CHARACTERS = 60
"""Length of a value on a terminal."""


@click.command()
@p.bundle_argument
@p.output_option(required=False)
@p.json_option
@p.quiet_option
def verify(path: Path, output: Path | None, as_json: bool, quiet: bool) -> None:
    """Recompute the figures of a bundle, and compare them.

    BUNDLE is a file written by `igen publish bundle`. If figures differ from the published ones, they are
    printed and the exit code is 1. -o writes a report of the computed figures.

    \b
    Examples:
      igen publish verify shop.igen
      igen publish verify shop.igen -o report.html
    """
    from igen.bundle.unpack import unpack
    from igen.bundle.verify import verify as recompute

    say = say_unless(quiet)
    with TemporaryDirectory(prefix="igen-bundle-") as folder:
        say(f"unpacking {path}")
        bundle = unpack(path, Path(folder))
        executions = sum(len(run.job_paths()) for run in bundle.runs)
        say(f"judging {counted(len(bundle.runs), 'run')} of {counted(executions, 'execution')} again")
        verified = recompute(bundle)
        if output is not None:
            write_report_file(verified.result, output, [])
            click.echo(f"Report: {output}", err=as_json)
    if as_json:
        print_json(_document(bundle, verified))
    else:
        for line in _lines(bundle, verified):
            click.echo(cleaned(" ".join(line.splitlines())))
    if not verified.same:
        raise IgenError(
            f"{counted(len(verified.differences), 'value')} of the published result "
            f"{'differs' if len(verified.differences) == 1 else 'differ'} from the recorded events",
            where=str(path),
            hint=_hint(bundle),
        )


def _hint(bundle: Bundle) -> str:
    from igen.version import VERSION

    if bundle.contents.igen_version != VERSION:
        return f"iGen {bundle.contents.igen_version} judged it, and {VERSION} may use other rules"
    return "ask the publisher"


def _document(bundle: Bundle, verified: Verified) -> dict[str, Any]:
    from dataclasses import asdict

    from igen.version import VERSION

    return {
        "ok": verified.same,
        "bundle": str(bundle.path),
        "sha256": bundle.sha256,
        "runs": bundle.contents.runs,
        "judged_by": bundle.contents.igen_version,
        "recomputed_by": VERSION,
        "executions": verified.executions,
        "numbers": verified.numbers,
        "texts": verified.texts,
        "differences": [asdict(each) for each in verified.differences],
    }


def _lines(bundle: Bundle, verified: Verified) -> list[str]:
    contents = bundle.contents
    figures = f"{counted(verified.numbers, 'number')} and {counted(verified.texts, 'text')}"
    lines = [
        f"{contents.title}: {counted(len(contents.runs), 'run')}, measured and judged with iGen "
        f"{contents.igen_version}",
        f"SHA-256 {bundle.sha256}",
        f"{figures} recomputed from {counted(verified.executions, 'execution')}: "
        + ("all as published" if verified.same else f"{len(verified.differences):,} differ"),
    ]
    shown = verified.differences[:MOST_SHOWN]
    lines += [_line(each) for each in shown]
    if more := len(verified.differences) - len(shown):
        lines.append(f"... and {more:,} more: --json prints all")
    return lines


def _line(each: Difference) -> str:
    return f"  {each.place}: published {_short(each.published)}, recomputed {_short(each.recomputed)}"


def _short(value: Any) -> str:
    from igen.foreign_text import cleaned
    from igen.judge.record.settings import value_text

    text = "nothing" if value is None else " ".join(cleaned(value_text(value)).split())
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
