"""The option of `igen run` that repeats a run of many hours."""

from __future__ import annotations

from igen.aspects.torture.parts import Torture
from igen.judge.result import System, aspect
from igen.units import plain_decimal


def torture_options(system: System) -> list[str]:
    """Return `--torture` with the time under load; nothing for other runs."""
    torture = aspect(system, Torture)
    return ["--torture", f"{plain_decimal(round(torture.under_load_s, 1))}s"] if torture else []
