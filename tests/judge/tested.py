"""A study of two systems in two tests with a known truth."""

from __future__ import annotations

from typing import Any

from igen.judge import analyse, result_of
from igen.judge.intent import Intent
from igen.judge.record.recording import Recording
from igen.judge.record.reference import PublishedRatio, Reference
from igen.judge.record.value import LAST_FIFTH
from igen.judge.result import Result
from tests.judge.synthetic import recording


def runs(factor: dict[str, float], tests: tuple[str, ...] = ("R1", "R2"), **rest: Any) -> list[Recording]:
    """A and B in each test at 1 and 2 users, three times; B does `factor` of what A does."""
    return [
        recording(
            [round(1000 * users * (factor[test] if system == "B" else 1) * (1 + repeat / 100))] * 30,
            users=users,
            level=4 * place + 2 * (system == "B") + users - 1,
            repeat=repeat,
            system=system,
            test=test,
            started_unix_s=100.0 * repeat + 10 * place + 2 * users + (system == "B"),
            **rest,
        )
        for repeat in range(3)
        for place, test in enumerate(tests)
        for system in ("A", "B")
        for users in (1, 2)
    ]


def study_with_tests(factor: dict[str, float]) -> Result:
    reference = Reference(text="x", ratios=[PublishedRatio(product="P", test="R2", value=0.67)])
    intent = Intent(tests={"R1": "reads", "R2": "writes"}, reference=reference, value=LAST_FIFTH)
    return result_of(analyse(runs(factor), intent=intent))
