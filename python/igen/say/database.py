"""Sentences about databases: locks and conflicts between users, and what was stored."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import factor_with_interval, rate
from igen.units import format_count, format_number, format_rate


def _one_writer(group: Group) -> Said:
    found = group.findings[0]
    least = format_rate(found.figure("least_throughput_per_s"))
    return Said(
        f"SQLite lets one connection write at a time, so more users add little: from "
        f"{group.number('least_users')} to {group.number('most_users')} users the throughput stays between "
        f"{least} and {rate(found.part('most_throughput_per_s'))}.",
        f"target is SQLite; highest over lowest throughput {factor_with_interval(found.part('ratio'))} "
        f"{group.limit()}",
    )


def _conflicts(group: Group) -> Said:
    at = group.listed("load")
    each = format_number(group.findings[0].figure("per_transaction"), 2)
    return Said(
        f"{group.listed('system')} at {at}: {group.number('conflicts')} attempts failed because of conflicts "
        f"between users and were retried, {each} per transaction; response times include the retries.",
        f"counter `conflicts` at {at}; {group.number('transactions')} transactions",
    )


def _stored(group: Group) -> Said:
    found = group.findings[0]
    lost = found.figure("lost")
    if lost:
        of_all = group.count("acknowledged", "acknowledged transaction")
        text = f"{format_count(lost)} of {of_all} {'is' if lost == 1 else 'are'} not stored"
    else:
        text = f"All {group.number('acknowledged')} acknowledged transactions are stored"
    if group.has("durability"):
        text += f"; the database is {group.listed('durability')}"
    return Said(
        f"{text}.",
        f"the history holds {group.count('stored', 'transaction')} of these runs, each with its own number",
    )


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "one-writer": _one_writer,
    "conflicts": _conflicts,
    "all-stored": _stored,
    "transactions-lost": _stored,
}
