"""What every request passes before a page sees it, and every answer on its way out.

Host (421), session (to the login), role (403), origin and token of forms (403); then the headers that keep a
page from doing what it should not.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from igen.console.keys import Role, same
from igen.console.state import Console

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
OPEN = ("/login", "/static/", "/s/")
"""Paths that need no session; a shared link is its own key."""
SAFE_METHODS = ("GET", "HEAD")
CSRF = "csrf"
CSRF_HEADER = "x-csrf-token"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: `request.state.visitor`."""

    role: Role
    session: str = ""
    """The cookie; empty for a shared link."""
    name: str = ""

    @property
    def may_run(self) -> bool:
        """True if the visitor may change something."""
        return self.role == "run"


class Guard:
    """The middleware."""

    def __init__(self, app: ASGIApp, console: Console) -> None:
        self.app = app
        self.console = console

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it if it is not allowed."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        request = Request(scope)
        answer = self._refusal(request)
        # A client that leaves in the middle of its form is not a fault: do not log it.
        with contextlib.suppress(ClientDisconnect):
            await (answer or self.app)(scope, receive, sent)

    def _refusal(self, request: Request) -> Response | None:
        if _host_name(request.headers.get("host", "")) not in self.console.hosts:
            text = "This console does not accept this host name. `igen console --allow-host NAME` adds it.\n"
            return PlainTextResponse(text, 421)
        visitor = self._visitor(request)
        request.state.visitor = visitor or Visitor("read")
        path = request.url.path
        if request.method not in SAFE_METHODS:
            if not _same_origin(request):
                return PlainTextResponse(
                    "This form was sent from another site: use the pages of this console.\n", 403
                )
            if path == "/login":
                return None
            if visitor is None or not visitor.may_run or self.console.read_only:
                return PlainTextResponse("You have read-only access.\n", 403)
        elif visitor is None and not path.startswith(OPEN):
            where = quote(f"{path}?{request.url.query}" if request.url.query else path, safe="")
            return RedirectResponse(f"/login?next={where}", 303)
        return None

    def _visitor(self, request: Request) -> Visitor | None:
        word = request.cookies.get(self.console.cookie, "")
        match self.console.signer.read("session", word, self.console.now()) if word else None:
            case ["run", str(name)]:
                return Visitor("read" if self.console.read_only else "run", word, name)
            case ["read", str(name)]:
                return Visitor("read", word, name)
        return None


def form_token(console: Console, visitor: Visitor) -> str:
    """Return the token for the forms of a session."""
    return console.signer.token(CSRF, visitor.session)


def is_own_form(console: Console, request: Request, given: str) -> bool:
    """Return True if a form was made for the session that sends it."""
    token = given or request.headers.get(CSRF_HEADER, "")
    return same(token, form_token(console, request.state.visitor))


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _same_origin(request: Request) -> bool:
    """Return True if a page of this console sent the request, or a client that is not a browser."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    try:
        own = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    except ValueError:
        return False
    return site == "same-origin" and own


def _add_headers(headers: MutableHeaders) -> None:
    headers.setdefault("content-security-policy", POLICY)
    headers.setdefault("cache-control", "no-store")
    headers["x-content-type-options"] = "nosniff"
    headers["referrer-policy"] = "same-origin"
    headers["cross-origin-opener-policy"] = "same-origin"
    headers["cross-origin-resource-policy"] = "same-origin"
