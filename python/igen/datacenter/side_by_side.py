"""Options of several plans side by side, each over the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from igen.datacenter.answers import facts_of, questions
from igen.datacenter.estimate import (
    all_inputs,
    answer_of,
    capacities_of,
    numbers_of,
    ratio_of,
)
from igen.datacenter.estimated import Answer, Ratio
from igen.datacenter.number import Number, monte_carlo
from igen.datacenter.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanColumn:
    """One option of one plan."""

    file: str
    option: str
    answers: list[Answer]
    ratios: list[Ratio]
    """Over the first option of the first plan, where both can be told."""

    @property
    def name(self) -> str:
        """`blades/consolidate`."""
        return f"{Path(self.file).stem}/{self.option}"


def cannot_serve(plans: Sequence[Plan]) -> list[str]:
    """A sentence for each option that has no column, for it cannot serve."""
    return [
        f"{plan.file}: {name} CANNOT serve the demand: {why.rstrip('.')}"
        for plan in plans
        for name, why in capacities_of(plan)[1].items()
    ]


def compare_plans(plans: Sequence[Plan]) -> list[PlanColumn]:
    """A column for each option that can serve; what stands there today is that of the first plan alone."""
    draw = monte_carlo()
    columns: list[PlanColumn] = []
    base: dict[str, Number | str] = {}
    base_name = ""
    for place, plan in enumerate(plans):
        capacities, failures = capacities_of(plan)
        inputs = {of.name: of for of in all_inputs(plan, capacities)}
        asked = questions(plan)
        for option in plan.estates if place == 0 else plan.options:
            if option.name in failures:
                continue
            numbers = numbers_of(asked, facts_of(plan, option, capacities, draw))
            column = PlanColumn(
                file=plan.file,
                option=option.name,
                answers=[answer_of(question, numbers[question.key], inputs) for question in asked],
                ratios=[
                    ratio
                    for key, number in numbers.items()
                    if key in base
                    and (ratio := ratio_of(key, option.name, number, base_name, base[key])) is not None
                ],
            )
            columns.append(column)
            if not base:
                base, base_name = numbers, column.name
    return columns
