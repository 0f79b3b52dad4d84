"""From job files to the text: a system that collects each 3.2 s, measured for 10 s."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from igen.judge.result import Result
from igen.store.run import Run
from tests.pipeline import shapes
from tests.pipeline.judged import shown
from tests.pipeline.scenarios import Scenario
from tests.pipeline.studies import write_study
from tests.pipeline.systems import ClosedTarget
from tests.pipeline.transactions import Phases

PERIOD = 16
"""In intervals of 0.2 s: three of them, and 0.4 s of the next."""


def study(store: Path, *, warmup_is_auto: bool) -> tuple[Run, Result, str]:
    target = ClosedTarget(
        shape=shapes.sawtooth(0.5, PERIOD), phases=Phases(warmup_s=2.0, warmup_is_auto=warmup_is_auto)
    )
    (run,) = runs = write_study(store, Scenario(name="sawtooth", target=target), 1)
    return run, *shown(store, runs)


def counts(run: Run) -> dict[str, list[int]]:
    """What ended in MEASURE by system, and of that in whole periods."""
    found: dict[str, Counter[str]] = {}
    for path in run.job_paths():
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        snapshots = [event["snapshot"] for event in events if "snapshot" in event]
        ended = [each["transactions"]["count"] for each in snapshots if each["phase"] == "measure"]
        whole = len(ended) // PERIOD * PERIOD
        of_system = found.setdefault(events[0]["job_start"]["system"], Counter())
        of_system.update(all=sum(ended), whole=sum(ended[:whole]))
    return {system: [of["all"], of["whole"]] for system, of in found.items()}


@pytest.mark.parametrize("warmup_is_auto", [False, True])
def test_what_counts_of_a_sawtooth_and_what_that_changed_is_in_the_text(
    tmp_path: Path, warmup_is_auto: bool
) -> None:
    run, result, text = study(tmp_path, warmup_is_auto=warmup_is_auto)
    for system in result.systems:
        (level,) = system.levels
        of_all, of_whole_periods = counts(run)[system.name]
        assert of_all > of_whole_periods
        assert level.transactions == (of_whole_periods if warmup_is_auto else of_all)
    told = (
        "the throughput repeats every 3.2 s, and only whole periods count: at most 0.4 s were left out at "
        "the end of each measurement; with them the throughput would change by "
        if warmup_is_auto
        else "the throughput repeats every 3.2 s, and the whole measurement counts because the warm-up was "
        "given; with whole periods only, the throughput would change by "
    )
    assert told in text
