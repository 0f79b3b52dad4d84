"""Login by the code of a printed link, which works once, or by a token."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from igen.console.connections import client_address
from igen.console.keys import Role, same
from igen.console.page import render
from igen.console.route import console_of, get, read_form, told
from igen.console.state import SESSION_S, Console
from igen.console.tries import WITHIN_S

MOST_LOGIN_BYTES = 64 << 10
"""Longest form of a login, which anyone may send. It has a quoted address, as long as a head may be."""


class _TooManyTriesError(Exception):
    """The secret was not looked at."""


async def login(request: Request) -> Response:
    """Show the form; it contains the code of a printed link, and a script sends it."""
    code = request.query_params.get("code", "")
    return render(
        request, "login.html", code=code, next=_place(request.query_params.get("next", "")), said=""
    )


async def enter(request: Request) -> Response:
    """Log in with a code or a token, and a name for notes and runs."""
    console = console_of(request)
    form = await read_form(request, MOST_LOGIN_BYTES)
    place, secret = _place(form.get("next")), form.get("code").strip()
    owner = console.owner if secret in console.codes else ""
    try:
        role = _role(console, secret, client_address(request.client.host if request.client else ""))
        said = "This code is wrong or was already used."
    except _TooManyTriesError:
        role = None
        said = (
            f"Too many wrong codes. Wait {WITHIN_S:.0f} s, or use the newest link that the console printed."
        )
    if role is None:
        return render(request, "login.html", status=403, code="", next=place, said=said)
    name = "".join(each for each in form.get("name")[:60] if each.isprintable()).strip() or owner
    expires_unix_s = console.now() + SESSION_S
    answer = RedirectResponse(place, 303)
    answer.set_cookie(
        console.cookie,
        console.signer.sign("session", [role, name], expires_unix_s),
        max_age=int(SESSION_S),
        httponly=True,
        samesite="strict",
        secure=console.secure,
    )
    return answer


def _role(console: Console, secret: str, address: str) -> Role | None:
    """Return what a secret allows, and None for a wrong one. Raises `_TooManyTriesError`.

    A code works once, and the next one is printed. It has 128 random bits, which nobody guesses at any rate.
    Wrong secrets of other accounts at the same address therefore do not stop it.
    """
    for known, role in list(console.codes.items()):
        if same(secret, known):
            del console.codes[known]
            console.say_link()
            return role
    if not console.tries.are_left(address, console.now()):
        raise _TooManyTriesError
    found: Role | None = None
    for known, role in console.tokens.items():
        if same(secret, known):
            found = role
    if found is None:
        console.tries.add_wrong(address, console.now())
    return found


def _place(given: str) -> str:
    """Return a path of this console; any other address would lead to another server."""
    parts = urlsplit(given.replace("\\", "/"))
    inside = given.startswith("/") and not given.startswith("//") and not (parts.scheme or parts.netloc)
    return given if inside and "\\" not in given and given.isprintable() else "/"


ROUTES = [get("/login", login), Route("/login", told(enter), methods=["POST"])]
