"""Additions to the queue: a study is checked and copied now, and runs later."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from igen.ask.tables import merged
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.judge.record.settings import flat
from igen.queue.changes import LISTED, check_group, group_params
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.queue.order import last_rank
from igen.store.store import Store
from igen.study.params import with_params
from igen.study.planned import planned_levels
from igen.study.scenario_files import scenario_files
from igen.study.shipped import own_or_shipped, study_text
from igen.study.study import load_study
from igen.workbench.asker import Asker
from igen.workbench.private_instance import with_planned_target


class When(msgspec.Struct, frozen=True, kw_only=True):
    """Start conditions of studies that are added together."""

    at_unix_s: float | None = None
    after: int | None = None
    """Only if this job of the queue ended well."""
    every_s: float | None = None


def enqueue(
    files: Sequence[Path],
    store: Store,
    *,
    now_unix_s: float,
    when: When | None = None,
    group: str = "",
    params: dict[str, Any] | None = None,
    asker: Asker | None = None,
) -> list[Entry]:
    """Adds studies to the end of the queue, in this order, with copies of their files.

    `params` are laid over those that the group has in common, and both over each study's. Raises `InputError`
    before anything is added where one of them could not run, and `IgenError` where the queue cannot be
    written.
    """
    when, asker = when or When(), asker or Asker()
    check_group(group)
    if when.every_s is not None and when.after is not None:
        hint = "a repeated job cannot wait for another job"
        raise InputError("cannot be combined with --every", where="--after", hint=hint)
    if "scenario" in (params or {}):
        raise InputError(
            "is only allowed in the study", where="--set scenario", hint="write the scenario into the study"
        )
    lists = [name for name, value in flat(params or {}) if isinstance(value, list)]
    if lists:
        raise InputError(
            "a list is only allowed in the study",
            where=f"--set {lists[0]}",
            hint="write the list into the study",
        )
    queue = QueueFolder(store.path)
    common = merged(group_params(queue.read().entries, group), params or {})
    for file in files:
        _check(file, common)
    copies = [_copy_of(file) for file in files]
    added: list[Entry] = []
    with queue.locked() as content:
        entries = list(content.entries)
        if when.after is not None and when.after not in {entry.job for entry in entries}:
            raise InputError(f"there is no job {when.after}", where="--after", hint=LISTED)
        for study, contents in copies:
            number = queue.new_number()
            queue.keep_files(number, contents)
            entry = Entry(
                job=number,
                rank=last_rank(entries),
                study=study,
                folder=str(Path.cwd()),
                params=common,
                group=group,
                at_unix_s=when.at_unix_s,
                after=when.after,
                every_s=when.every_s,
                console=asker.console,
                guarded=asker.guarded,
                added_unix_s=now_unix_s,
            )
            queue.write(entry)
            entries.append(entry)
            added.append(entry)
    return added


def _check(file: Path, params: dict[str, Any]) -> None:
    """Raise `InputError` if the study cannot run with these parameters."""
    study = load_study(file)
    try:
        planned_levels(with_planned_target(with_params(study, params)), Agent())
    except InputError as error:
        error.where = f"{file}: {error.where}" if error.where else str(file)
        raise


def _copy_of(file: Path) -> tuple[str, dict[str, bytes]]:
    """Return the study's path and the content of all its files, which keep their relative places."""
    study = Path(os.path.abspath(own_or_shipped(file)))
    table = tomllib.loads(study_text(study))
    paths = [study]
    for folder, name in scenario_files(table, study.parent):
        if os.path.isabs(name):
            hint = "use a path relative to the file that names it, so that the queue can store a copy"
            raise InputError(f"{name} is an absolute path", where=str(file), hint=hint)
        paths.append(Path(os.path.abspath(folder / name)))
    above = Path(os.path.commonpath([path.parent for path in paths]))
    contents = {str(path.relative_to(above)): path.read_bytes() for path in paths}
    return str(study.relative_to(above)), contents
