"""Comparison of the files that the record of a run lists with the files in its folder.

`run.json` lists the files of a run that has ended, with their checksums: an execution that was removed, added
or changed since is seen. It is not a signature: a forger can write a new list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from igen.damage import Damage
from igen.foreign_text import cleaned
from igen.store.access import not_read
from igen.store.job_file import read_file_of_run, read_job_ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """Faults of the files of a run as a whole."""

    damage: list[Damage]
    """Empty if the files are those that the record lists."""
    left_out: frozenset[Path]
    """Files of jobs that are not executions of this run, or repeat the execution of another file."""


def checksums(files: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file in hexadecimal digits, by its name. Raises `IgenError`."""
    return {path.name: _sha256(path) for path in files}


def check(jobs: Iterable[Path], run: str, study: Mapping[str, Any]) -> Integrity:
    """Compare the first lines of job files with the id and the study of their run. Raises `IgenError`."""
    damage: list[Damage] = []
    places: set[tuple[Any, ...]] = set()
    left_out = set()
    for path in jobs:
        start = read_job_ends(path)[0]
        if start is None:
            continue
        place = tuple(start.get(name) for name in ("system", "purpose", "level", "repeat"))
        if start.get("run", run) != run:
            damage.append(Damage(kind="run-foreign", file=path.name, of=cleaned(str(start["run"]))))
        elif _without_plan(start.get("study", study)) != _without_plan(study):
            damage.append(Damage(kind="study-foreign", file=path.name))
            continue
        elif place in places:
            damage.append(Damage(kind="execution-twice", file=path.name))
        else:
            places.add(place)
            continue
        left_out.add(path)
    return Integrity(damage=damage, left_out=frozenset(left_out))


def unlike(listed: Mapping[str, str], found: Mapping[str, str]) -> Iterator[Damage]:
    """Yield how the files that were `found` differ from the listed ones, by their checksums."""
    for name in sorted({*listed, *found}):
        if name not in found:
            yield Damage(kind="file-missing", file=cleaned(name))
        elif name not in listed:
            yield Damage(kind="file-added", file=name)
        elif listed[name] != found[name]:
            yield Damage(kind="file-changed", file=name)


def _without_plan(study: Any) -> Any:
    """Return a study without its plan, which may be longer in a run that continues."""
    if not isinstance(study, dict):
        return study
    return {name: value for name, value in study.items() if name != "plan"}


def _sha256(path: Path) -> str:
    try:
        with read_file_of_run(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise not_read(path, error) from error
