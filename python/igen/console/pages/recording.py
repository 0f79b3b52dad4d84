"""Conversion of a browser recording into a scenario, as by `igen study import`; secrets are never stored."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path
from typing import IO

from starlette.requests import Request
from starlette.responses import Response

from igen.console.beside import ASKED, anyway, in_the_way
from igen.console.page import render, status_of
from igen.console.recorded import THINK, Made, Wanted, made_of
from igen.console.route import MOST_FORM_BYTES, Form, console_of, get
from igen.console.too_much import TookTooLong
from igen.console.upload import Upload, post_file
from igen.errors import IgenError, InputError

MOST_STUDY_BYTES = MOST_FORM_BYTES // 3
"""Longest study in a form: each character may take three bytes."""
LIMIT_S = 60.0
"""Longest conversion."""
FIELDS = ("name", "target", "hosts", "think")


async def recording(request: Request) -> Response:
    """The form."""
    waits_for = await in_the_way(request) if request.state.visitor.may_run else []
    return _page(request, Form(request.query_params.multi_items()), waits_for=waits_for)


async def convert(request: Request, upload: Upload) -> Response:
    """Create the scenario, and show what the user should check."""
    form = upload.form
    try:
        if upload.file is None:
            raise InputError("no file was chosen", where="file", hint="browsers export it as HAR")
        if waits_for := await in_the_way(request):
            return _page(request, form, waits_for=waits_for)
        converter = console_of(request).converter
        asked = (_place(upload.file), _wanted(form), MOST_STUDY_BYTES)
        made = await converter.ask_within(LIMIT_S, made_of, *asked)
    except TookTooLong as error:
        error.hint = "record a shorter session; `igen study import` has no such limit"
        return _page(request, form, error=error)
    except IgenError as error:
        return _page(request, form, error=error)
    return _page(request, form, made=made)


def _page(
    request: Request,
    form: Form,
    *,
    made: Made | None = None,
    error: IgenError | None = None,
    waits_for: list[str] | None = None,
) -> Response:
    typed = [(name, form.get(name)) for name in FIELDS if form.get(name)]
    refused = 409 if waits_for and request.method == "POST" else 200
    insists = f"?{ASKED}=yes" if ASKED in request.query_params else ""
    return render(
        request,
        "recording.html",
        status=status_of(error) if error else refused,
        made=made,
        error=error,
        given=defaultdict(str, typed),
        thinks=THINK,
        waits_for=waits_for or [],
        anyway=anyway(request, typed),
        action=request.url.path + insists,
    )


def _wanted(form: Form) -> Wanted:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", form.get("name")).strip("-")[:40] or "recorded"
    hosts = tuple(form.get("hosts").split())
    return Wanted(name, form.get("target").strip(), hosts, form.get("think") or THINK[0])


def _place(file: IO[bytes]) -> Path:
    """Return the path by which another process of this user opens an unnamed file that is open here."""
    return Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")


ROUTES = [get("/recording", recording), post_file("/recording", convert)]
