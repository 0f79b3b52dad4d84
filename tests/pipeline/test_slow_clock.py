"""From job files to the text: runs laid side by side, one of them on a machine whose processors were slow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from igen.judge.result import AS_MEASURED
from tests.pipeline import shapes
from tests.pipeline.judged import claims_difference, shown
from tests.pipeline.machine import QUIET, Machine
from tests.pipeline.scenarios import Scenario
from tests.pipeline.studies import write_study
from tests.pipeline.systems import OTHER, ClosedTarget

SLOW = Scenario(
    name="a slow machine the day after",
    target=ClosedTarget(shape=shapes.slow_other(-0.1), run_noise=0.005),
    machines=(QUIET, Machine(spins=0.9)),
    stored=True,
    sessions=8,
)


def text_of(store: Path, scenario: Scenario, *, exchanged: tuple[bytes, bytes] = (b"", b"")) -> str:
    """What `igen compare` prints; in the second run one text is exchanged for another."""
    runs = write_study(store, scenario, 1)
    if exchanged[0]:
        for path in runs[1].job_paths():
            path.write_bytes(path.read_bytes().replace(*exchanged))
    return shown(store, runs)[1]


def test_a_run_of_a_slow_machine_is_not_called_slower(tmp_path: Path) -> None:
    result, text = shown(tmp_path, write_study(tmp_path, SLOW, 1))
    assert not [line for line in text.splitlines() if OTHER in line and claims_difference(line)]
    speeds = [
        [run.correction.unexplained for level in of.levels for run in level.repeats] for of in result.systems
    ]
    assert [max(each) < 0 for each in speeds] == [False, True]


def test_each_of_them_alone_has_no_other_run_to_be_held_against(tmp_path: Path) -> None:
    for run in write_study(tmp_path, SLOW, 1):
        result, _ = shown(tmp_path, [run])
        runs = [run for of in result.systems for level in of.levels for run in level.repeats]
        assert {run.correction for run in runs} == {AS_MEASURED}


@pytest.mark.parametrize(
    "exchanged",
    [(b'"Z80"', b'"Z180"'), (b'"name":"host.name","value":"lab"', b'"name":"host.name","value":"kiln"')],
    ids=["other processors", "another machine"],
)
def test_what_is_slower_for_a_reason_is_slower(tmp_path: Path, exchanged: tuple[bytes, bytes]) -> None:
    text = text_of(tmp_path, SLOW, exchanged=exchanged)
    assert [line for line in text.splitlines() if OTHER in line and claims_difference(line)]


def test_a_slow_machine_hides_no_larger_difference(tmp_path: Path) -> None:
    slower = ClosedTarget(shape=shapes.slow_other(-0.3), run_noise=0.005)
    text = text_of(tmp_path, replace(SLOW, target=slower))
    assert [line for line in text.splitlines() if OTHER in line and claims_difference(line)]
