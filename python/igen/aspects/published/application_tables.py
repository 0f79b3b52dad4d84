"""Published applications beside those of a run: users, what they did, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from igen.aspects.cache.parts import CacheHits
from igen.aspects.density.parts import Density
from igen.aspects.published.parts import published_beside
from igen.aspects.published.recomputed import think_time_s
from igen.aspects.published.reference import PublishedApplication
from igen.document import Column, Table
from igen.judge.result import Level, Result, System, aspect
from igen.layout.level import best_level
from igen.layout.number import ABSENT, column
from igen.say.web import hit_ratio

HERE = (
    "here: the highest VALID load within the response-time limit where users by watt or rack unit are told, "
    "else the level with the most pages/s."
)
NOTHING_HERE = "here: no level may be laid beside them, as none has a throughput that is valid."
NOTE = "Think time: users / transactions/s - response time. A transaction is a page, published a click."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A published result, or one of this run."""

    name: str
    users: int | None
    nodes: int | None = None
    per_s: float | None = None
    response_s: float | None = None
    users_per_watt: str = ABSENT
    users_per_rack_unit: float | None = None
    cache: str = ""


def published_applications_table(result: Result) -> Table:
    """No columns where nothing is published of this work."""
    published = list(
        {
            (each.product, each.users): each
            for system in result.systems
            for each in published_beside(system).applications
        }.values()
    )
    if not published:
        return Table([])
    rows = [_published(each) for each in published]
    here = [
        _here(system, level)
        for system in result.systems
        if published_beside(system).applications and (level := _shown(system)) is not None
    ]
    rows += here
    return Table(
        [
            Column("application", [row.name for row in rows], "text", key=True),
            Column("nodes", [ABSENT if row.nodes is None else str(row.nodes) for row in rows]),
            Column("users", column([row.users for row in rows])),
            Column("transactions/s", column([row.per_s for row in rows])),
            Column("response, s", column([row.response_s for row in rows], digits=3)),
            Column("think time, s", column([_think_s(row) for row in rows], digits=3)),
            Column("users/W", [row.users_per_watt for row in rows]),
            Column("users/RU", column([row.users_per_rack_unit for row in rows])),
            Column("cache", [row.cache or "not told" for row in rows], "text"),
        ],
        [f"{HERE if here else NOTHING_HERE} {NOTE}"],
    )


def _published(each: PublishedApplication) -> _Row:
    return _Row(
        name=f"{each.product}, published",
        nodes=each.nodes,
        users=each.users,
        per_s=each.transactions_per_s,
        response_s=each.response_time_s,
        users_per_watt=each.users_per_watt or ABSENT,
        users_per_rack_unit=each.users / each.rack_units if each.rack_units else None,
        cache=each.cache,
    )


def _shown(system: System) -> Level | None:
    """The level that the figures by watt and rack unit are of, so that a row is about one load."""
    density = aspect(system, Density)
    found = [level for level in system.levels if density and level.level == density.level]
    return found[0] if found else best_level(system)


def _here(system: System, level: Level) -> _Row:
    density = aspect(system, Density)
    watts = density.users_per_watt if density else None
    return _Row(
        name=system.name,
        users=level.users,
        per_s=level.throughput_per_s.value,
        response_s=times.mean / 1e3 if (times := level.response_time_ms) else None,
        users_per_watt=f"{watts.value:.3g}" if watts else ABSENT,
        users_per_rack_unit=density.users_per_rack_unit if density else None,
        cache=_cache(system, level),
    )


def _cache(system: System, level: Level) -> str:
    """The hit ratio that the application counted; else what the study says of its cache."""
    counted = aspect(level, CacheHits)
    return f"on, hit ratio {hit_ratio(counted.hit_percent)}" if counted else published_beside(system).cache


def _think_s(row: _Row) -> float | None:
    if row.users is None or not row.per_s or row.response_s is None:
        return None
    return think_time_s(row.users, row.per_s, row.response_s)
