"""Conversion of a recording into the text of a scenario, with remarks."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from igen.errors import InputError
from igen.har.correlate import Correlation, Step
from igen.har.draft import Unusable, draft_of
from igen.har.exchange import Exchange
from igen.har.fields import Field
from igen.har.leave_out import Chosen, chosen
from igen.har.pages import Visit, visits_of
from igen.har.plan import common_headers, likeness, planned_pages
from igen.har.read import read_recording
from igen.har.requests import with_redirects
from igen.har.scenario import Planned, Think
from igen.har.secrets import Placeholder, Secrets, secrets_of
from igen.har.write import scenario_text

MOST_OPERATIONS = 256
"""Most pages and requests of a scenario together: the load has statistics for each."""
MOST_BYTES = 4 << 20
"""Longest scenario."""
_SHORTER = "record a shorter session, or several sessions"
_PLACEHOLDER = re.compile(r"\{secret\.\w+\}")
_SIGN_OUT = re.compile(r"log-?_?out|sign-?_?out|abmelden", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the import."""

    hosts: tuple[str, ...] = ()
    """Additional hosts of the application."""
    think: Think = "recorded"
    origin: str | None = None
    """Scheme and host of the target, for headers that name it."""


@dataclass(slots=True)
class Converted:
    """A scenario with remarks."""

    planned: Planned
    extracted: int
    """Values that the scenario takes from answers."""
    host: str
    origin: str
    """Scheme and host of the recorded pages."""
    left_out: Counter[str]
    """Number of exchanges outside the scenario by reason."""
    other_hosts: Counter[str]
    is_without_cookies: bool
    """True if the recording was probably exported without sensitive data."""
    is_without_bodies: bool
    """True if no answer has its body, so that no value could be extracted."""
    text: str = ""

    @property
    def pages(self) -> int:
        """Number of different pages."""
        return len(self.planned.pages)

    @property
    def requests(self) -> int:
        """Number of their requests without embedded resources."""
        return sum(len(page.requests) for page in self.planned.pages)

    @property
    def resources(self) -> int:
        """Number of embedded resources."""
        return sum(len(page.resources) for page in self.planned.pages)

    @property
    def look_at(self) -> list[str]:
        """Return remarks for a person to check, with page and request."""
        found = []
        for page in self.planned.pages:
            for request in page.requests:
                found += [f"{page.name}: {request.name}: {remark}" for remark in request.step.remarks]
            found += [f"{page.name}: {remark}" for remark in page.remarks]
        return [self.planned.secrets.without(each) for each in found]

    @property
    def secrets(self) -> list[Placeholder]:
        """Return the secrets of the scenario."""
        return list(self.planned.secrets.placeholders.values())

    @property
    def notes(self) -> list[str]:
        """Return missing parts of the recording."""
        notes = []
        if self.is_without_cookies:
            notes.append(
                "it has neither cookies nor authorization: it was probably exported without sensitive "
                "data. If the application has a login, export it with sensitive data"
            )
        if self.is_without_bodies:
            notes.append("it has no response bodies, so no value could be extracted: export it with content")
        return notes

    @property
    def summary(self) -> str:
        """Return the most important figures."""
        parts = ((self.requests, "request"), (self.pages, "page"), (self.extracted, "value"))
        counted = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in parts]
        return f"{', '.join(counted)} extracted, {len(self.look_at)} to check"


def convert(path: Path, options: Options, *, called: Path | None = None) -> Converted:
    """The scenario of a recording. Raises `InputError` where there is none in it.

    It is `called` by another name in scenario and errors where it stands in a file without one.
    """
    called = called or path
    recording = read_recording(path, str(called))
    left = chosen(recording, options.hosts, str(called))
    visits = visits_of(with_redirects(left.exchanges))
    for visit in visits:
        _take_apart(visit, options.origin)
    drafts = [asked.draft for visit in visits for asked in visit.requests if asked.draft is not None]
    secrets = secrets_of(recording.exchanges, drafts)
    for visit in visits:
        _promote(visit, secrets, options.origin)
    visits = _usable(visits, left, str(called))
    for visit in visits[: _once(visits)]:
        visit.is_once = True
    extracted = _correlate(visits, secrets, str(called))
    steps = [step for visit in visits for step in visit.steps]
    pages, order = planned_pages(visits, recording.titles, secrets)
    accepted = [step.hops[0].header("accept-encoding") or "" for step in steps]
    planned = Planned(
        name=secrets.without(called.stem),
        source=called.name,
        pages=pages,
        headers=common_headers([step.draft for step in steps]),
        compression=["gzip"] if any("gzip" in each for each in accepted) else [],
        is_http2=2 * sum("http2" in step.hops[0].marks for step in steps) > len(steps),
        secrets=secrets,
        think=options.think,
        visits=order,
    )
    converted = Converted(
        planned=planned,
        extracted=extracted,
        host=left.host,
        origin=left.origin,
        left_out=left.left_out,
        other_hosts=left.other_hosts,
        is_without_cookies=_is_without_cookies(recording.exchanges),
        is_without_bodies=not any(step.hops[-1].answer.text for step in steps),
    )
    converted.text = scenario_text(planned, converted.summary)
    _check(converted, str(called))
    return converted


