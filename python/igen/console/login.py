"""How a visitor becomes known: by the code of a printed link, which works once, or by a token."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from igen.console.keys import Role, same
from igen.console.page import render
from igen.console.route import console_of, get, read_form, told
from igen.console.state import SESSION_S, Console

MOST_TRIES = 5
TRIES_WITHIN_S = 60.0


async def login(request: Request) -> Response:
    """The form; the code of a printed link stands in it, and a script sends it by itself."""
    code = request.query_params.get("code", "")
    return render(
        request, "login.html", code=code, next=_place(request.query_params.get("next", "")), said=""
    )


async def enter(request: Request) -> Response:
    """Takes a code or a token, and a name for what is noted and started."""
    console = console_of(request)
    form = await read_form(request)
    place, secret = _place(form.get("next")), form.get("code").strip()
    role = None
    owner = console.owner if secret in console.codes else ""
    if (said := _too_many(console)) == "":
        role = _role(console, secret)
        said = "This code is wrong, or was used before." if role is None else ""
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


def _too_many(console: Console) -> str:
    """Counts a try. A sentence where there were too many within a minute."""
    now = console.now()
    # A clock that was set back leaves tries that are still to come: they count no more.
    console.tries[:] = [each for each in console.tries if 0 <= now - each < TRIES_WITHIN_S]
    if len(console.tries) >= MOST_TRIES:
        return f"Too many tries: {MOST_TRIES} a minute are let in. Wait a minute."
    console.tries.append(now)
    return ""


def _role(console: Console, secret: str) -> Role | None:
    """What a secret allows; a code is used up by it, and the next one is printed."""
    found: Role | None = None
    for known, role in [*console.tokens.items(), *console.codes.items()]:
        if same(secret, known):
            found = role
    if secret in console.codes:
        del console.codes[secret]
        console.say_link()
    return found


def _place(given: str) -> str:
    """A path of this console; anything else would lead to another server."""
    parts = urlsplit(given.replace("\\", "/"))
    inside = given.startswith("/") and not given.startswith("//") and not (parts.scheme or parts.netloc)
    return given if inside and "\\" not in given and given.isprintable() else "/"


ROUTES = [get("/login", login), Route("/login", told(enter), methods=["POST"])]
