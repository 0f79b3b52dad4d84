"""Checks of requests and results: are the requests realistic, and do they return data?"""

from __future__ import annotations

from igen.facts import LDAP_ATTRIBUTES
from igen.judge.result import System
from igen.judge.trust.finding import Part, finding
from igen.lint.finding import Found
from igen.lint.subject import fact, param_number
from igen.loads import Loads

FEW_KEYS = 1000
"""Fewer keys than this fit into the caches of processors and servers."""
KEYS = {
    "oltp": "customers",
    "ldap-search": "entries",
    "ldap-bind": "entries",
    "ldap-modify": "entries",
    "ldap-mixed": "entries",
    "ldap-siteminder": "entries",
}
"""The parameter with the number of keys."""
RETURNED = {
    "oltp": "rows_read",
    "bank": "rows_read",
    "ldap-search": "entries",
    "ldap-siteminder": "entries",
}
"""The counter of results."""
ALL_ATTRIBUTES = "all"


def nothing_returned(system: System) -> Found:
    """Yield searches that find nothing."""
    name = RETURNED.get(system.workload)
    levels = [level for level in system.levels if level.transactions]
    if name is None or not levels:
        return
    # A counter that stayed at 0 is not in the result.
    if not any(level.counters[name].count for level in levels if name in level.counters):
        transactions = sum(level.transactions for level in levels)
        yield finding("nothing-returned", counter=name, transactions=transactions)


def few_keys(system: System) -> Found:
    """Yield loads with few distinct keys."""
    name = KEYS.get(system.workload)
    known = [param_number(load.params, name) for load in Loads.of(system.job)] if name else []
    keys = min((each for each in known if each is not None), default=None)
    if name and keys is not None and keys < FEW_KEYS:
        yield finding("few-keys", Part(name="keys", figure=keys, text=name), limit=FEW_KEYS)


def few_attributes(system: System) -> Found:
    """Yield searches of a directory that return few attributes."""
    told = fact(system, LDAP_ATTRIBUTES)
    if told is not None and told != ALL_ATTRIBUTES:
        yield finding("few-attributes", attributes=told)
