"""Does what was acknowledged survive a failure, or was it fast because it would not?"""

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
from igen.lint.finding import Finding, Found, NotKnown
from igen.lint.subject import engine_of, fact, paths_of, writes

IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
ALWAYS_IN_MEMORY = ("/dev/shm/", "/run/shm/")
"""File systems in memory at fixed places."""
SERVERS = ("postgresql", "mysql")
"""Engines that do not tell where their files lie."""
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
"""Facts of settings by engine, and the values with which a failure loses or damages what was acknowledged."""


def durability(system: System) -> Found:
    """Settings that trade acknowledged transactions for speed; of loads that write."""
    if not writes(system):
        return
    engine = engine_of(system)
    if engine in UNSAFE:
        facts = {name: fact(system, name) for name in UNSAFE[engine]}
        off = [
            f"{_setting(name)} = {value}"
            for name, value in facts.items()
            if value is not None and UNSAFE[engine][name](value)
        ]
        if off:
            yield _lost(", ".join(off), ("all-stored", "transactions-lost"))
        elif any(value is None for value in facts.values()):
            unknown = ", ".join(_setting(name) for name, value in facts.items() if value is None)
            yield NotKnown(why=f"the server does not tell {unknown}")
    elif system.workload.startswith("ldap-"):
        yield from _of_directory(system)


def _setting(name: str) -> str:
    """Return the name of the setting that a fact is about."""
    return name.rpartition(".")[2]


def _of_directory(system: System) -> Found:
    waits = system.facts.get(TARGET_LDAP_WAITS_FOR_DISK)
    if waits is None:
        yield NotKnown(why="the directory does not tell whether modifies wait for the disk")
    elif not waits:
        yield _lost("dbnosync: modifies do not wait for the disk", ("directory-conditions",))


def _lost(settings: str, said_by: tuple[str, ...]) -> Finding:
    return Finding(
        found=settings,
        matters="a failure may lose what was acknowledged: no figure of a durable system is comparable",
        remedy="turn it on, or say so in the same sentence as the figure",
        said_by=said_by,
    )


def in_memory(system: System) -> Found:
    """Whether files that are written lie in a file system without a disk."""
    if not writes(system):
        return
    paths = paths_of(system)
    kinds = [*_kinds(system, paths)]
    if any(kind in IN_MEMORY for kind in kinds):
        yield Finding(
            found=f"{paths[0]} lies in {next(kind for kind in kinds if kind in IN_MEMORY)}",
            matters="nothing is written to a disk: flushes cost nothing and keep nothing",
            remedy="put it on the storage that is to be measured",
        )
    elif system.levels and (None in kinds or engine_of(system) in SERVERS):
        yield NotKnown(why="on which file system the target writes")


def _kinds(system: System, paths: list[str]) -> Iterator[str | None]:
    """The file system of each; None where it is not known."""
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
