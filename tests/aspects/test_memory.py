from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.memory.kernels import MemoryKernel, best_of, kernels_at, kind_of
from igen.aspects.memory.plateau import name_without_size, plateau_begin, plateau_observations
from igen.judge import analyse, result_of
from igen.judge.record.recording import Recording
from igen.judge.result import Level, System
from judge.synthetic import recording, snapshot, statistics
from tests.said import rules

COPY = {"kernel": "copy", "width": "avx2", "stores": "regular", "bytes": 2e9, "bytes_with_allocation": 3e9}
COPY_SCALAR = COPY | {"width": "scalar"}
COPY_NT = {"kernel": "copy", "width": "sse2", "stores": "nt", "bytes": 2e9, "bytes_with_allocation": 2e9}
MEMCPY = {"kernel": "copy", "width": "memcpy", "bytes": 2e9}
READ = {"kernel": "read", "width": "avx2", "bytes": 1e9, "bytes_with_allocation": 1e9}
CHASE = {"kernel": "chase", "accesses": 1_000_000}


def measured(passes_ms: dict[str, float], size_bytes: int = 2**27, **rest: Any) -> Recording:
    """Ten seconds in which each kernel's passes took this long."""
    kernels = {
        "copy_avx2": COPY,
        "copy_scalar": COPY_SCALAR,
        "copy_sse2_nt": COPY_NT,
        "copy_memcpy": MEMCPY,
        "read_avx2": READ,
        "chase": CHASE,
    }
    operations = {name: statistics(10, ms) for name, ms in passes_ms.items()}
    total = sum(passes_ms.values()) * 10
    snapshots = [
        snapshot(i, statistics(round(1e3 / total * 10 * len(passes_ms)), 1.0), operations=operations)
        for i in range(10)
    ]
    facts = {
        "mem.kernels": {name: kernel for name, kernel in kernels.items() if name in passes_ms},
        "mem.array_bytes": size_bytes,
    }
    job = {"workload": "mem", "params": {"size_bytes": size_bytes}}
    return recording(snapshots=snapshots, job=job, facts=facts, **rest)


def system(*recordings: Recording) -> System:
    (found,) = analyse(list(recordings), aspects=ASPECTS)
    return found


def test_bandwidth_is_users_times_bytes_by_the_time_of_a_pass() -> None:
    one = measured({"copy_avx2": 100.0, "copy_memcpy": 200.0, "chase": 80.0}, users=2)
    (level,) = system(one).levels
    copy, memcpy, chase = (kernels_at(level)[name] for name in ("copy_avx2", "copy_memcpy", "chase"))
    assert copy.bytes_per_s
    assert copy.bytes_per_s_with_allocation
    assert memcpy.bytes_per_s
    assert copy.bytes_per_s.value == pytest.approx(2 * 2e9 / 0.1)
    assert copy.bytes_per_s_with_allocation.value == pytest.approx(2 * 3e9 / 0.1)
    assert memcpy.bytes_per_s.value == pytest.approx(2 * 2e9 / 0.2)
    assert memcpy.bytes_per_s_with_allocation is None
    assert chase.bytes_per_s is None
    assert chase.access_ns
    assert chase.access_ns.value == pytest.approx(80.0)


def missed(level: Level) -> list[str]:
    """Return the kernels that a note says had no turn."""
    notes = [each for each in level.findings if each.rule == "kernels-missed"]
    return [part.text for note in notes for part in note.parts if part.name == "kernel"]


def test_other_workloads_have_none() -> None:
    (level,) = system(recording()).levels
    assert kernels_at(level) == {}
    assert missed(level) == []


def test_a_pass_whose_time_is_told_after_the_measurement_has_no_bandwidth() -> None:
    (level,) = system(measured({"copy_avx2": 0.0, "read_avx2": 40.0})).levels
    assert list(kernels_at(level)) == ["read_avx2"]
    assert missed(level) == ["copy_avx2"]


def test_a_kernel_that_had_no_turn_is_told() -> None:
    def without_copies(one: Recording) -> Recording:
        kernels = {"copy_avx2": COPY, "copy_memcpy": MEMCPY} | one.facts["mem.kernels"]
        return replace(one, facts=one.facts | {"mem.kernels": kernels})

    first = without_copies(measured({"read_avx2": 40.0}))
    second = without_copies(measured({"read_avx2": 40.0, "copy_avx2": 100.0}, repeat=1))
    (level,) = system(first, second).levels
    assert set(kernels_at(level)) == {"read_avx2", "copy_avx2"}
    assert missed(level) == ["copy_memcpy"]


