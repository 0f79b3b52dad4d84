"""A browser's recording becomes a scenario, as by `igen import har`: what is secret in it is never kept."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from igen.console.forms import wish_of
from igen.console.page import render, status_of
from igen.console.route import MOST_FORM_BYTES, Form, get
from igen.console.upload import Upload, post_file
from igen.errors import IgenError, InputError
from igen.workbench.own_command import own_command
from igen.workbench.toml_text import toml_text

MOST_STUDY_BYTES = MOST_FORM_BYTES // 3
"""Each character may take three in a form."""
THINK = ("recorded", "none")


class Made(NamedTuple):
    """What a recording became."""

    said: dict[str, Any]
    """As `igen import har --json` prints it."""
    text: str
    """The scenario as TOML."""
    study: str
    """A study of it as TOML; empty where that is too long for a form."""


async def recording(request: Request) -> Response:
    """The form."""
    return _page(request, Form([]))


async def convert(request: Request, upload: Upload) -> Response:
    """Makes the scenario, and shows what is left to look at."""
    try:
        if upload.file is None:
            raise InputError("no file was chosen", where="file", hint="browsers export it as HAR")
        made = await run_in_threadpool(made_of, upload.file, upload.form)
    except IgenError as error:
        return _page(request, upload.form, error=error)
    return _page(request, upload.form, made=made)


def _page(
    request: Request, form: Form, *, made: Made | None = None, error: IgenError | None = None
) -> Response:
    return render(
        request,
        "recording.html",
        status=status_of(error) if error else 200,
        made=made,
        error=error,
        given=defaultdict(str, form.pairs),
        thinks=THINK,
    )


def made_of(file: IO[bytes], form: Form) -> Made:
    """The scenario of the recording in a file. Raises `InputError` where there is none in it."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", form.get("name")).strip("-")[:40] or "recorded"
    think, target = form.get("think") or THINK[0], form.get("target").strip()
    options = [f"--think={think}", *(f"--host={host}" for host in form.get("hosts").split())]
    if target:
        options.append(f"--target={target}")
    with tempfile.TemporaryDirectory(prefix="igen-console-") as folder:
        # The recording itself has no name: nothing is left of it, however this ends.
        given, output = Path(folder) / f"{name}.har", Path(folder) / "scenario.toml"
        given.symlink_to("/proc/self/fd/0")
        command = ["import", "har", str(given), "-o", str(output), "--json", *options]
        try:
            said = own_command(command, finding=True, given=file, nice=True)
        except IgenError as error:
            error.text = error.text.replace(f"{given}: ", "").replace(folder, "")
            raise
        text = output.read_text(encoding="utf-8")
    told = msgspec.json.decode(said, type=dict[str, Any])
    study = _study_of(name, target or f"http://{told['host']}", text)
    return Made(told, text, study if len(study.encode()) <= MOST_STUDY_BYTES else "")


def _study_of(name: str, target: str, scenario: str) -> str:
    """A short sweep with it, to be changed before it runs."""
    fields = {"workload": "web", "targets": target, "users": "1,2,4", "repeats": "3", "duration": "10s"}
    table = wish_of(Form([*fields.items()])).table
    params = {"scenario": tomllib.loads(scenario)}
    return toml_text(table | {"name": name, "job": table["job"] | {"params": params}})


ROUTES = [get("/recording", recording), post_file("/recording", convert)]
