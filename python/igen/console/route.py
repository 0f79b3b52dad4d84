"""Binding of pages to paths. Only a `post` may change something."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from igen.console.guard import CSRF, is_own_form
from igen.console.page import problem
from igen.console.state import Console
from igen.console.too_much import FormTooLong
from igen.errors import IgenError
from igen.units import format_bytes

MOST_FORM_BYTES = 1 << 20
MOST_HEARD_BYTES = 64 << 20
"""A browser shows no answer before it has sent all of a form: so much of one that is too long is heard, and
forgotten at once."""


class Form:
    """Fields of a form in the order of the request."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = pairs

    def get(self, name: str, default: str = "") -> str:
        """Return the last value of a field."""
        return next((value for key, value in reversed(self.pairs) if key == name), default)

    def all(self, name: str) -> list[str]:
        """Return every value of a field."""
        return [value for key, value in self.pairs if key == name]


Read = Callable[[Request], Awaitable[Response]]
Change = Callable[[Request, Form], Awaitable[Response]]


def console_of(request: Request) -> Console:
    """Return the console that serves the request."""
    console: Console = request.app.state.console
    return console


def told(page: Read) -> Read:
    """Return the page with its errors as pages."""

    async def answer(request: Request) -> Response:
        try:
            return await page(request)
        except IgenError as error:
            return problem(request, error)
        except OSError as error:
            # Such as a disk without room for what is sent. Whoever has no login is told no places.
            where = str(error.filename or "") if request.state.visitor.session else ""
            return problem(request, IgenError((error.strerror or str(error)).lower(), where=where))

    return answer


def get(path: str, page: Read) -> Route:
    """Return the route of a page that only reads."""
    return Route(path, told(page), methods=["GET"], name=page.__name__)


def post(path: str, change: Change) -> Route:
    """Return the route of a form that changes something; its size is limited and its token checked."""

    async def answer(request: Request) -> Response:
        form = await read_form(request)
        if not is_own_form(console_of(request), request, form.get(CSRF)):
            return problem(request, IgenError("this form has expired", hint="reload its page"), 403)
        return await change(request, form)

    return Route(path, told(answer), methods=["POST"], name=change.__name__)


async def read_form(request: Request, most_bytes: int = MOST_FORM_BYTES) -> Form:
    """Return the fields of a form. Raises `FormTooLong`."""
    body, length = bytearray(), 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > MOST_HEARD_BYTES:
            break
        if length <= most_bytes:
            body += chunk
        else:
            body.clear()
    if length > most_bytes:
        raise FormTooLong(
            f"the form is longer than {format_bytes(most_bytes)}",
            hint="use a shorter study, or start it on the command line",
        )
    return Form(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
