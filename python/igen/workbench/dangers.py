"""The dangers of a study that is in the queue."""

from __future__ import annotations

import tomllib
from pathlib import Path

from igen.dangers.find import dangers
from igen.errors import InputError
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.study.scenario import with_scenario


def dangers_of_job(queue: QueueFolder, entry: Entry) -> list[str]:
    """Return the dangers of a job of the queue; links on this machine are followed now.

    A study that cannot be read is dangerous too: nobody knows what it does.
    """
    path = queue.study_folder(entry.job) / entry.study
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        with_scenario(table, path.parent)
        if entry.params:
            from igen.ask.tables import merged

            table["job"] = merged(table["job"], {"params": entry.params})
        return [str(each) for each in dangers(table, Path(entry.folder))]
    except (OSError, InputError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ["a study that cannot be read"]
