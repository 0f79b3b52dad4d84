"""Histograms as agents write them, and several agents' interval as one."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from igen.fleet.merge import merged_snapshot
from igen.hdr import added, decoded, encoded, summed
from igen.judge.record.histogram import Histogram

TIMES_NS = st.lists(st.integers(0, 2**42 - 1), max_size=40)

FAILED = {"kind": "lost", "step": "search", "text": "connection lost", "count": 1}


def hdr(values_ns: list[int]) -> dict[str, Any]:
    found = Histogram.of(values_ns) if values_ns else Histogram()
    return {"sum_ns": sum(values_ns), "hdr": encoded((found.buckets, found.counts))}


def snapshot(values_ns: list[int], **more: Any) -> dict[str, Any]:
    statistics = {"count": len(values_ns), "failed": 0, "service_time": hdr(values_ns)}
    return {"phase": "measure", "start_s": 1.0, "end_s": 2.0, "users": 1, "transactions": statistics, **more}


def together(*parts: dict[str, Any]) -> dict[str, Any]:
    return merged_snapshot(parts, start_s=1.0, end_s=2.0, since_s=0.5)


@given(TIMES_NS)
def test_what_is_encoded_is_read_by_others_and_again(values_ns: list[int]) -> None:
    payload = hdr(values_ns)["hdr"]
    ((buckets, counts),) = decoded([payload])
    assert encoded((buckets, counts)) == payload
    if values_ns:
        assert HdrHistogram.decode(payload).get_total_count() == len(values_ns)
    else:
        assert payload == ""


@given(st.lists(TIMES_NS, min_size=1, max_size=5))
def test_histograms_merge_to_the_last_bit(parts: list[list[int]]) -> None:
    merged = together(*map(snapshot, parts))
    every = [value for part in parts for value in part]
    assert merged["transactions"] == snapshot(every)["transactions"]
    assert merged["users"] == len(parts)
    payloads = [hdr(part)["hdr"] for part in reversed(parts)]
    assert encoded(added(decoded(payloads))) == hdr(every)["hdr"]
    assert encoded(summed(payloads)) == hdr(every)["hdr"]


def test_many_histograms_are_summed_to_the_last_bit() -> None:
    """More than are decoded together."""
    random = Random(1)
    parts = [[int(random.lognormvariate(13, 2)) for _ in range(random.randrange(60))] for _ in range(300)]
    payloads = [hdr(part)["hdr"] for part in parts]
    assert encoded(summed(payloads)) == hdr([value for part in parts for value in part])["hdr"]
    assert [each.tolist() for each in summed([])] == [[], []]


def test_times_that_are_left_out_stand_for_others() -> None:
    late = snapshot([10, 20])
    late["transactions"] |= {"response_time": hdr([30, 40]), "failed": 1, "failed_time": hdr([5])}
    failed = snapshot([1])
    failed["transactions"] |= {"failed": 1, "failed_service_time": hdr([6]), "failed_time": hdr([7])}
    merged = together(late, failed)["transactions"]
    assert merged["response_time"] == hdr([30, 40, 1])
    assert merged["failed_time"] == hdr([5, 7])
    assert merged["failed_service_time"] == hdr([5, 6])
    assert merged["failed"] == 2


def test_operations_targets_counts_and_arrivals_are_added() -> None:
    each = snapshot([1])["transactions"]
    arrivals = {"due": 3, "started": 2, "unsent": 0, "backlog": 1}
    one = snapshot([1], operations={"a": each}, counters={"rows": 2}, failures=[FAILED], arrivals=arrivals)
    two = snapshot([1], operations={"a": each, "b": each}, counters={"rows": 3}, targets=[each, each])
    merged = together(one, two, snapshot([1], targets=[each, each], failures=[{**FAILED, "count": 4}]))
    assert {name: part["count"] for name, part in merged["operations"].items()} == {"a": 2, "b": 1}
    assert (merged["counters"], merged["failures"], merged["arrivals"]) == (
        {"rows": 5},
        [{**FAILED, "count": 5}],
        arrivals,
    )
    assert [part["count"] for part in merged["targets"]] == [2, 2]
    assert "operations_since_s" not in merged


def test_personas_are_merged_one_by_one_and_long_lists_say_since_when() -> None:
    persona = {"users": 1, "think_time_ns": 5, "transactions": snapshot([1])["transactions"], "counters": {}}
    one = snapshot([1], personas={"clerk": persona}, operations_since_s=7.0)
    merged = together(one, snapshot([1], personas={"clerk": persona, "robot": persona}))
    assert merged["personas"]["clerk"]["transactions"]["count"] == 2
    assert merged["personas"]["clerk"]["think_time_ns"] == 10
    assert merged["personas"]["robot"]["users"] == 1
    assert merged["operations_since_s"] == 0.5


def test_a_histogram_that_cannot_be_read_is_refused() -> None:
    broken = snapshot([1])
    broken["transactions"]["service_time"]["hdr"] = "AAAA"
    with pytest.raises(ValueError, match="not an HDR"):
        together(broken, snapshot([1]))
