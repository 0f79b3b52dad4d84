"""Writes a scenario in TOML, as the workload `web` reads it."""

from __future__ import annotations

from collections.abc import Iterator

from igen.har import toml_text as toml
from igen.har.answers import Place
from igen.har.fields import Draft, written
from igen.har.scenario import Planned, PlannedPage, PlannedRequest
from igen.har.timing import comes_after, think_line

WIDTH = 110
"""Longest line of a table."""


def scenario_text(planned: Planned, summary: str) -> str:
    """The file."""
    return "\n".join(_lines(planned, summary)) + "\n"


def _lines(planned: Planned, summary: str) -> Iterator[str]:
    hidden = planned.secrets.without
    yield toml.comment(hidden(f"Written by `igen study import {planned.source}`: {summary}."))
    yield f"name = {toml.text(planned.name)}"
    yield from _defaults(planned)
    if planned.is_http2:
        # The target may be another one, which does not speak it.
        yield '\n[browser]\nprotocol = "auto"'
    if planned.secrets.placeholders:
        yield "\n[secrets]"
        for secret in planned.secrets.placeholders.values():
            yield f'{secret.name} = "env:{secret.variable}"  {toml.comment(hidden(secret.where))}'
    for page in planned.pages:
        if page.is_once:
            yield f"\n[[once]]\npage = {toml.text(page.name)}"
    yield "\n[session]"
    yield "steps = ["
    yield from (f"  {toml.inline({'page': toml.text(name)})}," for name in planned.visits)
    yield "]"
    for page in planned.pages:
        yield from _page(page, planned)


def _defaults(planned: Planned) -> Iterator[str]:
    lines = []
    if planned.compression:
        lines.append(f"compression = [{', '.join(map(toml.text, planned.compression))}]")
    headers = {name: toml.text(value) for name, value in planned.headers.items()}
    line, part = toml.table("defaults.headers", headers, WIDTH) if headers else ("", [])
    if lines or line:
        yield "\n[defaults]"
        yield from (each for each in [*lines, line] if each)
    if part:
        yield ""
        yield from part


def _page(page: PlannedPage, planned: Planned) -> Iterator[str]:
    yield f"\n[[page]]\nname = {toml.text(page.name)}"
    yield from (toml.comment(planned.secrets.without(remark)) for remark in page.remarks)
    if planned.think == "recorded" and (line := think_line(page)):
        yield line
    if page.resources:
        yield "resource = ["
        yield from (f"  {toml.inline({'get': toml.text(path)})}," for path in page.resources)
        yield "]"
    after = comes_after(page.requests)
    for request in page.requests:
        yield from _request(request, planned, after.get(request.name, ""))


def _request(request: PlannedRequest, planned: Planned, after: str) -> Iterator[str]:
    step, expect = request.step, request.expected
    yield "\n[[page.request]]"
    yield from (toml.comment(f"check this: {planned.secrets.without(remark)}") for remark in step.remarks)
    yield f"name = {toml.text(request.name)}"
    yield f"{step.hops[0].method.lower()} = {toml.text(written(step.draft.url))}"
    lines, parts = [f"after = {toml.text(after)}" if after else ""], []
    for name, values in _tables(step.draft, planned.headers).items():
        line, part = toml.table(f"page.request.{name}", values, WIDTH)
        lines.append(line)
        parts.append(part)
    body = step.draft.body
    if body is not None and body.kind != "form":
        lines.append(f"{body.kind} = {toml.text(written(body.pieces))}")
    expects = {}
    if expect.status is not None:
        expects["status"] = str(expect.status)
    if expect.contains:
        expects["contains"] = toml.text(expect.contains)
    if expects:
        lines.append(f"expect = {toml.inline(expects)}")
    if expect.redirects is not None:
        lines.append(f"redirects = {expect.redirects}")
    lines += [
        f"extract.{toml.key(name)} = {toml.inline(_place(place))}" for name, place in step.extracts.items()
    ]
    yield from (line for line in lines if line)
    for part in parts:
        yield from part


def _tables(draft: Draft, common: dict[str, str]) -> dict[str, dict[str, str]]:
    """Yield headers and form of a request, if it has them."""
    tables = {}
    headers = {each.name: written([each]) for each in draft.headers}
    if own := {name: toml.text(value) for name, value in headers.items() if common.get(name) != value}:
        tables["headers"] = own
    if draft.body is not None and draft.body.kind == "form":
        tables["form"] = {each.name: toml.text(written([each])) for each in draft.body.fields}
    return tables


def _place(place: Place) -> dict[str, str]:
    return {place.by: toml.text(place.text)}
