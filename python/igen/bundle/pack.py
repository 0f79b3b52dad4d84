"""Writes runs as one file. The same runs make the same bytes, with the same release of zlib."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from igen.bundle.contents import (
    CONTENTS_FILE,
    NOISE_MEMBER,
    RESULT_FILE,
    RUNS_FOLDER,
    Contents,
    may_be_member,
)
from igen.bundle.frame import comment, seal
from igen.bundle.secrets import find_secrets, secrets_of_environment
from igen.errors import IgenError, InputError
from igen.judge.result import Result
from igen.store.access import not_read
from igen.store.files import size_of
from igen.store.job_file import read_file_of_run
from igen.store.noise import NOISE_FILE
from igen.store.run import FLOOR_FILE, RUN_FILE, Run
from igen.version import VERSION

Told = Callable[[int], None]
"""Hears of so many more bytes that are done."""
_CHUNK_BYTES = 1 << 20
_AT_NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest that an archive can say: a bundle does not tell when it was made."""


def members_of(runs: Sequence[Run]) -> dict[str, Path]:
    """The files of these runs, and of the machine's noise where they are compared, by name in the bundle.

    What can be computed again, such as Parquet and reports, is left out. Raises `InputError` for two runs of
    the same name.
    """
    found: dict[str, Path] = {}
    for run in runs:
        for path in _files(run):
            name = f"{RUNS_FOLDER}/{run.id}/{path.relative_to(run.folder).as_posix()}"
            if name in found:
                raise InputError(f"{run.id} is there twice", where="RUN", hint="name each run once")
            if not may_be_member(name):
                hint = "rename the folder: letters, digits, `.`, `_` and `-`"
                raise InputError(f"`{run.id}` is no name of a run", where=str(run.folder), hint=hint)
            found[name] = path
    noise = runs[0].folder.parent.resolve() / NOISE_FILE
    if len(runs) > 1 and size_of(noise):
        found[NOISE_MEMBER] = noise
    return found


def _files(run: Run) -> Iterator[Path]:
    yield from (path for name in (RUN_FILE, FLOOR_FILE) if size_of(path := run.folder / name))
    yield from run.job_paths()


def check_no_secrets(members: dict[str, Path]) -> None:
    """Raises `InputError` with the first place that looks like a secret, and `IgenError`."""
    known = secrets_of_environment()
    for name, path in members.items():
        try:
            found = next(find_secrets(path, known), None)
        except OSError as error:
            raise not_read(path, error) from error
        if found is not None:
            line, what = found
            raise InputError(
                f"it holds {what}, and a bundle is made to be published",
                where=f"{name}:{line}",
                hint="take it out of the study and measure again; or say --force where it is no secret",
            )


def pack(
    runs: Sequence[Run], result: Result, path: Path, *, host: str, force: bool = False, told: Told
) -> str:
    """Writes the bundle of runs and what was judged of them; returns the SHA-256 of the file.

    The file is there whole or not at all. Raises `InputError` where the runs hold what looks like a secret,
    unless `force`, and `IgenError` where it cannot be written.
    """
    members = members_of(runs)
    if not force:
        check_no_secrets(members)
    document = msgspec.json.encode(result)
    contents = Contents(
        igen_version=VERSION,
        host=host,
        title=result.title,
        runs=[run.id for run in runs],
        members={RESULT_FILE: len(document), **{name: size_of(each) for name, each in members.items()}},
    )
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w+b") as file:
            with ZipFile(file, "w") as archive:
                archive.comment = comment()
                archive.writestr(_member(CONTENTS_FILE), msgspec.json.format(msgspec.json.encode(contents)))
                archive.writestr(_member(RESULT_FILE), document)
                for name, each in members.items():
                    _add(archive, name, each, contents.members[name], told)
            digest = seal(file)
        part.replace(path)
    except OSError as error:
        hint = "choose another place with -o"
        raise IgenError(f"cannot write: {error.strerror or error}", where=str(path), hint=hint) from error
    finally:
        part.unlink(missing_ok=True)
    return digest


def _member(name: str) -> ZipInfo:
    """Nothing but the name: no time, no owner."""
    member = ZipInfo(name, _AT_NO_TIME)
    member.compress_type = ZIP_DEFLATED
    member.external_attr = 0o100644 << 16
    member.create_system = 3
    return member


def _add(archive: ZipFile, name: str, path: Path, length: int, told: Told) -> None:
    """Copies a file piece by piece. Raises `IgenError` where it is another length than before."""
    member = _member(name)
    member.file_size = length
    done = 0
    try:
        source = read_file_of_run(path)
    except OSError as error:
        raise not_read(path, error) from error
    with source, archive.open(member, "w") as target:
        while chunk := source.read(_CHUNK_BYTES):
            target.write(chunk)
            done += len(chunk)
            told(len(chunk))
    if done != length:
        raise IgenError("it changed while it was read", where=str(path), hint="wait until the run has ended")
