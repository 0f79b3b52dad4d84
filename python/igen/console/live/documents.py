"""Messages for browsers: a digest of each interval, the state of the run, and current figures."""

from __future__ import annotations

from typing import Any

import msgspec

from igen.console.live.follower import Follower, histograms_of, payload
from igen.console.live.job_now import JobNow
from igen.console.live.point import Point, cells, rounded
from igen.judge.record.histogram import merge
from igen.study.plans import plan_type

MOST_DIGEST_BYTES = 400
TOP_OPERATIONS, NAME_CHARACTERS = 3, 24
"""Most bytes of a digest; the smallest entries that do not fit are left out."""
MOST_OPERATIONS, MOST_FAILURES, MOST_ROWS = 64, 10, 100

_encode = msgspec.json.Encoder().encode


def digest(point: Point, top: list[list[Any]], tiers: dict[str, float]) -> bytes:
    """A point with its busiest operations, `[name, per second, p99 in ms]`, and the tiers' processor time in
    percent: at most 400 bytes of JSON.
    """
    body: dict[str, Any] = {name: value for name, value in cells(point).items() if value is not None}
    if point.intervals == 1:
        del body["least_per_s"], body["most_per_s"], body["intervals"]
    if top:
        body["top"] = top[:TOP_OPERATIONS]
    if tiers:
        body["tiers"] = {name[:NAME_CHARACTERS]: rounded(percent) for name, percent in tiers.items()}
    while len(found := _encode(body)) > MOST_DIGEST_BYTES and ("top" in body or "tiers" in body):
        longer = "top" if body.get("top") else "tiers"
        if body.get(longer):
            body[longer] = body[longer][:-1] if longer == "top" else dict([*body[longer].items()][:-1])
        else:
            del body[longer]
    return found


def top_of(job: JobNow) -> list[list[Any]]:
    """Return the most frequent operations of the last interval."""
    if not job.operations:
        return []
    length_s, operations = job.operations[-1]["length_s"], job.operations[-1]["operations"]
    try:
        busiest = sorted(operations.items(), key=lambda row: -row[1]["count"])[:TOP_OPERATIONS]
        histograms = histograms_of([payload(part) for _, part in busiest])
        return [
            [
                name[:NAME_CHARACTERS],
                rounded(part["count"] / length_s),
                _ms(histogram.quantiles_ns([0.99])[0]),
            ]
            for (name, part), histogram in zip(busiest, histograms, strict=True)
        ]
    except (KeyError, TypeError, AttributeError, ZeroDivisionError):
        return []


def figures_of(job: JobNow) -> dict[str, Any]:
    """Return operations over the last intervals, failures by reason, host and tiers."""
    return {
        "operations": _operations(job),
        "failures": [[str(why), times] for why, times in job.failures.most_common(MOST_FAILURES)],
        "host": {name: rounded(value) for name, value in job.machine.figures().items()},
        "tiers": {name: rounded(percent) for name, percent in job.machine.tiers().items()},
        "messages": job.messages,
    }


def _operations(job: JobNow) -> list[dict[str, Any]]:
    recent = list(job.operations)
    seconds = sum(each["length_s"] for each in recent)
    names = dict.fromkeys(name for each in recent for name in each["operations"])
    rows = []
    for name in names:
        try:
            parts = [each["operations"][name] for each in recent if name in each["operations"]]
            count, failed = (sum(part[what] for part in parts) for what in ("count", "failed"))
            times = merge(histograms_of([payload(part) for part in parts])).quantiles_ns((0.5, 0.95, 0.99))
        except (KeyError, TypeError, AttributeError):
            continue
        p50, p95, p99 = map(_ms, times.tolist())
        row = {"name": name, "count": count, "failed": failed, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99}
        rows.append({**row, "per_s": rounded(count / seconds if seconds else None)})
    return sorted(rows, key=lambda row: -row["count"])[:MOST_OPERATIONS]


def _ms(value_ns: float) -> float | None:
    return rounded(value_ns / 1e6)


def state_of(
    follower: Follower, state: str, rows: list[dict[str, Any]], plan: dict[str, Any]
) -> dict[str, Any]:
    """Return the state of the run: a word, execution and phase, time left, and finished levels."""
    job = follower.now
    told: dict[str, Any] = {"state": state, "last_s": round(follower.last_s, 3), "rows": rows[-MOST_ROWS:]}
    if job is None:
        return {**told, "phase": "start", "words": "waiting for its first job"}
    return {
        **told,
        "job": job.number,
        "host": job.host,
        "level": int(job.start.get("level", 0)),
        "levels": plan.get("levels"),
        "repeat": int(job.start.get("repeat", 0)),
        "repeats": plan.get("repeats"),
        "purpose": str(job.start.get("purpose", "")),
        "system": str(job.start.get("system", "")),
        "load": job.load,
        "phase": job.phase if job.end is None else "ended",
        "phase_start_s": round(job.phase_start_s, 3),
        "planned_s": job.planned_s,
        "progress": job.progress,
        "interval_s": rounded(_interval_s(job)),
        "left_s": rounded(_left_s(follower, plan)),
        "words": _words(job, plan),
    }


def _words(job: JobNow, plan: dict[str, Any]) -> str:
    """Return the current execution: `level 3 of 6 (2,000 users), repeat 2 of 5`."""
    confirms = "confirms the peak: " if job.start.get("purpose") == "confirm" else ""
    level, repeat = (int(job.start.get(what, 0)) + 1 for what in ("level", "repeat"))
    of_levels, of_repeats = _of(level, plan.get("levels")), _of(repeat, plan.get("repeats"))
    return f"{confirms}level {level}{of_levels} ({job.load}), repeat {repeat}{of_repeats}"


def _of(number: int, planned: int | None) -> str:
    """Return ` of 5`, or nothing for a replaced repeat, which is beyond the plan."""
    return f" of {planned}" if planned and number <= planned else ""


def _interval_s(job: JobNow) -> float:
    value = (job.job.get("phases") or {}).get("interval_s", 1.0)
    return float(value) if isinstance(value, int | float) else 1.0


def plan_of(study: dict[str, Any]) -> dict[str, Any]:
    """Return how many levels and repeats a study has, if that is known beforehand."""
    plan = study.get("plan") or {}
    repeats = plan.get("repeats")
    if not plan_type(str(plan.get("mode"))).is_product or not isinstance(repeats, int):
        return {}
    levels = 1
    for several in (*(study.get("axes") or {}).values(), study.get("systems"), study.get("tests")):
        levels *= len(several or [None])
    return {"levels": levels, "repeats": repeats}


def _left_s(follower: Follower, plan: dict[str, Any]) -> float | None:
    """Return the remaining time, with executions as long as those so far."""
    job = follower.now
    if job is None or not plan:
        return None
    done = [each for each in follower.ended if each.end]
    took = [
        float(each.end["ended_unix_s"]) - float(each.start["started_unix_s"]) for each in done if each.end
    ]
    phases = job.job.get("phases") or {}
    planned = [
        value for name, value in phases.items() if name in _UNDER_LOAD and isinstance(value, int | float)
    ]
    each_s: float = sum(took) / len(took) if took else sum(planned)
    left: int = plan["levels"] * plan["repeats"] - len(follower.ended) - 1
    rest_s = 0.0 if job.end else max(each_s - (follower.last_s - job.base_s), 0.0)
    return max(left, 0) * each_s + rest_s


_UNDER_LOAD = ("ramp_s", "warmup_s", "measure_s")
