"""What the reader of a directory's result must know beside its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.directory.operations import operations_text
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
from igen.judge.points import used_runs
from igen.judge.result import Level, Observation, System
from igen.judge.target import target_schemes
from igen.judge.wording import load, rate
from igen.units import counted, format_rate

ALL_ATTRIBUTES = "all"
"""Value of the fact `ldap.attributes` where each search returns the whole entry."""
UNKNOWN = "unknown: cn=config cannot be read"
KIND = "ldap"
"""Kind of the target in the names of facts."""
BENCHMARKETING = "benchmarketing: not comparable with searches that return all attributes"


def directory_observations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    """The rate of LDAP operations, under which conditions it was reached, whether the directory agrees."""
    if not target_schemes(system.targets) & {"ldap", "ldaps", "ldapi"}:
        return
    yield from _ldap_operations(system, levels)
    yield from _conditions(system)
    yield from _cross_check([check for level in system.levels if (check := cross_check_at(level))])


def _ldap_operations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    """At the level with the highest throughput."""
    found = [(level, operations) for level in levels if (operations := operations_at(level))]
    if not found:
        return
    level, operations = max(found, key=lambda pair: pair[0].throughput_per_s.value)
    text = (
        f"{rate(system, level.throughput_per_s.value)} at {load(system, level)} are "
        f"{format_rate(operations.per_s.value)} LDAP operations/s, {operations.each:.3g} each; "
        f"× {operations.each + 1:.3g}, as published, they are "
        f"{format_rate(operations.published_per_s.value)}"
    )
    runs = counted(len(used_runs(level)), "run")
    evidence = (
        f"operations counted one by one in {runs} of that load; published results count the authentication "
        "as one more"
    )
    yield Observation(text=f"{text}.", evidence=evidence)


def _conditions(system: System) -> Iterator[Observation]:
    """What makes directories' figures incomparable, in one sentence."""

    def fact(name: str) -> str:
        return str(system.facts.get(name) or "unknown")

    attributes = fact(LDAP_ATTRIBUTES)
    access_log = system.facts.get(TARGET_LDAP_ACCESS_LOG) or UNKNOWN
    text = f"Durability: {durability_text(system)}; access log: {access_log}"
    if LDAP_ATTRIBUTES in system.facts:
        text += f"; attributes returned: {attributes}"
        text += f" ({BENCHMARKETING})" if attributes != ALL_ATTRIBUTES else ""
    about = {
        TARGET_LDAP_VENDOR: "",
        TARGET_VERSION.of(KIND): "",
        TARGET_TRANSPORT.of(KIND): "",
        TARGET_TLS.of(KIND): "TLS: ",
    }
    server = [f"{label}{value}" for name, label in about.items() if (value := system.facts.get(name))]
    yield Observation(text=f"{text}.", evidence=", ".join(server) or "as the directory and the job say")


def durability_text(system: System) -> str:
    """Return whether modifies wait for the disk, in words."""
    match system.facts.get(TARGET_LDAP_WAITS_FOR_DISK):
        case True:
            return "each modify waits for the disk"
        case False:
            return "dbnosync: modifies do not wait for the disk"
        case _:
            return UNKNOWN


def _cross_check(checks: Sequence[CrossCheck]) -> Iterator[Observation]:
    """One sentence about all levels; where counts differ the verdicts say it, with the figure."""
    counting = [each for each in checks if each.counted]
    if counting and all(each.sent == each.counted for each in counting):
        kinds = dict.fromkeys(kind for each in counting for kind in each.sent)
        totals = {kind: sum(each.sent.get(kind, 0) for each in counting) for kind in kinds}
        counts = ", ".join(operations_text(kind, total) for kind, total in totals.items() if total)
        yield Observation(
            text=f"The directory counted the same operations as were sent: {counts}.",
            evidence="cn=Operations,cn=Monitor before and after each run, warm-up and all",
        )
    uncounted = {target: why for each in checks for target, why in each.uncounted.items()}
    for why in dict.fromkeys(uncounted.values()):
        yield Observation(
            text=f"The directory's own count could not be compared with what was sent: {why}.",
            evidence=", ".join(target for target, each in uncounted.items() if each == why),
        )
