"""Checks of the data: does it fit into a cache, so that only the cache is measured?"""

from __future__ import annotations

from igen.aspects.server.parts import Server
from igen.facts import (
    IO_DIRECT,
    IO_SIZE_BYTES,
    LDAP_ACCESSED_ENTRIES,
    LDAP_ENTRIES,
    MEMORY_TOTAL_BYTES,
    TARGET_DATABASE_BYTES,
    TARGET_MYSQL_INNODB_BUFFER_POOL_BYTES,
    TARGET_MYSQL_INNODB_FLUSH_METHOD,
    TARGET_POSTGRESQL_SHARED_BUFFERS,
    TARGET_SQLITE_CACHE_BYTES,
)
from igen.judge.record.target import Place
from igen.judge.result import System, aspect
from igen.judge.trust.finding import Finding, Part, finding
from igen.lint.finding import Found
from igen.lint.subject import ON_TABLES, engine_of, fact, number, place_of, size_bytes

TIMES_THE_CACHE = 2.0
"""Data smaller than this multiple of a cache mostly comes from the cache."""
FEW_ACCESSED = 0.1
HIGH_HIT_PERCENT = 99.0
CACHES = {
    "postgresql": TARGET_POSTGRESQL_SHARED_BUFFERS,
    "mysql": TARGET_MYSQL_INNODB_BUFFER_POOL_BYTES,
    "sqlite": TARGET_SQLITE_CACHE_BYTES,
}
"""Facts with the size of an engine's cache."""


def working_set(system: System) -> Found:
    """Compare the data with the memory that may hold it: the page cache, and the server's cache."""
    if system.workload == "io":
        yield from _of_files(system)
    elif system.workload in ON_TABLES:
        yield from _of_tables(system)


def _of_files(system: System) -> Found:
    direct = system.facts.get(IO_DIRECT)
    if direct is None or direct is True:
        if direct is None and system.levels:
            yield finding("page-cache-unknown")
        return
    size, memory = number(system, IO_SIZE_BYTES), number(system, MEMORY_TOTAL_BYTES)
    if size is None or memory is None:
        yield finding("file-size-unknown")
    elif size < TIMES_THE_CACHE * memory:
        yield _smaller(size, "files", memory, "page cache")


def _of_tables(system: System) -> Found:
    engine = engine_of(system)
    data = number(system, TARGET_DATABASE_BYTES.of(engine))
    own = size_bytes(system, CACHES[engine]) if engine in CACHES else None
    # The memory of a server elsewhere is not that of this host, and direct I/O passes by the page cache.
    here = place_of(system) is not Place.REMOTE and not _reads_directly(system)
    memory = number(system, MEMORY_TOTAL_BYTES) if here else None
    cache = max((each for each in (own, memory) if each is not None), default=None)
    if data is None or cache is None:
        if system.levels:
            yield finding("database-size-unknown")
    elif data < TIMES_THE_CACHE * cache:
        yield _smaller(data, "database", cache, "memory" if cache == memory else "server")


def _reads_directly(system: System) -> bool:
    """Return True if the server's cache is the only cache: InnoDB with O_DIRECT or O_DIRECT_NO_FSYNC."""
    return (fact(system, TARGET_MYSQL_INNODB_FLUSH_METHOD) or "").upper().startswith("O_DIRECT")


def _smaller(data: float, what: str, cache: float, of: str) -> Finding:
    parts = Part(name="data_bytes", figure=data, text=what), Part(name="cache_bytes", figure=cache, text=of)
    return finding("data-in-memory", *parts, limit=TIMES_THE_CACHE)


def accessed(system: System) -> Found:
    """Yield a load that accesses only a small part of the data."""
    entries, touched = number(system, LDAP_ENTRIES), number(system, LDAP_ACCESSED_ENTRIES)
    if entries and touched is not None and touched < FEW_ACCESSED * entries:
        yield finding("few-entries-accessed", accessed=touched, entries=entries)


def hit_ratio(system: System) -> Found:
    """Yield a high hit ratio of the server's cache, by the server's count."""
    served = [server for level in system.levels if (server := aspect(level, Server))]
    hits = [each.cache_hit_percent for each in served if each.cache_hit_percent is not None]
    if served and not hits:
        yield finding("hit-ratio-unknown")
    elif hits and max(hits) > HIGH_HIT_PERCENT:
        yield finding("high-hit-ratio", hit_percent=max(hits))
