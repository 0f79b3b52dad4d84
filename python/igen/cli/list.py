"""`igen list`: what there is."""

from __future__ import annotations

from typing import Any

import click

from igen.cli import parameters as p
from igen.units import duration_text

_NEXT = {
    "workloads": "igen run oltp --help",
    "runs": "igen show {}",
    "monitors": "igen run oltp",
    "studies": "igen study check {}",
}
"""What is done with what was listed; `{}` is the last of it."""
_RUN_COLUMNS = ["run", "workload", "system", "levels", "jobs", "state", "tags", "notes"]
"""Columns of the table; a run's id begins with when it was created."""


@click.command("list")
@click.argument("kind", type=click.Choice(["workloads", "runs", "monitors", "studies"]))
@click.option(
    "--search",
    metavar="WORDS",
    help="Only runs that match all words: workload:oltp, tag:NAME, 'peak>5000', state:complete.",
)
@p.store_option
@p.json_option
def list_command(kind: str, search: str | None, store: str | None, as_json: bool) -> None:
    """List workloads, runs, monitors or studies.

    Runs are listed from the store, oldest first. Studies are listed from ./studies, or from iGen itself
    if there is no such folder; "needs:" lists their servers, libraries, missing folders and rights, and
    their time. --search finds words in names, systems, workloads and tags; system:, verdict:,
    after:2026-09-01 and before:DAY are other conditions. A minus negates a condition.

    \b
    Examples:
      igen list workloads
      igen list runs --json
      igen list runs --search 'workload:oltp -tag:draft peak>5000'
    """
    from igen.cli.output import aligned, print_json, say_next
    from igen.errors import InputError

    if search is not None and kind != "runs":
        raise InputError("only runs are looked for", where="--search", hint="igen list runs --search WORDS")
    entries = _runs(search, store) if kind == "runs" else _entries(kind)
    if as_json:
        print_json(entries)
        return
    heads = [_RUN_COLUMNS] if kind == "runs" else []
    lines = aligned([*heads, *(_row(kind, entry) for entry in entries)])
    needs = [*("" for _ in heads), *(_needs(entry) for entry in entries)]
    for line, needed in zip(lines, needs, strict=True):
        click.echo(line)
        if needed:
            click.echo(f"  needs: {needed}")
    if entries:
        say_next(_NEXT[kind].format(entries[-1].get("run", entries[-1].get("file", ""))))


def _needs(entry: dict[str, Any]) -> str:
    """Return the requirements of a study and its time; empty for other entries."""
    if "time_s" not in entry:
        return ""
    return ", ".join([*entry["needs"], f"about {duration_text(entry['time_s'])}"])


def _runs(search: str | None, store: str | None) -> list[dict[str, Any]]:
    import msgspec

    from igen.store.store import Store

    place = Store(store)
    rows = place.list_runs() if search is None else place.find_runs(search, most=-1).rows[::-1]
    return [msgspec.to_builtins(row) for row in rows]


def _entries(kind: str) -> list[dict[str, Any]]:
    if kind == "studies":
        from igen.study.needs import described
        from igen.study.shipped import studies_at_hand

        return [described(path) for path in studies_at_hand()]
    from igen.fleet.agent import Agent

    return Agent().list(kind)


def _row(kind: str, entry: dict[str, Any]) -> list[str]:
    if kind == "runs":
        shown = entry | {"tags": " ".join(entry["tags"]) or "-"}
        return [str(shown[column]) for column in _RUN_COLUMNS]
    if kind == "studies":
        return [entry["file"], entry["title"]]
    return [entry["name"], entry["summary"]]