def test_many_kernels_that_had_no_turn_are_told_in_one_line() -> None:
    more = {f"copy_{number}": COPY for number in range(7)}
    one = measured({"read_avx2": 40.0})
    (level,) = system(replace(one, facts=one.facts | {"mem.kernels": more | one.facts["mem.kernels"]})).levels
    assert missed(level) == list(more)
    (note,) = (each for each in level.findings if each.rule == "kernels-missed")
    assert note.figure("kernels") == 7 + len(one.facts["mem.kernels"])


def test_the_best_of_a_kind_keeps_non_temporal_stores_apart() -> None:
    one = measured(
        {"copy_avx2": 100.0, "copy_sse2_nt": 50.0, "copy_memcpy": 90.0, "read_avx2": 40.0, "chase": 9.0}
    )
    (level,) = system(one).levels
    best = best_of(kernels_at(level))
    assert {kind: kernel.width for kind, kernel in best.items()} == {
        "read": "avx2",
        "copy regular": "avx2",
        "copy memcpy or rep": "memcpy",
        "copy nt": "sse2",
    }


@pytest.mark.parametrize(
    ("kernel", "stores", "kind"),
    [
        ("read", "", "read"),
        ("copy", "nt", "copy nt"),
        ("write", "", "write memcpy or rep"),
        ("chase", "", "chase"),
    ],
)
def test_kinds(kernel: str, stores: str, kind: str) -> None:
    made = MemoryKernel(
        kernel=kernel,
        width="",
        stores=stores,
        bytes_per_s=None,
        bytes_per_s_with_allocation=None,
        access_ns=None,
    )
    assert kind_of(made) == kind


def test_repeats_that_differ_are_noisy() -> None:
    def level(*passes_ms: float) -> Any:
        runs = [measured({"copy_avx2": ms}, repeat=number) for number, ms in enumerate(passes_ms)]
        return system(*runs).levels[0]

    noisy = level(100.0, 105.0)
    assert noisy.trust.verdict != "VALID"
    (found,) = (each for each in noisy.findings if each.rule == "noisy-repeats")
    assert found.figure("spread_percent") == pytest.approx(4.9, abs=0.05)
    assert "noisy-repeats" not in rules(level(100.0, 102.0))


@pytest.mark.parametrize(
    ("bandwidths", "begin"),
    [
        ([100, 50, 20, 19.5, 20.2], 2),
        ([100, 50, 20], None),
        ([20, 20.5, 20.1], 0),
        ([100, 20], None),
        # A dip within what looks like a plateau is not left out.
        ([20, 20, 10, 20, 20], 3),
    ],
)
def test_the_plateau_is_what_larger_arrays_do_not_change(bandwidths: list[float], begin: int | None) -> None:
    assert plateau_begin(bandwidths) == begin


def sweep(passes_ms: list[float]) -> list[System]:
    recordings = [
        measured({"read_avx2": ms}, size_bytes=2**20 << number, level=number)
        for number, ms in enumerate(passes_ms)
    ]
    return analyse(recordings, aspects=ASPECTS)


def test_the_plateau_has_its_sizes_and_its_bandwidths() -> None:
    (found,) = plateau_observations(sweep([10.0, 20.0, 50.0, 51.0, 50.0]))
    assert (found.rule, found.part("kernel").text) == ("plateau", "read")
    sizes = [found.figure(f"{name}_bytes") for name in ("smallest", "plateau", "largest")]
    assert (sizes, found.figure("sizes")) == ([2**20, 4 * 2**20, 16 * 2**20], 5)
    rates = [found.figure(f"{name}_bytes_per_s") for name in ("least", "most", "caches")]
    assert rates == pytest.approx([19.6e9, 20e9, 100e9], rel=0.01)
    (found,) = plateau_observations(sweep([10.0, 20.0, 50.0]))
    assert found.rule == "no-plateau"
    (found,) = plateau_observations(sweep([50.0, 51.0, 50.0]))
    assert (found.rule, found.figure("bytes_per_s")) == ("same-at-all-sizes", pytest.approx(20e9, rel=0.01))
    assert not list(plateau_observations(sweep([10.0, 20.0])))


def test_passes_over_other_sizes_have_no_ratio() -> None:
    small, large = sweep([10.0, 20.0])
    other = replace(large, facts=large.facts | {"mem.kernels": {"read_avx2": READ | {"bytes": 2e9}}})
    assert result_of([small, other], aspects=ASPECTS).ratios == []
    assert result_of([small, large], aspects=ASPECTS).ratios


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("thp (size_bytes=1MiB)", "thp"),
        ("vm (pages=4k, size_bytes=1MiB)", "vm (pages=4k)"),
        ("vm (size_bytes=1MiB, pages=4k)", "vm (pages=4k)"),
        ("vm", "vm"),
    ],
)
def test_names_without_the_size(name: str, without: str) -> None:
    assert name_without_size(name) == without
