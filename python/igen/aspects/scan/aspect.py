"""Table scans as an aspect."""

from __future__ import annotations

from igen.aspects.scan.measure import scan_of
from igen.aspects.scan.parts import Scan
from igen.judge.aspect import Aspect

SCAN = Aspect(name="scan", level_part=Scan, measure=scan_of, passing_facts=("scan.load_*",))
