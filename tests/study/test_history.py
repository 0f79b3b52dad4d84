"""The runs of a store over time: which belong together, where they change, and what differs there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from igen.cli import run_arguments
from igen.document import Table
from igen.judge import analyse
from igen.judge.compare.history import History, history_of
from igen.judge.record.recording import Recording
from igen.report.history import history_document
from igen.report.printers.terminal import Terminal, print_text
from igen.store.run import Run
from igen.store.store import Store
from igen.study.history import read_history, rows_of
from igen.study.noise import host_name
from tests.judge import test_personas as personas
from tests.judge.synthetic import events, recording

DAY_S = 86_400.0
FACTS = {"workload.version": 1, "kernel.release": "6.1"}
STUDY = {"name": "oltp", "job": {"workload": "oltp"}, "plan": {"mode": "sweep"}}
OLD, NEW = ({"target.postgresql.version": version} for version in ("15", "16"))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    return Store()


def add(
    store: Store,
    day: int,
    per_s: int,
    facts: dict[str, Any] | None = None,
    params: dict[str, Any] | None = None,
    **rest: Any,
) -> str:
    """A run of two repeats at 1 user, on that day."""
    run = begun(store)
    for repeat in range(2):
        measure(run, "shop", day, repeat, per_s + repeat, facts, params, **rest)
    run.write_outcome("complete")
    return run.id


def add_pair(
    store: Store, day: int, one: dict[str, Any], other: dict[str, Any], params: dict[str, Any] | None = None
) -> str:
    """A run of two systems side by side, each with its rate and its facts."""
    run = begun(store)
    for repeat in range(6):
        for name, side in (("one", one), ("other", other)):
            facts = {key: value for key, value in side.items() if key != "per_s"}
            # Both sides have the same luck, and a little of their own.
            per_s = side["per_s"] + 10 * repeat + (len(name) * repeat) % 3
            measure(run, name, day, repeat, per_s, facts, params, targets=[f"postgresql://{name}"])
    run.write_outcome("complete")
    return run.id


def begun(store: Store) -> Run:
    return store.create_run(name="oltp", system="shop", title="", study=STUDY)


def measure(
    run: Run,
    system: str,
    day: int,
    repeat: int,
    per_s: int,
    facts: dict[str, Any] | None = None,
    params: dict[str, Any] | None = None,
    targets: list[str] | None = None,
    **rest: Any,
) -> None:
    made = recording(
        [per_s] * 10,
        repeat=repeat,
        run=run.id,
        system=system,
        started_unix_s=1.8e9 + DAY_S * day + repeat,
        facts={"host.name": host_name(), **FACTS, **(facts or {})},
        job={
            "params": params or {},
            "load_seed": day,
            "workload": "oltp",
            **({"targets": targets} if targets else {}),
        },
        **rest,
    )
    first, *lines, last = events(made)
    with run.new_job({"study": STUDY, "name": "oltp", **first["job_start"]}) as writer:
        for line in lines:
            writer.event(line)
        writer.end(last["job_end"])


def history(store: Store, **rest: Any) -> History:
    return read_history(store, "oltp", rows_of(store, "oltp", 100), **rest)


def test_a_change_is_suspected_and_told_with_what_differs(store: Store) -> None:
    before = [add(store, day, 1000 + 5 * (day % 3)) for day in range(8)]
    after = [add(store, day, 900 + 5 * (day % 3), {"kernel.release": "6.12"}) for day in range(8, 16)]
    found = history(store)
    (series,) = found.series
    assert [point.run for point in series.points] == [*before, *after]
    (change,) = series.changes
    assert (change.before, change.run) == (before[-1], after[0])
    (factor,) = change.differences
    assert (factor.kind, factor.name) == ("fact", "kernel.release")
    assert (factor.of_system, factor.of_base) == ("6.12", "6.1")
    low, high = change.ratio.low, change.ratio.high
    assert low is not None
    assert high is not None
    assert low < 900 / 1000 < high
    assert found.runs == 16


def test_a_change_that_was_undone_has_both_edges_and_an_odd_run_is_not_a_change(store: Store) -> None:
    runs = [
        add(store, day, (700 if day == 4 else 900 if 10 <= day < 14 else 1000) + 5 * (day % 3))
        for day in range(20)
    ]
    found = history(store)
    (series,) = found.series
    assert [change.run for change in series.changes] == [runs[10], runs[14]]
    (odd,) = series.odd
    assert (odd.rule, odd.part("run").text) == ("odd-run", runs[4])
    assert odd.figure("ratio") == pytest.approx(0.7, abs=0.01)
    table = next(each for each in history_document(found).sections[1].blocks if isinstance(each, Table))
    assert [cell for cell in table.columns[-1].cells if cell] == ["odd", "from here on", "from here on"]


def slower_from_16_on(store: Store) -> None:
    """Eight runs of version 15, and eight of version 16 that do a tenth less."""
    for day in range(16):
        add(store, day, (1000 if day < 8 else 900) + 5 * (day % 3), OLD if day < 8 else NEW)


def told(store: Store) -> str:
    """What the history says of its one change."""
    document = history_document(history(store))
    return print_text(document, Terminal(width=10_000)).replace("\n", " ")


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (
            {"per_s": 1000, **OLD},
            {"per_s": 900, **NEW},
            "confirmed by {run}, where one is as it was before the change and other is slower than one: 0.90",
        ),
        (
            {"per_s": 900, **NEW},
            {"per_s": 1000, **OLD},
            "confirmed by {run}, where one is as it was after the change and other is faster than one: 1.1",
        ),
        (
            {"per_s": 1000, **OLD},
            {"per_s": 1000, **NEW},
            "not confirmed by {run}, where one is as it was before the change and other and one are equi",
        ),
        (
            {"per_s": 900, **OLD},
            {"per_s": 1000, **NEW},
            "not confirmed by {run}, where one is as it was before the change and other is faster than one",
        ),
    ],
    ids=["slower", "turned", "equal", "the other way"],
)
def test_a_run_of_both_sides_confirms_a_change_or_not(
    store: Store, one: dict[str, Any], other: dict[str, Any], says: str
) -> None:
    slower_from_16_on(store)
    assert "suspected: only a fresh run of both side by side" in told(store)
    run = add_pair(store, 20, one, other)
    words = told(store).replace("system other", "other")
    assert says.format(run=run) in words
    assert "suspected" not in words
    state = says.partition(" by ")[0]
    assert f"17 runs on {host_name()}: 1 change {state}" in words


# 12 s: tests/judge/test_change.py has the rule without files.
@pytest.mark.slow
def test_only_a_later_run_of_the_same_work_and_difference_confirms(store: Store) -> None:
    slower_from_16_on(store)
    one, other = {"per_s": 1000, **OLD}, {"per_s": 900, **NEW}
    add_pair(store, 3, one, other)
    add_pair(store, 21, one, other, params={"customers": 7})
    add_pair(store, 22, one, {"per_s": 900, "target.postgresql.version": "17"})
    add_pair(store, 23, {"per_s": 1000}, {"per_s": 900})
    assert "suspected: only a fresh run of both side by side" in told(store)
    run = add_pair(store, 24, one, {**other, "kernel.release": "6.12"})
    assert f"by {run}" in told(store)
    assert "(besides, these differ there: kernel.release: 6.12 against 6.1)" in told(store)


def test_other_settings_other_loads_and_other_versions_are_other_series(store: Store) -> None:
    add(store, 0, 1000)
    add(store, 1, 1000, params={"synchronous": "off"})
    add(store, 2, 1000, users=2)
    add(store, 3, 1000, {"workload.version": 2})
    add(store, 4, 1000)
    series = history(store).series
    assert [len(each.points) for each in series] == [2, 1, 1, 1]
    titles = [each.title for each in series]
    assert len(set(titles)) == 4
    assert any("synchronous=off" in title for title in titles)
    assert [(note.rule, note.limit) for each in series for note in each.notes] == [("short-history", 8)] * 4


def test_a_run_is_one_point(store: Store) -> None:
    """Also where its system stands beside itself, as in a run that measures noise."""
    systems = []
    for name in ("a", "b"):
        made = recording(run="r", system=name, facts={"host.name": "h", **FACTS}, job={"workload": "oltp"})
        systems += analyse([made])
    (series,) = history_of(systems, "oltp", "h").series
    assert len(series.points) == 1


def test_runs_of_other_machines_are_left_out(store: Store) -> None:
    add(store, 0, 1000)
    add(store, 1, 1000, {"host.name": "elsewhere"})
    assert history(store).runs == 1
    assert history(store, host="elsewhere").runs == 1


def test_what_cannot_be_found_is_told(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["history", "oltp"]) == 2
    assert "no run of `oltp`" in capsys.readouterr().err
    add(store, 0, 1000)
    assert run_arguments(["history", "oltp", "--host", "nowhere"]) == 2
    assert f"there are runs of {host_name()}" in capsys.readouterr().err
    assert run_arguments(["history", "oltp", "-o", "x.csv"]) == 2


def test_the_command_prints_and_draws(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for day in range(8):
        add(store, day, 1000 + 5 * (day % 3))
    for day in range(8, 16):
        add(store, day, 900 + 5 * (day % 3))
    page = tmp_path / "history.html"
    assert run_arguments(["history", "oltp", "--quiet", "-o", str(page)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "16 runs on" in text
    assert "1 change suspected" in text
    assert "only a fresh run of both side by side confirms it (`igen ab`)" in text
    assert "no fact and no setting differs between them" in text
    assert "<svg" in page.read_text()
    assert run_arguments(["history", "oltp", "--json", "--last", "10", "--quiet"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["series"][0]["points"]) == 10


def test_where_runs_are_too_few_for_the_number_of_series_none_is_said_to_be_without_change(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """One order in 35 of 8 runs that fell by a half in the middle is as far apart, which is no rarer than two
    series may show by chance."""
    for day in range(8):
        for users in (1, 2):
            add(store, day, 1000 if day < 4 else 500, users=users)
    told = history(store).series
    assert [each.looked for each in told] == [False, False]
    notes = [(note.rule, note.figure("runs"), note.limit) for each in told for note in each.notes]
    assert notes == [("short-history", 8, 10)] * 2
    assert run_arguments(["history", "oltp", "--quiet"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "16 runs on" in text
    assert "too few of the same settings and load to look for changes" in text
    assert "no change found" not in text
    for day in (8, 9):
        for users in (1, 2):
            add(store, day, 500, users=users)
    assert [len(each.changes) for each in history(store).series] == [1, 1]


def test_each_of_several_loads_at_once_has_a_series_of_its_own() -> None:
    """The same number of users in all does not make loads the same."""
    systems = []
    for day in range(3):
        clerks = 10 if day < 2 else 9
        made = [personas.usual(repeat, run=f"r{day}") for repeat in range(5)]
        for each in made:
            each.job["personas"] = {
                **personas.PERSONAS,
                "clerks": {"params": {}, "load": {"closed": {"users": clerks, "think_time_s": 0.09}}},
            }
        systems += personas.read(made)
    series = history_of(systems, "model", "h").series
    assert [(each.title, each.quantity, len(each.points)) for each in series] == [
        ("clerks among 10 users of clerks and 50/s of orders", "throughput", 2),
        ("orders among 10 users of clerks and 50/s of orders", "mean response time", 2),
        ("clerks among 9 users of clerks and 50/s of orders", "throughput", 1),
        ("orders among 9 users of clerks and 50/s of orders", "mean response time", 1),
    ]
    assert series[0].points[0].value.value == pytest.approx(100)
    assert series[1].points[0].value.value == pytest.approx(20, rel=0.01)


def of_personas(
    run: str, day: float, service_ms: float, facts: dict[str, Any], repeats: int, system: str = "shop"
) -> list[Recording]:
    """Executions of several loads at once, of which that of the clerks is slower where the server is."""
    return [
        personas.usual(
            repeat,
            service_ms + (day + len(system) * repeat) % 3,
            run=run,
            system=system,
            started_unix_s=1.8e9 + DAY_S * day + repeat,
            facts={"host.name": "h", **FACTS, **facts},
            job={"targets": [f"postgresql://{system}"]},
        )
        for repeat in range(repeats)
    ]


def test_a_run_of_both_sides_is_told_by_load_where_there_are_several_at_once() -> None:
    systems = []
    for day in range(16):
        side = (10.0, OLD) if day < 8 else (40.0, NEW)
        systems += personas.read(of_personas(f"r{day}", day, *side, repeats=2))
    pair = [
        *of_personas("pair", 20, 10.0, OLD, 6, "one"),
        *of_personas("pair", 20, 40.0, NEW, 6, "other"),
    ]
    systems += personas.read(pair)
    found = history_of(systems, "model", "h")
    words = print_text(history_document(found), Terminal(width=10_000)).replace("\n", " ")
    (series,) = [each for each in found.series if each.changes]
    assert "clerks among" in series.title
    said = (
        "confirmed by pair, where one is as it was before the change and other (clerks) is slower than one "
        "(clerks): 0.7"
    )
    assert said in words.replace("system other", "other")
