"""From run folders to the parts of a ratio: of a 2 × 2 in one run, and of a chain of three stored runs."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from igen.judge.result import Attribution, Result
from igen.store.run import Run
from tests.pipeline.job_file import Execution
from tests.pipeline.judged import shown
from tests.pipeline.studies import BEGAN_UNIX_S, EXECUTION_S, SESSION_S, canaries, write_run
from tests.pipeline.transactions import Phases, closed
from tests.said import texts_of

USERS, SERVICE_S, REPEATS = 4, 0.02, 5
PHASES = Phases(warmup_s=0.4, measure_s=3.0, warmup_is_auto=False)
CHIP, SYSTEM = 1.10, 1.40
SPEEDS = {"old": 1.0, "chip": CHIP, "system": SYSTEM, "new": CHIP * SYSTEM}
OLD, NEW_CHIP = {"cpu.model": "old", "cpu.base_mhz": 2500}, {"cpu.model": "new", "cpu.base_mhz": 3000}
FACTS: dict[str, dict[str, Any]] = {
    "old": OLD | {"os.kernel": "4"},
    "chip": NEW_CHIP | {"os.kernel": "4"},
    "system": OLD | {"os.kernel": "8"},
    "new": NEW_CHIP | {"os.kernel": "8"},
}
DESCRIBED: dict[str, dict[str, Any]] = {
    "old": {"watts": 300.0, "rack_units": 4.0, "price": 1000.0},
    "new": {"watts": 200.0, "rack_units": 2.0, "price": 1100.0},
}


def executions(random: np.random.Generator, names: list[str], began_s: float) -> list[Execution]:
    """Repeats in turns; each is 1 % off."""
    found = []
    for repeat in range(REPEATS):
        for place, name in enumerate(names):
            speed = SPEEDS[name] * (1 + 0.01 * random.standard_normal())
            intervals = np.full(PHASES.warmup_intervals + PHASES.intervals, speed)
            order = repeat * len(names) + place
            found.append(
                Execution(
                    level=place,
                    repeat=repeat,
                    system=name,
                    load={"closed": {"users": USERS, "think_time_s": 0.0}},
                    transactions=closed(random, USERS, SERVICE_S, 0.3, intervals, PHASES),
                    phases=PHASES,
                    seed=1,
                    started_unix_s=began_s + EXECUTION_S * order,
                    order=order,
                    canaries=canaries(random),
                    facts=FACTS[name],
                )
            )
    return found


def side_by_side(store: Path) -> list[Run]:
    names = [*SPEEDS]
    found = executions(np.random.default_rng(1), names, BEGAN_UNIX_S)
    return [write_run(store / "run", "which part has the chip?", found, DESCRIBED)]


def one_after_the_other(store: Path) -> list[Run]:
    return [
        write_run(
            store / f"run-{name}",
            name,
            executions(np.random.default_rng(place), [name], BEGAN_UNIX_S + place * SESSION_S),
        )
        for place, name in enumerate(("old", "system", "new"))
    ]


def answered(store: Path, runs: list[Run]) -> tuple[Result, Attribution, str]:
    result, text = shown(store, runs)
    (found,) = result.attributions
    return result, found, text


@pytest.mark.parametrize(
    ("write", "shape", "parts"),
    [
        (side_by_side, "2 x 2", {"cpu": CHIP, "os.kernel": SYSTEM}),
        (one_after_the_other, "chain", {"os.kernel": SYSTEM, "cpu": CHIP}),
    ],
    ids=["2 x 2", "chain"],
)
def test_run_folders_become_parts_that_multiply_to_the_whole(
    tmp_path: Path, write: Any, shape: str, parts: dict[str, float]
) -> None:
    result, found, text = answered(tmp_path, write(tmp_path))
    assert (found.shape, found.base, found.system, found.users) == (shape, "old", "new", USERS)
    assert [part.name for part in found.parts] == [*parts]
    assert found.ratio.value == pytest.approx(prod(part.ratio.value for part in found.parts), rel=1e-12)
    for figure, truth in ((found.ratio, CHIP * SYSTEM), *zip(_ratios(found), parts.values(), strict=True)):
        low, high = figure.ends() or (np.inf, -np.inf)
        assert low <= truth <= high
        assert figure.value == pytest.approx(truth, rel=0.03)
    (product,) = (each for each in result.observations if each.rule == "parts-of-ratio")
    assert texts_of(product, "factor") == [*parts]
    assert all(name in text for name in parts)


def test_ratios_by_all_that_is_known_stand_beside(tmp_path: Path) -> None:
    _, found, _ = answered(tmp_path, side_by_side(tmp_path))
    known = {"GHz": 3.0 / 2.5, "watt": 200 / 300, "rack unit": 2 / 4, "price": 1100 / 1000}
    assert {each.unit: each.of_system / each.of_base for each in found.per_unit} == pytest.approx(known)
    for each in found.per_unit:
        assert each.ratio.value == pytest.approx(found.ratio.value / known[each.unit])


def _ratios(found: Attribution) -> list[Any]:
    return [part.ratio for part in found.parts]
