"""The pages of a scenario: what they are called, and which of them are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from igen.har.correlate import Step
from igen.har.exchange import Exchange
from igen.har.expect import expected
from igen.har.fields import Draft, path_bytes, written
from igen.har.names import page_name, request_name
from igen.har.pages import Visit
from igen.har.scenario import PlannedPage, PlannedRequest
from igen.har.secrets import Secrets


def planned_pages(
    visits: list[Visit], titles: dict[str, str], secrets: Secrets
) -> tuple[list[PlannedPage], list[str]]:
    """Pages with their names, and the names in the order in which a session goes to them.

    A page that is there again, just the same, is one page.
    """
    pages: list[PlannedPage] = []
    known: dict[Any, PlannedPage] = {}
    taken: set[str] = set()
    names: list[str] = []
    for visit in visits:
        alike = likeness(visit)
        page = known.get(alike)
        if page is None:
            page = known[alike] = PlannedPage(
                name=page_name(visit, titles, secrets, taken),
                is_once=visit.is_once,
                think_s=visit.think_s,
                requests=list(_requests(visit, secrets)),
                resources=_resources(visit),
                remarks=[f"left out: {fault}" for fault in visit.faults],
            )
            pages.append(page)
        if not page.is_once:
            names.append(page.name)
    return pages, names


def _requests(visit: Visit, secrets: Secrets) -> Iterator[PlannedRequest]:
    taken: set[str] = set()
    for step in visit.steps:
        name = request_name(step.hops[0].method, step.draft, secrets, taken)
        yield PlannedRequest(name, step, expected(step.hops, step.draft, secrets))


def likeness(visit: Visit) -> Any:
    """What visits that are one page of the scenario have in common."""
    steps = [_likeness(step) for step in visit.steps]
    return (visit.is_once, *steps, *sorted(_resources(visit)))


def _likeness(step: Step) -> Any:
    """What two requests that are the same have in common."""
    draft, body = step.draft, step.draft.body
    extracts = sorted((name, place.by, place.text) for name, place in step.extracts.items())
    return (
        step.hops[0].method,
        written(draft.url),
        tuple((each.name, written([each])) for each in draft.headers),
        None
        if body is None
        else (body.kind, written(body.pieces), tuple((f.name, written([f])) for f in body.fields)),
        step.hops[-1].answer.status,
        tuple(extracts),
    )


def _resources(visit: Visit) -> list[str]:
    return list(dict.fromkeys(_resource(asked.first) for asked in visit.embedded))


def _resource(exchange: Exchange) -> str:
    """The path of something that is embedded, which has no holes."""
    query = f"?{exchange.url.query}" if exchange.url.query else ""
    return path_bytes(exchange.path + query)


def common_headers(drafts: Iterable[Draft]) -> dict[str, str]:
    """Headers that each request has, with the value that most of them have."""
    counts: dict[str, Counter[str]] = {}
    total = 0
    for draft in drafts:
        total += 1
        for each in draft.headers:
            if not each.hole and each.name.lower() not in ("content-type", "origin", "referer"):
                counts.setdefault(each.name, Counter())[written([each])] += 1
    return {name: values.most_common(1)[0][0] for name, values in counts.items() if values.total() == total}
