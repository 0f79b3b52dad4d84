"""What the machines on which tiers run used, beside the load machine: a row for each at each level."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.tier.parts import tiers_at
from igen.document import Column, Table
from igen.judge.result import Resources, Result
from igen.layout.columns import load_columns
from igen.layout.level import level_rows
from igen.layout.number import ABSENT, column

CPU, DISKS, NETWORK = "CPU, % of its processors", "disks, MB/s", "network, MB/s"


def tier_hosts_table(result: Result) -> Table:
    """No columns where all tiers are on the load machine."""
    found = [
        (row, host) for row in level_rows(result) if (tiers := tiers_at(row.level)) for host in tiers.hosts
    ]
    if not found:
        return Table([])

    def used(
        title: str, value: Callable[[Resources], float | None], group: str = "", per: float = 1.0
    ) -> Column:
        values = [value(host.resources) for _, host in found]
        scaled = [None if each is None else each / per for each in values]
        return Column(title, column(scaled, most_decimals=1 if per == 1.0 else 3), group=group)

    columns = [
        *load_columns(result, [row for row, _ in found]),
        Column("host", [host.name for _, host in found], "text", key=True),
        used("all", lambda its: its.cpu_percent, CPU),
        used("I/O wait", lambda its: its.cpu_iowait_percent, CPU),
        used("steal", lambda its: its.cpu_steal_percent, CPU),
        used("memory, MB", lambda its: its.memory_used_bytes, per=1e6),
        used("read", lambda its: its.disk_read_bytes_per_s, DISKS, 1e6),
        used("written", lambda its: its.disk_written_bytes_per_s, DISKS, 1e6),
        used("received", lambda its: its.network_received_bytes_per_s, NETWORK, 1e6),
        used("sent", lambda its: its.network_sent_bytes_per_s, NETWORK, 1e6),
    ]
    return Table([one for one in columns if any(cell != ABSENT for cell in one.cells)])
