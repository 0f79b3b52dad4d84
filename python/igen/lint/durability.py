"""Checks of durability: do acknowledged transactions survive a failure?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from igen.facts import (
    STORAGE_WORKING_DIRECTORY_FILE_SYSTEM,
    STORAGE_WORKING_DIRECTORY_MOUNT_POINT,
    TARGET_LDAP_WAITS_FOR_DISK,
    TARGET_MYSQL_INNODB_DOUBLEWRITE,
    TARGET_MYSQL_INNODB_FLUSH_LOG_AT_TRX_COMMIT,
    TARGET_POSTGRESQL_FSYNC,
    TARGET_POSTGRESQL_FULL_PAGE_WRITES,
    TARGET_POSTGRESQL_SYNCHRONOUS_COMMIT,
    TARGET_SQLITE_JOURNAL_MODE,
    TARGET_SQLITE_SYNCHRONOUS,
)
from igen.judge.result import System
from igen.judge.trust.finding import Part, finding
from igen.lint.finding import Found
from igen.lint.subject import engine_of, fact, paths_of, writes

IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
ALWAYS_IN_MEMORY = ("/dev/shm/", "/run/shm/")
"""File systems in memory at fixed places."""
SERVERS = ("postgresql", "mysql")
"""Engines that do not report the place of their files."""
_OFF = ("off", "0", "false", "no")


def _is_off(value: str) -> bool:
    return value.lower() in _OFF


UNSAFE: dict[str, dict[str, Callable[[str], bool]]] = {
    "postgresql": {
        TARGET_POSTGRESQL_FSYNC: _is_off,
        TARGET_POSTGRESQL_SYNCHRONOUS_COMMIT: _is_off,
        TARGET_POSTGRESQL_FULL_PAGE_WRITES: _is_off,
    },
    "mysql": {
        TARGET_MYSQL_INNODB_FLUSH_LOG_AT_TRX_COMMIT: lambda value: value != "1",
        TARGET_MYSQL_INNODB_DOUBLEWRITE: _is_off,
    },
    "sqlite": {
        TARGET_SQLITE_SYNCHRONOUS: lambda value: value.lower() in ("off", "0", "normal", "1"),
        TARGET_SQLITE_JOURNAL_MODE: lambda value: value.lower() in ("off", "memory"),
    },
}
"""Facts of settings by engine, and the values with which a failure loses acknowledged transactions."""


def durability(system: System) -> Found:
    """Yield settings that trade durability for speed, for loads that write."""
    if not writes(system):
        return
    engine = engine_of(system)
    if engine in UNSAFE:
        facts = {name: fact(system, name) for name in UNSAFE[engine]}
        off = [
            Part(name=name, text=value)
            for name, value in facts.items()
            if value is not None and UNSAFE[engine][name](value)
        ]
        unknown = [Part(name="setting", text=name) for name, value in facts.items() if value is None]
        if off:
            yield finding("not-durable", *off)
        elif unknown:
            yield finding("settings-unknown", *unknown)
    elif system.workload.startswith("ldap-"):
        yield from _of_directory(system)


def _of_directory(system: System) -> Found:
    waits = system.facts.get(TARGET_LDAP_WAITS_FOR_DISK)
    if waits is None:
        yield finding("flush-unknown")
    elif not waits:
        yield finding("modifies-not-flushed")


def in_memory(system: System) -> Found:
    """Yield written files in a file system without a disk."""
    if not writes(system):
        return
    paths = paths_of(system)
    kinds = [*_kinds(system, paths)]
    if any(kind in IN_MEMORY for kind in kinds):
        file_system = next(kind for kind in kinds if kind in IN_MEMORY)
        yield finding("files-in-memory", path=paths[0], file_system=str(file_system))
    elif system.levels and (None in kinds or engine_of(system) in SERVERS):
        yield finding("file-system-unknown")


def _kinds(system: System, paths: list[str]) -> Iterator[str | None]:
    """Return the file system of each path; None if unknown."""
    known = fact(system, STORAGE_WORKING_DIRECTORY_FILE_SYSTEM)
    mount = fact(system, STORAGE_WORKING_DIRECTORY_MOUNT_POINT)
    for path in paths:
        if path.startswith(ALWAYS_IN_MEMORY):
            yield IN_MEMORY[0]
        elif not path.startswith("/"):
            yield known
        else:
            below = mount not in (None, "/") and PurePosixPath(path).is_relative_to(str(mount))
            yield known if below else None
