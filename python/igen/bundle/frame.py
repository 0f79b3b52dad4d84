"""The end of a bundle: the digest of all bytes before it, so that one that was changed is noticed.

It is the comment of the ZIP archive, `igen bundle 1 sha256 ` and 64 digits: any program for ZIP archives can
open a bundle. Whoever forges a bundle can write a new digest too: it is no signature. That the file is the
one that was published is shown by the digest of the whole file, which `igen publish bundle` prints.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from igen.bundle.contents import BUNDLE_FORMAT
from igen.errors import InputError
from igen.file_format import UnknownFormat

DIGITS = 64
_COMMENT = "igen bundle {} sha256 "
_END = re.compile(rb"PK\x05\x06.{16}(..)igen bundle ([0-9]{1,6}) sha256 ([0-9a-f]{64})", re.DOTALL)
_MOST_END = 22 + len(_COMMENT) + 6 + DIGITS
_BEGIN = b"PK\x03\x04"
_CHUNK_BYTES = 1 << 20


def comment() -> bytes:
    """The archive's comment before its digest is known."""
    return _COMMENT.format(BUNDLE_FORMAT).encode() + b"0" * DIGITS


def seal(file: BinaryIO) -> str:
    """Writes the digest into an archive that ends with `comment()`; returns that of the whole file."""
    length = file.seek(0, 2)
    digest = _digest(file, length - DIGITS)
    file.seek(length - DIGITS)
    file.write(digest.encode())
    file.flush()
    return _digest(file, length)


def check_frame(path: Path) -> str:
    """Raises `InputError` where the file is no bundle, cut off or changed, and `UnknownFormat` where a later
    igen has made it; returns the digest of the whole file."""
    where = str(path)
    if not path.is_file():
        text = "is no file" if path.exists() else "there is no such file"
        raise InputError(text, where=where, hint="`igen publish bundle RUN -o FILE` makes a bundle")
    with path.open("rb") as file:
        begin = file.read(len(_BEGIN))
        length = file.seek(0, 2)
        file.seek(max(0, length - _MOST_END))
        end = _END.search(file.read())
        if begin != _BEGIN:
            hint = "`igen publish bundle RUN -o FILE` makes one"
            raise InputError("it is no bundle: it does not begin like one", where=where, hint=hint)
        if end is None or end.end() != len(end.string):
            hint = f"it has {length:,} bytes: get it again, and compare its size with what was published"
            raise InputError("it is cut off, or no bundle: its end is missing", where=where, hint=hint)
        if _digest(file, length - DIGITS) != end[3].decode():
            hint = "get it again from where it was published"
            raise InputError(
                "it was changed since it was made: its digest is another one", where=where, hint=hint
            )
        check_format(int(end[2]), where)
        return _digest(file, length)


def check_format(found: int, where: str) -> None:
    """Raise `UnknownFormat` unless this igen reads bundles of that format."""
    if found != BUNDLE_FORMAT:
        raise UnknownFormat(
            f"it is a bundle of format {found}; this igen reads format {BUNDLE_FORMAT}",
            where=where,
            hint="another release of igen has made it: use that one",
        )


def _digest(file: BinaryIO, length: int) -> str:
    """SHA-256 of the first bytes, in hexadecimal digits."""
    digest = hashlib.sha256()
    for chunk in _chunks(file, length):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(file: BinaryIO, length: int) -> Iterator[bytes]:
    file.seek(0)
    while length > 0 and (chunk := file.read(min(length, _CHUNK_BYTES))):
        length -= len(chunk)
        yield chunk
