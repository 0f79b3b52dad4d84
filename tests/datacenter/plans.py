"""Plans of tests: the one in the file beside this, with parts of it changed."""

from __future__ import annotations

from pathlib import Path

from igen.datacenter.estimate import estimate
from igen.datacenter.estimated import Answer, EstateEstimate, Estimated
from igen.datacenter.plan import Plan
from igen.datacenter.plan_file import read_plan
from igen.errors import InputError
from igen.judge.curve.laws.curve import ScalingCurve
from igen.reference.load import reference_names

TEXT = (Path(__file__).parent / "plan.toml").read_text(encoding="utf-8")


def no_run(reference: str) -> ScalingCurve:
    raise InputError(f"no run `{reference}`", hint="`igen list runs` names them")


def plan_of(folder: Path, *changes: tuple[str, str], name: str = "plan.toml") -> Plan:
    text = TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / name).write_text(text, encoding="utf-8")
    return read_plan(folder / name, reference_names(), no_run)


def estimated(folder: Path, *changes: tuple[str, str]) -> Estimated:
    return estimate(plan_of(folder, *changes))


def estate(of: Estimated, name: str) -> EstateEstimate:
    return next(each for each in of.estates if each.name == name)


def answer(of: Estimated, name: str, key: str) -> Answer:
    return next(each for each in estate(of, name).answers if each.key == key)