def _take_apart(visit: Visit, origin: str | None) -> None:
    """Split the requests of a page into parts; requests that a scenario cannot have are its faults."""
    for asked in visit.requests:
        try:
            asked.draft = draft_of(asked.first, origin)
        except Unusable as error:
            visit.faults.append(f"{asked.first.method} {asked.first.path}: {error}")


def _promote(visit: Visit, secrets: Secrets, origin: str | None) -> None:
    """Makes requests of what is embedded by a path that tells a secret: all users would have the same one.

    Likewise of what needs a word of its own on redirects: it leads to another host, or over more than usual.

    What has failed when it was recorded is not embedded at all.
    """
    embedded = []
    for asked in visit.embedded:
        draft = draft_of(asked.first, origin)
        values = [piece for piece in draft.url if isinstance(piece, Field)]
        has_failed = asked.last.answer.status >= 400
        if any(secrets.has(value) for value in values) or not (has_failed or asked.is_within_redirects):
            asked.draft = draft
            visit.requests.append(asked)
        elif not has_failed:
            embedded.append(asked)
    visit.embedded = embedded


def _usable(visits: list[Visit], left: Chosen, where: str) -> list[Visit]:
    """Return the pages with a usable request; resources of other pages belong to the page before."""
    usable: list[Visit] = []
    for visit in visits:
        if any(asked.draft is not None for asked in visit.requests):
            usable.append(visit)
            continue
        left.left_out["that no scenario can have"] += len(visit.requests)
        if usable:
            usable[-1].embedded += visit.embedded
            usable[-1].faults += visit.faults
    if not usable:
        reasons = {fault.rpartition(": ")[2] for visit in visits for fault in visit.faults}
        count, told = sum(len(visit.faults) for visit in visits), ", ".join(sorted(reasons))
        hint = "record other pages too"
        raise InputError(f"none of {count} requests can be used: {told}", where=where, hint=hint)
    return usable


def _once(visits: list[Visit]) -> int:
    """Return the number of pages visited once, up to the sign-in; 0 if the recording signs out again."""
    signs_in = 0
    for index, visit in enumerate(visits):
        for asked in visit.requests:
            if _SIGN_OUT.search(asked.first.path):
                return 0
            body = asked.draft.body if asked.draft is not None else None
            named = [value.name.lower() for value in body.values()] if body is not None else []
            # One who changes a password says the old one and the new one.
            if not signs_in and sum("pass" in name or "pwd" in name for name in named) == 1:
                signs_in = index + 1
    return signs_in if signs_in < len(visits) else 0


def _correlate(visits: list[Visit], secrets: Secrets, where: str) -> int:
    """Makes the requests of the pages, and finds where their values come from; how many are extracted.

    Raises `InputError` as soon as there are too many: each request costs more than the one before it. Visits
    that differ now are different pages in the end, whatever their variables are called.
    """
    correlation, different = Correlation(secrets), set[Any]()
    operations = 0
    for visit in visits:
        _make_steps(visit, secrets)
        for step in visit.steps:
            correlation.add(step)
        if (alike := likeness(visit)) not in different:
            different.add(alike)
            operations += 1 + len(visit.steps) + bool(visit.embedded)
            _check_operations(operations, where)
    return correlation.name()


def _make_steps(visit: Visit, secrets: Secrets) -> None:
    for asked in visit.requests:
        if asked.draft is not None:
            where = f"{asked.first.method} {secrets.without(asked.first.path)}"
            visit.steps.append(Step(asked.draft, asked.hops, visit.is_once, where))


def _is_without_cookies(exchanges: list[Exchange]) -> bool:
    """Return True if there are no cookies and no authorization, the default of browsers."""
    for exchange in exchanges:
        names = {name.lower() for name, _ in [*exchange.headers, *exchange.answer.headers]}
        if exchange.cookies or exchange.answer.cookies or names & {"cookie", "set-cookie", "authorization"}:
            return False
    return True


def _check(converted: Converted, where: str) -> None:
    """Raise `InputError` for a scenario that is too large or contains a secret."""
    operations = converted.pages + converted.requests
    operations += sum(bool(page.resources) for page in converted.planned.pages)
    _check_operations(operations, where)
    if len(converted.text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise InputError("would become a scenario of more than 4 MiB", where=where, hint=_SHORTER)
    for line in converted.text.splitlines():
        if converted.planned.secrets.tells(_PLACEHOLDER.sub("", line)):
            hint = "rename the field or header that has the same value as the secret"
            raise InputError("has a secret in a place that cannot be hidden", where=where, hint=hint)
    tomllib.loads(converted.text)


def _check_operations(operations: int, where: str) -> None:
    if operations > MOST_OPERATIONS:
        told = f"has more than {MOST_OPERATIONS} pages and requests, the limit of a scenario"
        raise InputError(told, where=where, hint=_SHORTER)
