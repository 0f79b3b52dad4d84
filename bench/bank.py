"""What a transaction of `bank` costs the client, beside pgbench and sysbench."""

from __future__ import annotations

from bench import client_cost, costs
from bench.outcome import Outcome
from bench.transaction import Drawn, Transaction, constant, uniform

BRANCHES = 100
TELLERS_PER_BRANCH = 10
ACCOUNTS_PER_BRANCH = 10_000
HOME_PERCENT = 85
"""Accounts of the teller's own branch; the others are of any other branch."""

TRANSACTION = Transaction(
    workload="bank",
    variables={
        "teller": uniform(1, BRANCHES * TELLERS_PER_BRANCH),
        "branch": Drawn(
            f"(:teller - 1) / {TELLERS_PER_BRANCH} + 1",
            f"math.floor((teller - 1) / {TELLERS_PER_BRANCH}) + 1",
        ),
        "distance": uniform(1, BRANCHES - 1),
        "percent": uniform(1, 100),
        "place": uniform(1, ACCOUNTS_PER_BRANCH),
        "account": Drawn(
            f"(case when :percent <= {HOME_PERCENT} then :branch - 1 "
            f"else (:branch - 1 + :distance) % {BRANCHES} end) * {ACCOUNTS_PER_BRANCH} + :place",
            f"(percent <= {HOME_PERCENT} and branch - 1 "
            f"or (branch - 1 + distance) % {BRANCHES}) * {ACCOUNTS_PER_BRANCH} + place",
        ),
        "amount": uniform(-999_999, 999_999),
        # iGen counts up the number; peers leave the same, which costs them nothing.
        "run": constant(1),
        "session": constant(1),
        "number": constant(100_000),
    },
    parameters=(
        ("amount", "account"),
        ("account",),
        ("amount", "teller"),
        ("amount", "branch"),
        ("account", "teller", "branch", "amount", "run", "session", "number"),
    ),
)

PARAMS: dict[str, object] = {"branches": BRANCHES, "statement_timeout_s": 60}
"""Peers wait for ever, and where a thousand users want the rows of a hundred branches, so must we."""


def measure(*, quick: bool) -> Outcome:
    """All comparisons in turn."""
    extent = client_cost.QUICK if quick else client_cost.FULL
    outcome = Outcome("bank", costs.COLUMNS)
    client_cost.beside_all_peers(outcome, TRANSACTION, PARAMS, extent)
    return outcome
