"""Plays a scenario once, with one user, and compares what comes with what was recorded.

Not by the agent: that tells times, counts and reasons of a load, but not what an answer has.
"""

from __future__ import annotations

import http.client
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from igen.errors import IgenError, InputError
from igen.har.answers import unescaped_title
from igen.har.convert import Converted
from igen.har.player import Came, Player
from igen.har.scenario import PlannedRequest

TOLERANCE = 0.2
"""Allowed difference in the length of a body, as a share."""
ALIKE_BYTES = 64
"""Difference in bytes up to which bodies are alike, unless one is empty."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first answer that differs from the recording."""

    page: str
    request: str
    reason: str

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.page}: {self.request}: {self.reason}"


def origin_of(url: str, where: str) -> str:
    """Return scheme, host and port of a target. Raises `InputError` if it is malformed."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise InputError(f"`{url}`: {error}", where=where) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"`{url}` is not the URL of a web server", where=where, hint="such as http://shop.lab:8080"
        )
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def play(converted: Converted, url: str) -> Difference | None:
    """Asks for all that the pages of the scenario ask for, but not for what they embed.

    The rest follows from the first difference, so that one ends it. Raises `InputError` where a secret is
    missing, and `IgenError` where the target cannot be reached.
    """
    scenario = tomllib.loads(converted.text)
    secrets = _secrets(converted)
    planned = {
        (page.name, request.name): request for page in converted.planned.pages for request in page.requests
    }
    player = Player(url, scenario.get("defaults", {}), secrets)
    # A path has them percent-encoded.
    hidden = [form for value in secrets.values() if value for form in (value, quote(value, safe=""))]
    name, request = "", {"name": ""}
    try:
        for name, request in _requests(scenario):
            came = player.ask(request)
            if reason := came.fault or _difference(planned[name, request["name"]], came):
                return Difference(name, request["name"], _without(reason, hidden))
    except (OSError, http.client.HTTPException) as error:
        text = _without(f"{name}: {request['name']}: {error or type(error).__name__}", hidden)
        raise IgenError(text, where=url, hint="is the application running?") from None
    finally:
        player.close()
    return None


def _requests(scenario: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all requests in their order, with the names of their pages."""
    pages = {page["name"]: page for page in scenario["page"]}
    for step in [*scenario.get("once", []), *scenario["session"]["steps"]]:
        for request in pages[step["page"]]["request"]:
            yield step["page"], request


def _difference(planned: PlannedRequest, came: Came) -> str:
    """Return how an answer differs from the recording; empty if it does not."""
    recorded = planned.step.hops[-1].answer
    status = 200 if recorded.status == 304 else recorded.status
    if came.status != status:
        return f"status {came.status}, recorded {status}"
    # A browser that had the page already was told so, without a body.
    length = None if recorded.status == 304 or planned.step.hops[-1].method == "HEAD" else recorded.size_bytes
    if length is not None:
        is_empty = length > 0 and not came.body
        if is_empty or abs(len(came.body) - length) > max(TOLERANCE * length, ALIKE_BYTES):
            return f"{len(came.body)} bytes, recorded {length}"
    if planned.expected.contains:
        title, wanted = unescaped_title(came.text), unescaped_title(recorded.text)
        if title != wanted:
            return f"the title `{title}`, recorded `{wanted}`"
    return ""


def _without(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "…")
    return text


def _secrets(converted: Converted) -> dict[str, str]:
    """Return the secrets from the environment. Raises `InputError` if one is missing."""
    missing = [each.variable for each in converted.secrets if each.variable not in os.environ]
    if missing:
        raise InputError(
            f"missing environment variables: {', '.join(missing)}",
            where="--try",
            hint=f"the load needs them too: export {missing[0]}=...",
        )
    return {f"secret.{each.name}": os.environ[each.variable] for each in converted.secrets}
