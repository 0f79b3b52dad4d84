"""Sentences about directories."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.load import operations
from igen.say.said import Said
from igen.say.words import because, rate
from igen.units import format_rate, format_short

SERVER = {"vendor": "", "version": "", "transport": "", "tls": "TLS: "}
"""Facts of the server, and the label of each."""


def _ldap_operations(group: Group) -> Said:
    counted, published = (
        group.number(name, format_rate) for name in ("operations_per_s", "published_operations_per_s")
    )
    each, published_each = (
        group.number(name, format_short) for name in ("operations_each", "published_operations_each")
    )
    return Said(
        f"{rate(group.findings[0].part('throughput_per_s'))} at {group.listed('load')} are {counted} LDAP "
        f"operations/s, {each} per transaction; with {published_each} per transaction, as published, "
        f"they would be {published}.",
        f"operations counted in {group.count('runs', 'run')} of that load; published results also count "
        "the authentication",
    )


WITHOUT_DISK = "dbnosync: modifies do not wait for the disk"


def _conditions(group: Group) -> Said:
    unknown = "unknown: cn=config cannot be read"
    durability = unknown
    if group.has("waits_for_disk"):
        waits = group.worst.figure("waits_for_disk") > 0
        durability = "each modify waits for the disk" if waits else WITHOUT_DISK
    text = f"Durability: {durability}; access log: {group.listed('access_log') or unknown}"
    if group.has("attributes"):
        doubt = because(group, "not-all-attributes")
        text += f"; attributes returned: {group.listed('attributes') or 'unknown'}"
        text += f" ({doubt})" if doubt else ""
    server = ", ".join(f"{label}{group.listed(name)}" for name, label in SERVER.items() if group.has(name))
    return Said(f"{text}.", server or "from the directory and the job")


def _agrees(group: Group) -> Said:
    counts = ", ".join(operations(part.text, part.figure or 0) for part in group.parts("operations"))
    return Said(
        f"The directory counted exactly the operations that were sent: {counts}.",
        "cn=Operations,cn=Monitor before and after each run, warm-up included",
    )


def _not_compared(group: Group) -> Said:
    return Said(
        f"The directory's own count cannot be compared with the operations sent: {group.listed('reason')}.",
        ", ".join(group.texts("target")),
    )


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "ldap-operations": _ldap_operations,
    "directory-conditions": _conditions,
    "directory-agrees": _agrees,
    "directory-not-compared": _not_compared,
}
PHRASES: dict[str, Callable[[Group], str]] = {
    "not-all-attributes": lambda _: "benchmarketing: not comparable with searches that return all attributes",
}
