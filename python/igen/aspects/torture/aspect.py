"""A run of many hours as an aspect: its part is added by who reads the run, one segment after the other."""

from __future__ import annotations

from igen.aspects.torture.parts import Torture
from igen.judge.aspect import Aspect

TORTURE = Aspect(name="torture", system_part=Torture)
