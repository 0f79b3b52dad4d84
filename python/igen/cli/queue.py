"""`igen queue`: studies that run one after another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.cli.output import aligned, print_json, say_next, say_unless
from igen.cli.service import install_service, service_options
from igen.errors import InputError, Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable

    from igen.queue.entry import Entry
    from igen.queue.folder import QueueFolder

_COLUMNS = ["job", "state", "study", "group", "when", "run", "why"]


def _at(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return a time in the future, in the time zone of this machine."""
    if text is None:
        return None
    from datetime import datetime

    from igen.queue.times import parse_at

    return parse_at(text, datetime.now())


def _every(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """A time between two runs."""
    from igen.queue.times import parse_every_s

    return None if text is None else parse_every_s(text)


jobs_argument = click.argument("references", metavar="JOB...", nargs=-1, required=True)


@click.group()
def queue() -> None:
    """Queue studies and run them one after another.

    Each job of the queue is a study with a number. Jobs are kept in the store, and `igen queue run`
    starts them one after another. JOB is the number of a job, or the name of a group, which means all its
    jobs.
    """


@queue.command()
@click.argument("files", metavar="STUDY...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--at", metavar="TIME", callback=_at, help="Earliest start: 02:00, or 2026-11-24 02:00.")
@click.option("--after", metavar="JOB", type=click.IntRange(1), help="Run only if this job was successful.")
@click.option("--every", metavar="TIME", callback=_every, help="Repeat at this interval: 1d or 12h.")
@click.option("--group", metavar="NAME", default="", help="Name of a group of jobs.")
@p.set_option
@p.store_option
def add(
    files: tuple[Path, ...],
    at: float | None,
    after: int | None,
    every: float | None,
    group: str,
    params: dict[str, Any],
    store: str | None,
) -> None:
    """Add studies to the end of the queue.

    STUDY is a file, as for `igen study run`. The study is checked now and copied with its files, and runs
    later from these copies in this folder. All jobs of a group use the parameters (--set) of its last
    job.

    \b
    Examples:
      igen queue add studies/cpu.toml studies/memory.toml
      igen queue add studies/cpu.toml --at 02:00 --every 1d
      igen queue add studies/oltp-sqlite.toml --group shops --set customers=1000
    """
    import time

    from igen.store.store import Store
    from igen.workbench.enqueue import When, enqueue

    when = When(at_unix_s=at, after=after, every_s=every)
    added = enqueue(files, Store(store), now_unix_s=time.time(), when=when, group=group, params=params)
    for entry in added:
        click.echo(f"job {entry.job}: {entry.study}")
    say_next("igen queue list", "igen queue run")


@queue.command("list")
@p.store_option
@p.json_option
def list_jobs(store: str | None, as_json: bool) -> None:
    """List the jobs of the queue.

    Prints finished jobs first, then the running job, then the waiting jobs in their order.

    \b
    Examples:
      igen queue list
      igen queue list --json
    """
    import msgspec

    from igen.queue.listing import listing as listing_of

    listing = listing_of(_folder(store))
    if as_json:
        print_json(msgspec.to_builtins(listing))
        return
    for line in aligned([_COLUMNS, *map(_row, listing.jobs)]):
        click.echo(line)
    for damaged in listing.damaged:
        click.echo(f"warning: {damaged.file} is ignored: {damaged.reason}", err=True)


@queue.command()
@click.argument("reference", metavar="JOB")
@click.option("--before", metavar="JOB", help="Move the job before this one.")
@click.option("--first", is_flag=True, help="Move the job to the start.")
@click.option("--last", is_flag=True, help="Move the job to the end.")
@p.store_option
def move(reference: str, before: str | None, first: bool, last: bool, store: str | None) -> None:
    """Move a job within the queue.

    \b
    Examples:
      igen queue move 7 --first
      igen queue move 7 --before 3
    """
    from igen.queue.changes import chosen, first_open, moved

    if (before is not None) + first + last != 1:
        hint = "--first, --last or --before JOB"
        raise InputError("needs exactly one position", where="--before", hint=hint)
    folder = _folder(store)
    with folder.locked() as content:
        entry = _only_one(chosen(content.entries, [reference]), reference)
        other = first_open(content.entries, entry) if first else None
        if before is not None:
            other = _only_one(chosen(content.entries, [before]), before)
        folder.write(moved(entry, content.entries, other))


@queue.command()
@jobs_argument
@p.store_option
def hold(references: tuple[str, ...], store: str | None) -> None:
    """Hold jobs until they are released.

    \b
    Examples:
      igen queue hold 7
    """
    from igen.queue.changes import held

    _change(references, store, held)


@queue.command()
@jobs_argument
@p.store_option
def release(references: tuple[str, ...], store: str | None) -> None:
    """Release jobs that are held.

    \b
    Examples:
      igen queue release 7
    """
    from igen.queue.changes import released

    _change(references, store, released)


@queue.command()
@jobs_argument
@p.store_option
def remove(references: tuple[str, ...], store: str | None) -> None:
    """Remove jobs from the queue.

    A running job is not removed; `igen stop` ends its run. The runs of finished jobs are kept.

    \b
    Examples:
      igen queue remove 7 8
      igen queue remove shops
    """
    import time

    from igen.queue.changes import check_removal, chosen
    from igen.units import counted

    folder = _folder(store)
    with folder.locked() as content:
        # A repetition that is missing is added first, so that its job is not repeated once it is removed.
        content = folder.repeat_ended(content, time.time())
        removed = chosen(content.entries, references)
        check_removal(content.entries, removed)
        for entry in removed:
            folder.remove(entry)
    click.echo(f"Removed {counted(len(removed), 'job')}.")


@queue.command()
@click.option("--once", is_flag=True, help="Exit when no job is due.")
@click.option("--guarded", is_flag=True, help="Skip jobs that may be dangerous.")
@service_options
@p.store_option
@p.quiet_option
def run(once: bool, guarded: bool, unit: str | None, force: bool, store: str | None, quiet: bool) -> None:
    """Run the jobs of the queue.

    Runs jobs one after another until Ctrl-C or SIGTERM, which also stop the running study and keep its
    measurements. A store has one such command at a time. Each study is a separate process: if this
    command is killed, the study continues, and the next `igen queue run` waits for its end, marks the job
    as lost, and does not start it again.

    A console without --allow-dangerous uses --guarded. Jobs from such a console are checked again before they
    run.

    \b
    Examples:
      igen queue run --once
      nohup igen queue run &
      igen queue run --install-service
    """
    from igen.queue.runner import Runner
    from igen.workbench.dangers import dangers_of_job

    if unit is not None:
        install_service("queue", store, unit, force=force)
        return

    runner = Runner(queue=_folder(store), say=say_unless(quiet), dangers=dangers_of_job, guarded=guarded)
    if runner.run(once=once):
        raise Interrupted("interrupted", hint="`igen queue list` shows the remaining jobs")


def _folder(store: str | None) -> QueueFolder:
    from igen.queue.folder import QueueFolder
    from igen.store.store import Store

    return QueueFolder(Store(store).path)


def _change(references: tuple[str, ...], store: str | None, change: Callable[[Entry], Entry]) -> None:
    from igen.queue.changes import chosen_open

    folder = _folder(store)
    with folder.locked() as content:
        for entry in [change(entry) for entry in chosen_open(content.entries, references)]:
            folder.write(entry)


def _only_one(entries: list[Entry], reference: str) -> Entry:
    if len(entries) > 1:
        raise InputError(f"`{reference}` matches several jobs", where="JOB", hint="move them one by one")
    return entries[0]


def _row(entry: Entry) -> list[str]:
    when = [
        f"at {_clock(entry.at_unix_s)}" if entry.at_unix_s is not None else "",
        f"after {entry.after}" if entry.after is not None else "",
        f"every {_span(entry.every_s)}" if entry.every_s is not None else "",
    ]
    said = ", ".join(filter(None, when))
    cells = [str(entry.job), entry.state, entry.study, entry.group, said, entry.run, entry.reason]
    return [cell or "-" for cell in cells[:-1]] + cells[-1:]


def _clock(unix_s: float) -> str:
    import time

    return time.strftime("%Y-%m-%d %H:%M", time.localtime(unix_s))


def _span(time_s: float) -> str:
    from igen.units import format_duration

    return f"{time_s / 86400:g} d" if time_s % 86400 == 0 else format_duration(time_s)
