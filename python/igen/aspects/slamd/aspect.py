"""The statistics table in SLAMD's columns as an aspect."""

from __future__ import annotations

from igen.aspects.slamd.rows import SlamdTable
from igen.aspects.slamd.section import statistics, statistics_on_terminal
from igen.aspects.slamd.table import slamd_table_of
from igen.judge.aspect import Aspect, Views

SLAMD = Aspect(
    name="slamd",
    system_part=SlamdTable,
    sum_up=slamd_table_of,
    sections={"statistics": Views(statistics, statistics_on_terminal)},
)
