"""Targets of redirects, with host and port in any form."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PORTS = {"http": 80, "https": 443}
"""Default port of each scheme."""


class AstrayError(Exception):
    """A redirect that users of the load do not follow; its text is the reason."""


def server_of(url: SplitResult) -> tuple[str, str, int | None]:
    """Return scheme, host and port. Raises ValueError if the port is malformed."""
    return url.scheme, url.hostname or "", url.port or PORTS.get(url.scheme)


def leads_to(goal: str, url: SplitResult) -> bool:
    """Return True if a redirect leads to this URL."""
    try:
        parts = urlsplit(goal)
        same_server = server_of(parts) == server_of(url)
    except ValueError:
        return False
    return same_server and (parts.path or "/", parts.query) == (url.path or "/", url.query)


def path_behind(location: str, path: str, origin: str) -> str:
    """Path and query that a `Location` names, seen from a path of the target.

    Raises `AstrayError` where it leads away from the target.
    """
    own, named = urlsplit(origin), location.partition("#")[0]
    try:
        goal = urlsplit(urljoin(origin + path, named))
        scheme, host, port = server_of(goal)
    except ValueError:
        raise AstrayError("a redirect without a valid URL") from None
    if scheme not in PORTS or not named or not all("!" <= letter <= "~" for letter in named):
        raise AstrayError("a redirect without a valid URL")
    if (scheme, host, port) != server_of(own):
        if host == own.hostname and scheme != own.scheme:
            raise AstrayError(f"a redirect to {scheme}://, but the target is {own.scheme}://")
        raise AstrayError(f"a redirect to another host: {goal.netloc.rpartition('@')[2]}")
    return (goal.path or "/") + (f"?{goal.query}" if goal.query else "")


def method_behind(method: str, status: int) -> str:
    """Return the method of the next request, as in browsers (Fetch, 4.4)."""
    becomes_get = method != "head" if status == 303 else status in (301, 302) and method == "post"
    return "get" if becomes_get else method
