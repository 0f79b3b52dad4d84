"""Reads a bundle into a folder, within bounds: whoever sent it may mean harm."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec

from igen.bundle.contents import (
    CONTENTS_FILE,
    MOST_CONTENTS_BYTES,
    MOST_MEMBERS,
    RESULT_FILE,
    RUNS_FOLDER,
    Contents,
    may_be_member,
)
from igen.bundle.frame import check_format, check_frame
from igen.errors import IgenError, InputError
from igen.first_use import ready
from igen.store.run import Run

Told = Callable[[int], None]
MOST_EXPANSION = 200
"""Unpacked bytes for each of the file's: recordings have 5 to 20, what is made to fill a disk has 1,000."""
SMALL_BYTES = 64 << 20
"""So many may be unpacked of any file."""
ENCRYPTED = 0x1
_CHUNK_BYTES = 1 << 20
_BROKEN = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What the reader of archives raises for those that are not sound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """An unpacked bundle."""

    path: Path
    sha256: str
    """Digest of the whole file, in hexadecimal digits."""
    contents: Contents
    result: dict[str, Any]
    """The result document as it was published."""
    runs: list[Run]


def unpack(path: Path, folder: Path, told: Told = lambda _bytes: None) -> Bundle:
    """Unpacks a bundle into an empty folder.

    Raises `InputError` where it is no bundle, cut off, changed or made to do harm, `UnknownFormat` where a
    later igen has made it, and `IgenError` where the folder cannot be written.
    """
    try:
        sha256 = check_frame(path)
        with ZipFile(path) as archive:
            contents = _contents(path, archive)
            members = _members(path, archive, contents)
            for name, member in members.items():
                _extract(path, archive, member, folder / name, contents.members[name], told)
    except OSError as error:
        where = str(error.filename or path)
        hint = "TMPDIR chooses another folder to unpack into"
        raise IgenError((error.strerror or str(error)).lower(), where=where, hint=hint) from error
    except _BROKEN as error:
        raise _refused(path, f"what is in it cannot be read: {str(error) or type(error).__name__}") from error
    try:
        result = msgspec.json.decode((folder / RESULT_FILE).read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _refused(path, f"{RESULT_FILE} is no result document") from error
    runs = [Run(folder / RUNS_FOLDER / run) for run in contents.runs]
    return Bundle(path=path, sha256=sha256, contents=contents, result=result, runs=runs)


def _refused(path: Path, text: str) -> InputError:
    hint = "no `igen publish bundle` has made it so: ask who published it"
    return InputError(f"it is no sound bundle: {text}", where=str(path), hint=hint)


def _contents(path: Path, archive: ZipFile) -> Contents:
    """The list of members."""
    first = next(iter(archive.infolist()), None)
    if first is None or first.filename != CONTENTS_FILE:
        raise _refused(path, f"it does not begin with {CONTENTS_FILE}")
    _check_member(path, first)
    with archive.open(first) as file:
        data = file.read(MOST_CONTENTS_BYTES + 1)
    if len(data) > MOST_CONTENTS_BYTES:
        raise _refused(path, f"{CONTENTS_FILE} is larger than {MOST_CONTENTS_BYTES >> 20} MiB")
    try:
        contents = msgspec.json.decode(data, type=ready(Contents))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _refused(path, f"{CONTENTS_FILE}: {error}") from error
    check_format(contents.format, str(path))
    return contents


def _members(path: Path, archive: ZipFile, contents: Contents) -> dict[str, ZipInfo]:
    """All others, each once, as the list names them."""
    others = archive.infolist()[1:]
    if len(others) > MOST_MEMBERS:
        raise _refused(path, f"it has {len(others):,} members")
    members = {each.filename: each for each in others}
    for name, member in members.items():
        if not may_be_member(name):
            raise _refused(path, f"it has a member {name[:200]!r}")
        _check_member(path, member)
    if len(members) != len(others) or members.keys() != contents.members.keys():
        raise _refused(path, f"its members are not those that {CONTENTS_FILE} lists")
    if any(length < 0 for length in contents.members.values()):
        raise _refused(path, f"{CONTENTS_FILE} lists a size below 0")
    most = max(SMALL_BYTES, MOST_EXPANSION * path.stat().st_size)
    total = sum(contents.members.values())
    if total > most:
        raise _refused(path, f"it would unpack to {total:,} bytes, more than {MOST_EXPANSION} times its size")
    of_runs = {name.split("/")[1] for name in members if name.count("/") > 1}
    if not contents.runs or len(set(contents.runs)) != len(contents.runs) or set(contents.runs) != of_runs:
        raise _refused(path, f"its runs are not those that {CONTENTS_FILE} lists")
    if RESULT_FILE not in members:
        raise _refused(path, f"it lacks {RESULT_FILE}")
    return members


def _check_member(path: Path, member: ZipInfo) -> None:
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or member.flag_bits & ENCRYPTED:
        raise _refused(path, f"{member.filename[:200]!r} is packed in a way that bundles do not use")


def _extract(path: Path, archive: ZipFile, member: ZipInfo, place: Path, length: int, told: Told) -> None:
    """As many bytes as the list says, and no more."""
    place.parent.mkdir(parents=True, exist_ok=True)
    left = length
    with archive.open(member) as source, place.open("xb") as target:
        while chunk := source.read(_CHUNK_BYTES):
            left -= len(chunk)
            if left < 0:
                break
            target.write(chunk)
            told(len(chunk))
    if left:
        raise _refused(path, f"`{member.filename}` has another size than {CONTENTS_FILE} says")
