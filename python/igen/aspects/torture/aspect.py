"""A run of many hours as an aspect: its part is added by who reads the run, one segment after the other."""

from __future__ import annotations

from igen.aspects.torture.answers import torture_answers
from igen.aspects.torture.parts import Torture
from igen.aspects.torture.tables import torture_table
from igen.judge.aspect import Aspect

TORTURE = Aspect(
    name="torture", system_part=Torture, tables=(("Torture", torture_table),), answers=torture_answers
)
