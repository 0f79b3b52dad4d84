"""The list of jobs whose instructions are counted, and the servers that they load.

Users of a network share one thread, so that a system call takes the work of many of them, as under a real
load. The client is slow under callgrind, so that answers are there in time if the server has a processor.
On a busy machine a system call takes the work of fewer users, and the counts of servers change.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import agent, servers
from checks import tree

SHORT_S = 0.02
USERS = 16


@contextmanager
def nowhere() -> Iterator[str]:
    """Yield no target."""
    yield ""


@contextmanager
def file() -> Iterator[str]:
    """Yield a file of a disk, which the job creates."""
    with tempfile.TemporaryDirectory(dir=tree.ROOT / "target") as folder:
        yield f"file://{folder}/data"


@contextmanager
def postgresql() -> Iterator[str]:
    """Yield a database of a new PostgreSQL server."""
    with servers.postgresql() as server:
        yield server.target(server.host)


@contextmanager
def mariadb() -> Iterator[str]:
    """Yield a database of a new MariaDB server."""
    with servers.mariadb() as server:
        yield server.target(server.host)


@contextmanager
def directory() -> Iterator[str]:
    """Yield the tree of a new slapd."""
    with tempfile.TemporaryDirectory() as folder:
        ldif = Path(folder) / "people.ldif"
        tree_of = f"ldap://localhost/{servers.SUFFIX}"
        agent.export(agent.preparation("ldap-search", tree_of, LDAP), ldif)
        with servers.openldap(ldif) as server:
            yield server.anonymous


LDAP = {"entries": 1_000}
OLTP = {"customers": 1_000}
IO = {"size_bytes": "16MiB", "direct": "off", "depth": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A job whose instructions are counted."""

    name: str
    workload: str
    program: str = "igen-agent"
    """Crate and name of the program that executes the job."""
    measure_s: float = 3.0
    params: Mapping[str, Any] = field(default_factory=dict)
    target: Callable[[], AbstractContextManager[str]] = nowhere
    users: int = 1

    def job(self, target: str, measure_s: float) -> dict[str, Any]:
        """Return the job, in one interval and without monitors."""
        job = agent.job(self.workload, self.users, measure_s, params=self.params, steps=["measure"])
        job["phases"]["interval_s"] = 3600
        if target:
            job["targets"] = [target]
        if self.users > 1:
            job["placement"] = {"task": {"threads": 1}}
        return job

    def preparation(self, target: str) -> dict[str, Any]:
        """Return the job that creates its data."""
        return self.job(target, SHORT_S) | {"steps": ["prepare"]}


COUNTED = (
    Counted(name="noop", workload="noop", program="igen-model", measure_s=0.5),
    Counted(name="model", workload="model", program="igen-model", measure_s=1.0),
    Counted(name="io", workload="io", measure_s=1.0, params=IO, target=file),
    Counted(name="http", workload="http", target=lambda: servers.nginx(100), users=USERS),
    Counted(name="ldap-search", workload="ldap-search", params=LDAP, target=directory, users=USERS),
    Counted(name="oltp-postgresql", workload="oltp", params=OLTP, target=postgresql, users=USERS),
    Counted(name="oltp-mariadb", workload="oltp", params=OLTP, target=mariadb, users=USERS),
    Counted(name="bank-postgresql", workload="bank", target=postgresql, users=USERS),
    Counted(name="bank-mariadb", workload="bank", target=mariadb, users=USERS),
)
