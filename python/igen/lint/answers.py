"""Were the questions real, and did anything come back?"""

from __future__ import annotations

from igen.facts import LDAP_ATTRIBUTES
from igen.judge.record.settings import params_of_loads
from igen.judge.result import System
from igen.lint.finding import Finding, Found
from igen.lint.subject import fact, param_number

FEW_KEYS = 1000
"""Fewer keys than this stay in the caches of processors and of servers."""
KEYS = {
    "oltp": "customers",
    "ldap-search": "entries",
    "ldap-bind": "entries",
    "ldap-modify": "entries",
    "ldap-mixed": "entries",
    "ldap-siteminder": "entries",
}
"""The parameter that says how many keys there are."""
RETURNED = {
    "oltp": "rows_read",
    "bank": "rows_read",
    "ldap-search": "entries",
    "ldap-siteminder": "entries",
}
"""The counter of what came back."""
ALL_ATTRIBUTES = "all"


def nothing_returned(system: System) -> Found:
    """Searches that find nothing are fast."""
    name = RETURNED.get(system.workload)
    levels = [level for level in system.levels if level.transactions]
    if name is None or not levels:
        return
    # A counter that stayed at 0 is not in the result.
    if not any(level.counters[name].count for level in levels if name in level.counters):
        yield Finding(
            found=f"not one of {name} in {sum(level.transactions for level in levels):,} transactions",
            matters="a search that finds nothing does less work than one that does",
            remedy="ask for what is loaded",
        )


def few_keys(system: System) -> Found:
    """How many different things are asked for."""
    name = KEYS.get(system.workload)
    known = [param_number(params, name) for params in params_of_loads(system.job)] if name else []
    keys = min((each for each in known if each is not None), default=None)
    if keys is not None and keys < FEW_KEYS:
        yield Finding(
            found=f"{name} = {keys:g}",
            matters=f"fewer than {FEW_KEYS:,} keys stay in caches, and users wait for each other's locks",
            remedy="load as much as the real system holds",
        )


def few_attributes(system: System) -> Found:
    """What a search of a directory returns of each entry."""
    told = fact(system, LDAP_ATTRIBUTES)
    if told is None or told == ALL_ATTRIBUTES:
        return
    yield Finding(
        found=f"attributes returned: {told}",
        matters="an entry of one attribute costs a fraction of a whole one",
        remedy="return all attributes, or say which were returned beside the figure",
        said_by=("not-all-attributes",),
    )
