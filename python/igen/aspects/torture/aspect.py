"""A run of many hours as an aspect: its part is added by who reads the run, one segment after the other."""

from __future__ import annotations

from igen.aspects.torture.options import torture_options
from igen.aspects.torture.parts import Torture
from igen.aspects.torture.tables import torture_table
from igen.judge.aspect import Aspect

TORTURE = Aspect(
    name="torture", system_part=Torture, tables=(("Torture", torture_table),), options=torture_options
)
