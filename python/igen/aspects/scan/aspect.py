"""Table scans as an aspect."""

from __future__ import annotations

from igen.aspects.scan.measure import scan_of
from igen.aspects.scan.parts import Scan
from igen.aspects.scan.tables import scan_table
from igen.judge.aspect import Aspect

SCAN = Aspect(
    name="scan",
    level_part=Scan,
    measure=scan_of,
    tables=(("Table scans", scan_table),),
)
