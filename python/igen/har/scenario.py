"""A scenario as it is about to be written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from igen.har.correlate import Step
from igen.har.expect import Expected
from igen.har.secrets import Secrets

Think = Literal["recorded", "none"]


@dataclass(slots=True)
class PlannedRequest:
    """A request of a page."""

    name: str
    step: Step
    expected: Expected


@dataclass(slots=True)
class PlannedPage:
    """A page."""

    name: str
    is_once: bool
    think_s: float
    requests: list[PlannedRequest]
    resources: list[str]
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Planned:
    """All of it."""

    name: str
    source: str
    """The file of the recording."""
    pages: list[PlannedPage]
    headers: dict[str, str]
    """Those of all requests."""
    compression: list[str]
    is_http2: bool
    """Most of what it asks for was answered over HTTP/2."""
    secrets: Secrets
    think: Think
    visits: list[str] = field(default_factory=list)
    """Names of pages in the order in which the session goes to them."""
