"""How pages are bound to paths. What changes something is a `post`: nothing else may."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from igen.console.guard import CSRF, is_own_form
from igen.console.page import problem
from igen.console.state import Console
from igen.errors import IgenError

MOST_FORM_BYTES = 1 << 20


class Form:
    """Fields of a form in the order in which they were sent."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = pairs

    def get(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return next((value for key, value in reversed(self.pairs) if key == name), default)

    def all(self, name: str) -> list[str]:
        """Every value of a field."""
        return [value for key, value in self.pairs if key == name]


Read = Callable[[Request], Awaitable[Response]]
Change = Callable[[Request, Form], Awaitable[Response]]


def console_of(request: Request) -> Console:
    """The console that serves the request."""
    console: Console = request.app.state.console
    return console


def get(path: str, page: Read) -> Route:
    """A page that only reads; its errors are a page too."""

    async def answer(request: Request) -> Response:
        try:
            return await page(request)
        except IgenError as error:
            return problem(request, error)

    return Route(path, answer, methods=["GET"], name=page.__name__)


def post(path: str, change: Change) -> Route:
    """A form that changes something: read with a bound on its size, and only if it is one of ours."""

    async def answer(request: Request) -> Response:
        try:
            form = await read_form(request)
            if not is_own_form(console_of(request), request, form.get(CSRF)):
                return problem(request, IgenError("this form is too old", hint="load its page again"), 403)
            return await change(request, form)
        except IgenError as error:
            return problem(request, error)

    return Route(path, answer, methods=["POST"], name=change.__name__)


async def read_form(request: Request) -> Form:
    """The fields of a form. Raises `IgenError` for one that is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM_BYTES:
            raise IgenError(
                "the form is longer than 1 MiB", hint="use the command line for a study of that size"
            )
    return Form(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
