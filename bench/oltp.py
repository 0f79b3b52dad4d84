"""What a transaction of `oltp` costs the client, beside pgbench and sysbench, and on SQLite in process."""

from __future__ import annotations

import sys

from bench import client_cost, costs, sqlite_share
from bench.outcome import Outcome
from bench.transaction import Transaction, uniform

CUSTOMERS = 100_000

# Two users who order for the same customer at once may look for the same oldest order. The second of them
# then deletes nothing: iGen looks again, its peers' scripts cannot, and the order is one too many.
NEWEST_TEN_ORDERS_OF_EACH = (
    "DELETE FROM orders WHERE o_id IN (SELECT o_id FROM (SELECT o_id, ROW_NUMBER() OVER "
    "(PARTITION BY o_c_id ORDER BY o_id DESC) AS place FROM orders WHERE o_c_id IN "
    "(SELECT o_c_id FROM orders GROUP BY o_c_id HAVING COUNT(*) > 10)) AS ranked WHERE place > 10)"
)

TRANSACTION = Transaction(
    workload="oltp",
    variables={
        "customer": uniform(1, CUSTOMERS),
        "other": uniform(1, CUSTOMERS),
        "quantity": uniform(1, 10),
        "amount": uniform(1, 2_000),
    },
    parameters=(
        ("customer",),
        ("customer",),
        ("customer",),
        ("other",),
        ("customer", "quantity", "amount"),
        ("customer",),
    ),
    mended_by=(NEWEST_TEN_ORDERS_OF_EACH,),
)


def measure(*, quick: bool) -> Outcome:
    """All comparisons in turn."""
    extent = client_cost.QUICK if quick else client_cost.FULL
    outcome = Outcome("oltp", costs.COLUMNS)
    client_cost.beside_all_peers(outcome, TRANSACTION, {"customers": CUSTOMERS}, extent)
    print("oltp: SQLite ...", file=sys.stderr)
    sqlite_share.measure(outcome, TRANSACTION, CUSTOMERS, extent.window, 3 if quick else 9)
    outcome.notes += [
        "SQLite: the share is the difference in processor time per transaction between iGen and a program in "
        "C that does the same by SQLite's own calls, linked with the same library; one user, read-only, all "
        "pages in SQLite's cache, all of iGen's statistics and monitors on.",
    ]
    return outcome
