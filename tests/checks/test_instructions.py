"""A function that does more than the record says is found and named, whatever the machine does."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from checks import callgrind, instructions
from checks.callgrind import Run
from checks.counted import COUNTED
from checks.instructions import Count

PROGRAM = """
#include <stdlib.h>
__attribute__((noinline)) void step(volatile int *sum) { for (int i = 0; i < ROUNDS; i++) *sum += i; }
__attribute__((noinline)) void other(volatile int *sum) { for (int i = 0; i < 100; i++) *sum += i; }
int main(int count, char **arguments) {
  volatile int sum = 0;
  for (int i = atoi(arguments[1]); i > 0; i--) { step(&sum); other(&sum); }
  return 0;
}
"""
RECORDED = Count(1000.0, 0.001, {"a": 600.0, "b": 300.0, "c": 100.0})


def executed(folder: Path, rounds: int, transactions: int) -> Run:
    source, binary, out = folder / "program.c", folder / f"program-{rounds}", folder / "costs"
    source.write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["cc", "-O1", f"-DROUNDS={rounds}", "-o", binary, source], check=True)
    options = ["--dump-line=no", "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={out}"]
    command = ["valgrind", "--tool=callgrind", *options, str(binary), str(transactions)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return Run("system", transactions, callgrind.costs(out.read_text(encoding="utf-8").splitlines()))


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is missing")
def test_a_planted_loop_is_found_and_named(tmp_path: Path) -> None:
    def counted(rounds: int) -> Count:
        short, long = (executed(tmp_path, rounds, transactions) for transactions in (10, 1010))
        return instructions.least([callgrind.per_transaction(short, long)])

    recorded, slower = counted(100), counted(120)
    assert instructions.growth(recorded, counted(100)) == ""
    grown = instructions.growth(recorded, slower)
    # The program without the start of a process: 4 instructions a round, twice 100 rounds.
    assert 600 <= recorded.per_transaction <= 1300
    assert "step" in grown
    assert "other" not in grown, "it did not grow"


@pytest.mark.parametrize(
    ("spread", "found", "fails"),
    [(0.0, 1019.0, False), (0.0, 1021.0, True), (0.02, 1059.0, False), (0.02, 1061.0, True)],
)
def test_a_growth_is_above_three_times_the_spread_and_two_percent(
    spread: float, found: float, fails: bool
) -> None:
    recorded = Count(1000.0, spread, {})
    assert bool(instructions.growth(recorded, Count(found, 0.0, {}))) == fails


def test_functions_are_named_by_their_growth_and_not_by_their_size() -> None:
    found = Count(1100.0, 0.0, {"a": 600.0, "b": 310.0, "new": 60.0, "c": 130.0})
    grown = instructions.growth(RECORDED, found)
    assert grown.index("new 0.0 -> 60.0") < grown.index("c 100.0 -> 130.0") < grown.index("b 300.0 -> 310.0")


def test_the_least_of_each_three_counts_and_their_range_is_the_spread() -> None:
    samples = [{"a": each} for each in (130.0, 100.0, 150.0, 102.0, 180.0, 120.0)]
    assert instructions.least(samples) == Count(100.0, 0.02, {"a": 100.0})


class Agent:
    """Executions with these clocks in turn: 1,000 instructions at the start, then 7 a transaction."""

    def __init__(self, clocks: Iterator[str]) -> None:
        self.clocks = clocks

    def run(self, time_s: float) -> Run:
        transactions = int(1000 * time_s)
        return Run(next(self.clocks), transactions, {"f": 1000 + 7 * transactions})


def turns(*clocks: str) -> Iterator[str]:
    while True:
        yield from clocks


@pytest.mark.parametrize(
    ("clocks", "recorded", "counted"),
    [
        (("system",), ["system"], {"system"}),
        (("system", "tsc", "tsc"), ["system"], {"system", "tsc"}),
        (("tsc",), ["system"], {"tsc"}),
        (("system", "tsc", "tsc"), [], {"system", "tsc"}),
    ],
)
def test_only_runs_with_the_same_clock_are_compared(
    clocks: tuple[str, ...], recorded: list[str], counted: set[str]
) -> None:
    found: Mapping[str, Count] = instructions.count(Agent(turns(*clocks)).run, 1.0, recorded)
    assert found.keys() == counted
    assert {each.per_transaction for each in found.values()} == {7.0}


def test_a_short_run_may_have_more_transactions_than_a_long_one() -> None:
    lengths = iter([3.0, 0.5, 2.0, 0.1, 0.6, 0.7, 0.8])
    found = instructions.count(lambda _: Agent(turns("tsc")).run(next(lengths)), 1.0, ["tsc"])
    assert found["tsc"].per_transaction == 7.0


def test_the_costs_of_called_functions_are_not_counted_twice() -> None:
    lines = [
        "fn=a::h0123456789abcdef",
        "0 5",
        "cfn=b",
        "calls=2 0",
        "0 70",
        "0 1",
        "fn=b'2",
        "0 30",
        "fn=b",
        "0 40",
        "totals: 76",
    ]
    assert callgrind.costs(lines) == {"a": 6, "b": 70}


def test_each_job_is_in_the_record() -> None:
    record = instructions.recorded()
    assert record["counts"].keys() == {job.name for job in COUNTED}
    for by_clock in record["counts"].values():
        for each in by_clock.values():
            functions = Count(**each).functions.values()
            rounding = 0.05 * (len(functions) + 1)
            assert 0 < sum(functions) <= Count(**each).per_transaction + rounding


def test_only_threads_that_drive_users_count() -> None:
    """A thread that does something by the clock does the more of it, the slower the machine is."""
    user = Counter({"core::ptr::drop_in_place<igen_engine::drive::Driver<W>>": 2, "memcpy": 5})
    watch = Counter({"igen_kernel::run_delay::of_this_thread": 7, "memcpy": 9})
    assert callgrind.of_users([watch, user, user]) == user + user
    with pytest.raises(RuntimeError):
        callgrind.of_users([watch])
