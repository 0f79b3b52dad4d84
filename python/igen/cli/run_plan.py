"""The options of `igen run` that say what is done with the levels, as one plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.study.plan import Plan, Repeats

EXCLUDED = {"--find-peak": ("--torture", "--repeats", "--rate"), "--torture": ("--repeats",)}
"""What does not go with an option that chooses another mode than the sweep."""
HINT = (
    "a run is a sweep (--repeats), a search for the peak (--find-peak: it repeats what it must)"
    " or a torture (--torture: of storage, in segments)"
)
_TORTURED = "io"
"""The workload that can verify what it wrote."""


def run_plan(
    workload: str,
    *,
    find_peak: bool,
    torture_s: float | None,
    repeats: Repeats | None,
    open_load: bool,
    fill: bool = False,
) -> Plan:
    """The plan that these options of `igen run` mean. Raises `InputError` where they do not go together."""
    from igen.study.plan import DEFAULT_REPEATS
    from igen.study.plans import FillPlan, PeakPlan, SweepPlan, TorturePlan

    given = {
        "--find-peak": find_peak,
        "--torture": torture_s is not None,
        "--repeats": repeats is not None,
        "--rate": open_load,
    }
    if torture_s is not None and workload != _TORTURED:
        raise InputError("is for storage", where="--torture", hint=f"use the workload {_TORTURED}")
    for mode, others in EXCLUDED.items():
        for other in others:
            if given[mode] and given[other]:
                raise InputError(f"does not go with {mode}", where=other, hint=HINT)
    if find_peak:
        return PeakPlan()
    if torture_s is not None:
        return TorturePlan(torture_s)
    sweeps = FillPlan if fill else SweepPlan
    return sweeps(DEFAULT_REPEATS if repeats is None else repeats)
