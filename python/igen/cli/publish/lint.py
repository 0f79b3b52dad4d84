"""`igen publish lint`: check a result for common benchmarking mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from igen.cli import parameters as p
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.aspects.published.reference import PublishedResults
    from igen.judge.result import Result
    from igen.lint.finding import Doubt

REFERENCE = "reference"
"""Name of the published results that are part of iGen."""


@click.command()
@click.argument("references", metavar="RUN|STUDY|FILE|reference...", nargs=-1)
@p.store_option
@p.json_option
def lint(references: tuple[str, ...], store: str | None, as_json: bool) -> None:
    """Check a result for common benchmarking mistakes.

    Checks a run or a comparison of runs, a study or published results (.toml), a bundle (.igen), or the
    published results of iGen itself (`reference`). Each finding has its reason and a remedy. Checks that miss
    a fact are listed as unknown. Without an argument the last run is checked.

    \b
    Examples:
      igen publish lint last
      igen publish lint before after
      igen publish lint studies/cpu.toml
      igen publish lint reference --json
    """
    from igen.cli.output import print_json
    from igen.printed import printed
    from igen.say import advise, say

    found, unknown = _found(references or ("last",), store)
    advice = [(each, advise(each.finding)) for each in found]
    if as_json:
        words = [
            {
                **_about(each),
                "found": printed(of.found),
                "matters": printed(of.why),
                "remedy": printed(of.remedy),
            }
            for each, of in advice
        ]
        missing = [{**_about(each), "why": printed(say(each.finding))} for each in unknown]
        print_json({"findings": words, "not_known": missing})
        return
    for each, of in advice:
        click.echo(f"{each.subject}: {_who(each)}{printed(of.found)}")
        click.echo(f"  why: {printed(of.why)}")
        click.echo(f"  do:  {printed(of.remedy)}")
    for each in unknown:
        click.echo(f"{each.subject}: {_who(each)}unknown: {printed(say(each.finding))}")
    if not (found or unknown):
        click.echo("no mistakes found")


def _about(each: Doubt) -> dict[str, object]:
    return {"rule": each.finding.rule, "subject": each.subject, "of": each.of}


def _who(each: Doubt) -> str:
    return f"{', '.join(each.of)}: " if each.of else ""


def _found(references: Sequence[str], store: str | None) -> tuple[list[Doubt], list[Doubt]]:
    first, *others = references
    if first == REFERENCE and not others:
        from igen.reference.load import load_reference, reference_names

        return [each for name in reference_names() for each in _published(load_reference(name), name)], []
    if first.endswith((".toml", ".igen")) or Path(first).is_file():
        if others:
            raise InputError(
                "must be the only argument", where=first, hint="run the command once for each file"
            )
        return _of_file(Path(first))
    from igen.store.store import Store
    from igen.study.results import read_result

    return _of_result(read_result([Store(store).find(each) for each in references]))


def _of_result(result: Result) -> tuple[list[Doubt], list[Doubt]]:
    from igen.lint.checks import findings, not_known

    return findings(result), not_known(result)


def _of_file(path: Path) -> tuple[list[Doubt], list[Doubt]]:
    if path.suffix != ".toml":
        from igen.bundle.foreign import runs_of
        from igen.bundle.unpack import unpack
        from igen.study.results import read_result

        with TemporaryDirectory(prefix="igen-bundle-") as folder:
            bundle = unpack(path, Path(folder))
            with runs_of(path):
                return _of_result(read_result(bundle.runs, host=bundle.contents.host))
    from igen.reference.load import read_published
    from igen.study.lint import study_findings
    from igen.study.study import load_study

    published = read_published(path)
    if published is not None:
        return _published(published, path.stem), []
    return study_findings(load_study(path)), []


def _published(published: PublishedResults, name: str) -> list[Doubt]:
    from dataclasses import replace

    from igen.lint.published import published_findings

    return [replace(each, of=(name, *each.of)) for each in published_findings(published)]
