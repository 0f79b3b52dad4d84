"""Metrics in the text format of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from igen.telemetry.families import UPPER_BOUNDS_S, Family, Labels, Point, Times

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def text_of(families: Sequence[Family]) -> str:
    """The whole exposition."""
    return "".join(line + "\n" for family in families for line in _lines(family)) + "# EOF\n"


def _lines(family: Family) -> Iterator[str]:
    yield f"# TYPE {family.name} {family.kind}"
    if family.unit:
        yield f"# UNIT {family.name} {family.unit}"
    yield f"# HELP {family.name} {_escaped(family.help)}"
    suffix = "_total" if family.kind == "counter" else ""
    for point in family.points:
        if isinstance(point.value, Times):
            yield from _buckets(family.name, point, point.value)
        else:
            yield f"{family.name}{suffix}{_labels(point.labels)} {_number(point.value)}"


def _buckets(name: str, point: Point, times: Times) -> Iterator[str]:
    bounds = [*(_number(bound) for bound in UPPER_BOUNDS_S), "+Inf"]
    counts = list(accumulate(times.counts))
    for bound, count in zip(bounds, counts, strict=True):
        yield f"{name}_bucket{_labels((*point.labels, ('le', bound)))} {count}"
    yield f"{name}_sum{_labels(point.labels)} {_number(times.sum_s)}"
    yield f"{name}_count{_labels(point.labels)} {counts[-1]}"


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}" if labels else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return repr(float(value))
