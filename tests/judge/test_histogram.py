from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.judge.record.histogram import (
    Histogram,
    coarse,
    decode,
    decode_all,
    lower_edge_ns,
    merge,
    quantiles_of_each_ns,
)

HIGHEST_NS = 2**42 - 1
times_ns = st.lists(st.integers(0, HIGHEST_NS), min_size=1, max_size=60)


def encoded(values: list[int], counts: list[int] | None = None) -> str:
    """What the reference implementation writes for these values."""
    histogram = HdrHistogram(1, HIGHEST_NS, 2)
    for value, count in zip(values, counts or [1] * len(values), strict=True):
        histogram.record_value(value, count)
    return histogram.encode().decode()


def histogram_of(values: list[int]) -> Histogram:
    return decode(encoded(values), sum(values))


def same(a: Histogram, b: Histogram) -> bool:
    return (
        np.array_equal(a.buckets, b.buckets) and np.array_equal(a.counts, b.counts) and a.sum_ns == b.sum_ns
    )


@settings(max_examples=60, deadline=None)
@given(times_ns, st.data())
def test_every_count_is_where_the_reference_has_it(values: list[int], data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(1, 2**40), min_size=len(values), max_size=len(values)))
    reference = HdrHistogram(1, HIGHEST_NS, 2)
    for value, count in zip(values, counts, strict=True):
        reference.record_value(value, count)
    ours = decode(encoded(values, counts), 0)
    theirs = [(i, reference.get_count_at_index(i)) for i in range(reference.counts_len)]
    assert list(zip(ours.buckets, ours.counts, strict=True)) == [row for row in theirs if row[1]]
    assert [reference.get_value_from_index(int(i)) for i in ours.buckets] == list(lower_edge_ns(ours.buckets))
    assert ours.count == reference.get_total_count()


@settings(max_examples=60, deadline=None)
@given(times_ns, st.floats(0, 1))
def test_a_quantile_is_within_0_4_percent_of_the_truth(values: list[int], share: float) -> None:
    truth = sorted(values)[max(math.ceil(share * len(values) * (1 - 1e-15)), 1) - 1]
    found = histogram_of(values).quantiles_ns([share])[0]
    assert found == pytest.approx(truth, rel=0.004)
    assert histogram_of(values).max_ns == pytest.approx(max(values), rel=0.004)
    assert histogram_of(values).mean_ns == sum(values) / len(values)


@settings(max_examples=40, deadline=None)
@given(st.lists(times_ns, min_size=1, max_size=8))
def test_merged_parts_equal_the_whole_bit_for_bit(parts: list[list[int]]) -> None:
    whole = histogram_of([value for part in parts for value in part])
    merged = merge(histogram_of(part) for part in parts)
    assert same(merged, whole)
    assert same(merge([*(histogram_of(part) for part in parts[::-1]), Histogram()]), whole)
    (cells,) = coarse([whole])
    assert coarse([merged]) == [cells]
    assert sum(count for _, count in cells) == whole.count


def test_a_time_that_is_told_an_interval_after_its_count_is_not_lost() -> None:
    counted, late = decode(encoded([132_731]), 0), Histogram(sum_ns=132_731)
    for parts in ([counted, late], [late, counted], [Histogram(), counted, late]):
        assert same(merge(parts), histogram_of([132_731]))


def test_eight_nodes_merged_equal_one_node() -> None:
    values = np.random.default_rng(8).lognormal(13, 1, 4000).astype(int).tolist()
    assert same(merge(histogram_of(values[node::8]) for node in range(8)), histogram_of(values))


def test_the_mean_of_two_percentiles_is_not_the_percentile() -> None:
    """One slow node of two: why histograms are stored and never percentiles."""
    random = np.random.default_rng(2)
    fast, slow = (random.exponential(mean, 20_000).astype(int).tolist() for mean in (400_000, 1_000_000))
    nodes = [histogram_of(fast), histogram_of(slow)]
    truth = float(np.quantile(fast + slow, 0.99))
    mean_of_nodes = float(np.mean([node.quantiles_ns([0.99])[0] for node in nodes]))
    assert merge(nodes).quantiles_ns([0.99])[0] == pytest.approx(truth, rel=0.005)
    assert mean_of_nodes < 0.95 * truth


def test_the_coarse_grid_bounds_the_values_from_above() -> None:
    histogram = histogram_of([5_000_000] * 7)
    assert coarse([histogram]) == [[(pytest.approx(5_242_880), 7)]]
    assert coarse([histogram], 128)[0][0][0] > 5_000_000 * 0.992


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("not base64!", "HDR"),
        ("AAAA", "HDR"),
        ("AAAAAAAAAAAAAAAA", "cookie"),
        (HdrHistogram(1, HIGHEST_NS, 3).encode().decode(), "layout"),
        (encoded([5_000_000])[:-8], "HDR"),
    ],
)
def test_what_is_no_histogram_is_told(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        decode(text, 0)


def test_no_text_is_no_values() -> None:
    empty = decode("", 0)
    assert empty.count == 0
    assert np.isnan([empty.mean_ns, empty.max_ns, *empty.quantiles_ns([0.5])]).all()
    assert coarse([empty]) == [[]]
    assert coarse([]) == []


@given(st.lists(st.one_of(times_ns, st.just([])), max_size=6))
def test_many_at_once_are_what_each_is_alone(lists: list[list[int]]) -> None:
    payloads = [(encoded(values) if values else "", sum(values)) for values in lists]
    alone = [decode(*payload) for payload in payloads]
    together = decode_all(payloads)
    assert all(same(one, other) for one, other in zip(alone, together, strict=True))
    shares = [0.0, 0.5, 0.99, 1.0]
    quantiles = [each.quantiles_ns(shares) for each in alone]
    np.testing.assert_array_equal(quantiles_of_each_ns(together, shares), np.reshape(quantiles, (-1, 4)))
    assert coarse(together) == [cells for each in alone for cells in coarse([each])]


@pytest.mark.parametrize("most", [1, 255, 256, 2**16, 2**32, 2**54])
def test_columns_come_back_as_they_were_given(most: int) -> None:
    buckets, counts = np.array([0, 300, 7000]), np.array([1, most, 2])
    found = Histogram.counted(buckets, counts, 5)
    assert found.size == 3
    assert (found.buckets.tolist(), found.counts.tolist()) == (buckets.tolist(), counts.tolist())
    assert found.buckets.dtype == found.counts.dtype == np.int64


def test_a_histogram_of_an_interval_takes_a_quarter_of_its_columns() -> None:
    buckets = np.arange(3000, 3100)
    counts = np.full(100, 7)
    tracemalloc.start()
    kept = [Histogram.counted(buckets, counts) for _ in range(1000)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / len(kept) < (buckets.nbytes + counts.nbytes) / 3.5
