"""What the reader of a directory's result must know besides its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.directory.parts import CrossCheck, cross_check_at, operations_at
from igen.facts import (
    LDAP_ATTRIBUTES,
    TARGET_LDAP_ACCESS_LOG,
    TARGET_LDAP_VENDOR,
    TARGET_LDAP_WAITS_FOR_DISK,
    TARGET_TLS,
    TARGET_TRANSPORT,
    TARGET_VERSION,
)
from igen.judge.curve.named import load_of, throughput
from igen.judge.curve.points import used_runs
from igen.judge.record.target import target_schemes
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding

ALL_ATTRIBUTES = "all"
"""Value of the fact `ldap.attributes` if each search returns the whole entry."""
KIND = "ldap"
"""Kind of the target in the names of facts."""


def directory_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield the rate of LDAP operations, the conditions of it, and whether the directory agrees."""
    if not target_schemes(system.targets) & {"ldap", "ldaps", "ldapi"}:
        return
    yield from _ldap_operations(system, levels)
    yield _conditions(system)
    yield from _cross_check([check for level in system.levels if (check := cross_check_at(level))])


def _ldap_operations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield the rate of LDAP operations at the level with the highest throughput."""
    found = [(level, operations) for level in levels if (operations := operations_at(level))]
    if not found:
        return
    level, operations = max(found, key=lambda pair: pair[0].throughput_per_s.value)
    yield finding(
        "ldap-operations",
        load_of(system, level),
        throughput(system, level.throughput_per_s),
        figure("operations_per_s", operations.per_s),
        figure("published_operations_per_s", operations.published_per_s),
        operations_each=operations.each,
        published_operations_each=operations.each + 1,
        runs=len(used_runs(level)),
    )


def _conditions(system: System) -> Finding:
    """Return what makes the figures of directories incomparable."""
    names = {
        "access_log": TARGET_LDAP_ACCESS_LOG,
        "vendor": TARGET_LDAP_VENDOR,
        "version": TARGET_VERSION.of(KIND),
        "transport": TARGET_TRANSPORT.of(KIND),
        "tls": TARGET_TLS.of(KIND),
    }
    known = {part: value for part, name in names.items() if (value := system.facts.get(name))}
    parts = [Part(name=part, text=str(value)) for part, value in known.items()]
    waits = system.facts.get(TARGET_LDAP_WAITS_FOR_DISK)
    if waits is not None:
        parts.insert(0, Part(name="waits_for_disk", figure=float(bool(waits))))
    if LDAP_ATTRIBUTES not in system.facts:
        return finding("directory-conditions", *parts)
    attributes = str(system.facts[LDAP_ATTRIBUTES] or "")
    because = [finding("not-all-attributes")] if attributes != ALL_ATTRIBUTES else []
    return finding("directory-conditions", *parts, because=because, attributes=attributes)


def _cross_check(checks: Sequence[CrossCheck]) -> Iterator[Finding]:
    """Yield the counts of all levels if they agree: if they do not, a verdict has the figures."""
    counting = [each for each in checks if each.counted]
    if counting and all(each.sent == each.counted for each in counting):
        kinds = dict.fromkeys(kind for each in counting for kind in each.sent)
        totals = {kind: sum(each.sent.get(kind, 0) for each in counting) for kind in kinds}
        yield finding(
            "directory-agrees",
            *(Part(name="operations", figure=total, text=kind) for kind, total in totals.items() if total),
        )
    uncounted = {target: why for each in checks for target, why in each.uncounted.items()}
    for why in dict.fromkeys(uncounted.values()):
        targets = [Part(name="target", text=target) for target, each in uncounted.items() if each == why]
        yield finding("directory-not-compared", *targets, reason=why)
