"""The answer that repeats a run of many hours."""

from __future__ import annotations

from igen.aspects.torture.parts import Torture
from igen.judge.result import System, aspect


def torture_answers(system: System) -> dict[str, float]:
    """Return the time under load as the answer to `torture`; nothing for other runs."""
    torture = aspect(system, Torture)
    return {"torture": round(torture.under_load_s, 1)} if torture else {}
