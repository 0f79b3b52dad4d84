"""Pages from templates: every text is escaped unless its type is markup."""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from igen.console.guard import Visitor, form_token
from igen.console.too_much import TooMuch
from igen.errors import IgenError, InputError
from igen.foreign_text import cleaned
from igen.layout.number import significant
from igen.units import duration_text, format_bytes
from igen.version import VERSION

NAVIGATION = (
    ("/", "Runs"),
    ("/new", "New"),
    ("/queue", "Queue"),
    ("/trend", "Over time"),
    ("/instances", "Instances"),
    ("/tools", "Tools"),
    ("/datacenter", "Data centre"),
    ("/help", "Help"),
)
PARTS = {"runs": "/", "compare": "/", "recording": "/new"}
"""Pages that belong to another page, by the start of their path."""

AHEAD_S = 60.0
"""Largest difference to the future: a later time comes from another clock, or from a clock set back."""
LATER = "at a time in the future"
"""Text after `was started` and `started`."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("igen.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "ago": ago,
        "clock": clock,
        "coded": coded,
        "figure": figure,
        "kind": kind,
        "size": format_bytes,
        "wait": duration_text,
    }
    return environment


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page of the console: `template` extends `base.html`."""
    console = request.app.state.console
    visitor: Visitor = request.state.visitor
    text = (
        _environment()
        .get_template(template)
        .render(
            navigation=[] if request.url.path.startswith("/s/") else NAVIGATION,
            path=request.url.path,
            subject=subject_of(request.url.path),
            visitor=visitor,
            can_run=visitor.may_run and not console.read_only,
            csrf=form_token(console, visitor) if visitor.session else "",
            now=console.now(),
            store=str(console.folder) if visitor.session else "",
            not_written=console.not_written if visitor.session else "",
            version=VERSION,
            **values,
        )
    )
    return HTMLResponse(text, status)


def problem(
    request: Request, error: IgenError, status: int | None = None, *, typed: str = ""
) -> HTMLResponse:
    """Return an error as a page: text, place, remedy, and unsaved input (`typed`)."""
    said = {name: cleaned(getattr(error, name)) for name in ("text", "where", "hint")}
    return render(request, "problem.html", status=status or status_of(error), error=said, typed=typed)


def subject_of(path: str) -> str:
    """Return the page of the navigation that a path belongs to: `/tools` for `/tools/pages`."""
    first = path.split("/")[1]
    return PARTS.get(first, f"/{first}")


def status_of(error: IgenError) -> int:
    """Return 413 if less input would help, 400 if other input would, else 500."""
    if isinstance(error, TooMuch):
        return 413
    return 400 if isinstance(error, InputError) else 500


def markup(text: str) -> Markup:
    """Return markup that a printer of the report has already escaped."""
    return Markup(text)


def coded(text: str) -> Markup:
    """Return a help text with `code` marked up."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def ago(unix_s: float, now: float) -> str:
    """Return `5 min ago` by the server's clock: the browser's clock may differ."""
    passed_s = now - unix_s
    if passed_s < -AHEAD_S:
        return LATER
    for size_s, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if passed_s >= size_s:
            return f"{passed_s // size_s:.0f} {unit} ago"
    return "just now"


def clock(unix_s: float) -> str:
    """Return day and minute in the time zone of the server."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(unix_s))


def figure(value: float | None) -> str:
    """Return four digits, or a dash if there is no figure."""
    return "–" if value is None else significant(value, 4)


def kind(name: str) -> str:
    """Return the kind of an instance, the start of its name."""
    return name.rpartition("-")[0]
