"""A form with a file, stored in an unnamed file that disappears with the process."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import IO, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from igen.console.guard import CSRF, is_own_form
from igen.console.page import problem
from igen.console.route import MOST_FORM_BYTES, Form, console_of, read_form, told
from igen.console.too_much import FormTooLong
from igen.errors import IgenError, InputError

MOST_UPLOAD_BYTES = 64 << 20
MOST_HEARD_BYTES = 512 << 20
"""Longest excess of a form that is read and dropped: browsers show no answer before they have sent all."""
MOST_PARTS = 64
MOST_HEAD_BYTES = 8 << 10
"""Longest head of a part of the form."""
_BOUNDARY = re.compile(r'^multipart/form-data\s*;.*?boundary="?([0-9A-Za-z\'()+_,./:=? -]{1,70})"?\s*(?:;|$)')
_NAME = re.compile(rb'[;\s]name="([^"]*)"')
_FILE = re.compile(rb"[;\s]filename\*?=")


class Upload(NamedTuple):
    """Content of a form."""

    form: Form
    file: IO[bytes] | None
    """First file with content, at its start; its name is not kept."""


ChangeByFile = Callable[[Request, Upload], Awaitable[Response]]


class Part(NamedTuple):
    """A part of a multipart form: its name and the place of its content."""

    name: str
    begin: int
    end: int
    is_file: bool


@asynccontextmanager
async def upload_of(request: Request) -> AsyncIterator[Upload]:
    """What was sent with a request: its file is there until the end of the block.

    Raises `FormTooLong` for more than 64 MiB, and `InputError` for what is no form.
    """
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        yield Upload(await read_form(request), None)
        return
    found = _BOUNDARY.match(kind)
    if found is None:
        raise InputError("the request is not a form", hint="send it from its page")
    with tempfile.TemporaryFile() as body:
        length = 0
        async for chunk in request.stream():
            length += len(chunk)
            if length > MOST_HEARD_BYTES:
                break
            if length <= MOST_UPLOAD_BYTES:
                await run_in_threadpool(body.write, chunk)
            else:
                body.truncate(0)
        if length > MOST_UPLOAD_BYTES:
            raise FormTooLong("the file is longer than 64 MiB", hint="`igen study import` takes up to 1 GiB")
        body.flush()
        with tempfile.TemporaryFile() as file:
            yield await run_in_threadpool(_taken_apart, body, found[1].encode(), file)


def _taken_apart(body: IO[bytes], boundary: bytes, file: IO[bytes]) -> Upload:
    pairs, has_file, size = [], False, 0
    if not body.seek(0, os.SEEK_END):
        raise _torn()
    with mmap.mmap(body.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for part in parts_of(mapped, boundary):
            if not part.is_file:
                size += part.end - part.begin
                if size > MOST_FORM_BYTES:
                    raise FormTooLong("the fields of the form are longer than 1 MiB", hint="shorten them")
                pairs.append((part.name, mapped[part.begin : part.end].decode("utf-8", "replace")))
            elif part.end > part.begin and not has_file:
                has_file = True
                with memoryview(mapped) as view, view[part.begin : part.end] as held:
                    file.write(held)
    file.flush()
    file.seek(0)
    return Upload(Form(pairs), file if has_file else None)


def parts_of(content: mmap.mmap | bytes, boundary: bytes) -> Iterator[Part]:
    """Yield the parts of a multipart/form-data body (RFC 7578). Raises `InputError`."""
    mark = b"--" + boundary
    place = 0 if content[: len(mark)] == mark else -1
    for _ in range(MOST_PARTS):
        if place < 0:
            raise _torn()
        place += len(mark)
        if content[place : place + 2] == b"--":
            return
        head_end = content.find(b"\r\n\r\n", place, place + MOST_HEAD_BYTES)
        end = content.find(b"\r\n" + mark, head_end + 2) if head_end >= 0 else -1
        name = _NAME.search(content[place:head_end]) if end >= 0 else None
        if name is None:
            raise _torn()
        is_file = _FILE.search(content[place:head_end]) is not None
        yield Part(name[1].decode("utf-8", "replace"), min(head_end + 4, end), end, is_file)
        place = end + 2
    raise InputError(f"the form has more than {MOST_PARTS} parts", hint="send one file at a time")


def _torn() -> InputError:
    return InputError("the form is incomplete", hint="send it again")


def post_file(path: str, change: ChangeByFile) -> Route:
    """Return the route of a form with a file; its token is checked first."""

    async def answer(request: Request) -> Response:
        async with upload_of(request) as upload:
            if not is_own_form(console_of(request), request, upload.form.get(CSRF)):
                return problem(request, IgenError("this form has expired", hint="reload its page"), 403)
            return await change(request, upload)

    return Route(path, told(answer), methods=["POST"], name=change.__name__)
