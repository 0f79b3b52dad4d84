"""Parameters of a user in place of parameters of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from igen.ask.tables import merged
from igen.errors import InputError
from igen.study.study import Study


def with_params(study: Study, params: Mapping[str, Any]) -> Study:
    """The study with these parameters of its workload.

    Raises `InputError` where it varies one of them along an axis, or by systems or tests: they would not mean
    what is said.
    """
    if not params:
        return study
    varied = {axis.split(".")[1] for axis in study.axes if axis.startswith("params.")}
    for job in [*(system.job for system in study.systems), *(test.job for test in study.tests)]:
        varied |= job.get("params", {}).keys()
    for name in params:
        if name in varied:
            hint = "leave it out, or change the study"
            raise InputError(f"the study already varies `{name}`", where="--set", hint=hint)
    return replace(study, job=merged(study.job, {"params": dict(params)}))
