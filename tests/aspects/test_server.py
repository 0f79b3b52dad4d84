from __future__ import annotations

import json
from typing import Any

import pytest

from igen.aspects.server.measure import other_clients_of, server_of
from igen.aspects.server.parts import Server
from igen.aspects.server.waits import Wait
from igen.judge import result_of
from igen.judge.record.recording import Reading, Recording
from igen.judge.result import Finding, Level, System
from igen.judge.run.measured import measure
from igen.judge.trust.foreign import foreign_cpu
from igen.loads import Loads
from tests.aspects.observed import has, texts
from tests.judge.synthetic import MEASURE_BEGIN_S, level_runs, one_system, readings, recording

TARGET = "postgresql://127.0.0.1:5432/shop"
PLACE = "127.0.0.1:5432/shop"
COUNTERS = {
    "commits": 1000.0,
    "rollbacks": 10.0,
    "blocks_hit": 990.0,
    "blocks_read": 10.0,
    "checkpoints_timed": 0.1,
    "checkpoints_requested": 0.2,
    "deadlocks": 0.5,
    "sampled_moments": 10.0,
    "sampled_active": 30.0,
    "sampled_idle_in_transaction": 10.0,
    "sampled_idle": 0.0,
    "wait_samples.LWLock.WALWrite": 20.0,
    "wait_samples.IO.WALSync": 4.0,
    "wait_samples.running": 6.0,
}
PROCESSES = {"user_s": 0.6, "system_s": 0.2, "read_bytes": 0.0, "written_bytes": 5e6}


def watched(
    counters: dict[str, float] | None = None,
    *,
    local: bool = True,
    places: tuple[str, ...] = (PLACE,),
    monitor: str = "postgresql",
    **job: Any,
) -> Recording:
    """1,000 transactions a second by 4 users, on two processors that are 60 % busy."""
    target = TARGET.replace("postgresql", monitor)
    made = recording(users=4, job={"targets": [target] * len(places), **job})
    for subject in ("", "cpu0", "cpu1"):
        made.readings.update(readings("cpu", {"user_s": 1.2, "idle_s": 0.8}, subject))
    made.readings.update(readings("process", {"user_s": 0.3, "system_s": 0.0}, "agent"))
    for place in places:
        per_s = {**(COUNTERS if counters is None else counters), **(PROCESSES if local else {})}
        made.readings.update(readings(monitor, per_s, place))
        if local:
            made.readings[monitor, place] = [
                Reading(each.at_s, each.counters, {"process_id": 700.0})
                for each in made.readings[monitor, place]
            ]
    return made


def server(made: Recording) -> Server:
    found = server_of(level_runs(made))
    assert found is not None
    return found


def test_every_figure() -> None:
    found = server(watched())
    assert (found.engine, found.servers) == ("postgresql", 1)
    assert found.commits_per_s == pytest.approx(1000)
    assert found.rollbacks_per_s == pytest.approx(10)
    assert found.cache_hit_percent == pytest.approx(99)
    assert (found.checkpoints, found.deadlocks, found.lock_waits_per_s) == (3, 5, None)
    assert found.cpu_percent == pytest.approx(40)
    assert found.cpu_us_per_transaction == pytest.approx(800)
    assert found.read_bytes_per_s == 0
    assert found.active_sessions == pytest.approx(3)
    assert (found.moments, found.session_samples) == (100, 400)
    assert [(each.kind, each.samples) for each in found.kinds] == [
        ("log flush", 240),
        ("client", 100),
        ("running", 60),
    ]


def test_a_user_that_works_aside_is_not_waiting_for_the_server() -> None:
    idle = {**COUNTERS, "sampled_active": 10.0, "sampled_idle_in_transaction": 0.0, "sampled_idle": 30.0}
    at_client = {}
    for aside_s in (0.0, 5.0):
        made = watched(idle)
        made.facts["engine.aside_s"] = aside_s
        at_client[aside_s] = sum(each.samples for each in server(made).kinds if each.kind == "client")
    assert at_client == {0.0: 300, 5.0: 0}


def test_without_a_monitor_of_servers_there_is_none() -> None:
    assert server_of(level_runs(recording())) is None


def test_a_server_elsewhere_has_no_processes() -> None:
    found = server(watched(local=False))
    assert found.commits_per_s == pytest.approx(1000)
    assert (found.cpu_percent, found.cpu_us_per_transaction) == (None, None)


def test_two_databases_of_one_server_share_its_processes() -> None:
    found = server(watched(places=(PLACE, "127.0.0.1:5432/other")))
    assert found.servers == 1
    assert found.cpu_percent == pytest.approx(40)
    assert found.commits_per_s == pytest.approx(2000), "PostgreSQL counts them by database"
    assert found.checkpoints == 3, "but these are the server's"
    assert found.moments == 100, "two databases at one moment are one observation"
    of_server = server(watched(places=(PLACE, "127.0.0.1:5432/other"), monitor="mysql"))
    assert of_server.commits_per_s == pytest.approx(1000), "MariaDB counts for the whole server"


def foreign(made: Recording) -> tuple[float | None, dict[str, float | None]]:
    """Return what others used in percent, by two ways: a figure of the run, and the parts of the finding."""
    run = measure(made)
    found = foreign_cpu(run)
    parts = {part.name: part.figure for part in found.finding.parts} if found else {}
    return run.resources.foreign_cpu_percent, parts


def test_a_local_database_under_test_is_not_foreign() -> None:
    percent, parts = foreign(watched())
    assert percent == pytest.approx(5), "60 - 15 (driver) - 40 (server)"
    assert parts == {"used_percent": pytest.approx(5)}
    percent, _ = foreign(watched({**COUNTERS, "user_s": 0.0}, local=False))
    assert percent == pytest.approx(45)


def test_who_disturbs_a_local_database_is_told() -> None:
    made = watched()
    for subject in ("", "cpu0", "cpu1"):
        made.readings.update(readings("cpu", {"user_s": 1.6, "idle_s": 0.4}, subject))
    _, parts = foreign(made)
    assert parts["used_percent"] == pytest.approx(25)


def test_a_server_that_is_named_by_its_process_too_counts_once() -> None:
    made = watched()
    made.readings.update(readings("process", {"user_s": 0.6, "system_s": 0.2}, "700 postgres"))
    percent, _ = foreign(made)
    assert percent == pytest.approx(5)


def notes(made: Recording) -> list[str]:
    """Return the rules of the notes on a level of this run."""
    return [each.rule for each in other_clients_of(level_runs(made))]


def counted(commits: float, **rest: Any) -> list[str]:
    return notes(watched({**COUNTERS, "commits": commits}, **rest))


def test_both_sides_count_the_same_transactions() -> None:
    assert counted(1000) == []
    assert counted(1100) == [], "PostgreSQL's sessions may report 1 of 10 s late"
    assert counted(1200) == ["server-count"]
    assert counted(950, monitor="mysql") == ["server-count"]
    assert counted(6000, params={"mode": "autocommit"}) == []
    assert counted(0, workload="scan") == []


def client(sessions: str, **told: Any) -> dict[str, Any]:
    plain = {"user": "bob", "from": "10.0.0.7", "application": "psql", "active_percent": 80.0}
    return {**plain, "sessions": sessions, **told}


def seen(*clients: dict[str, Any], sees_all: bool = True, commits: float = 1000.0) -> Recording:
    """Two agents have opened the sessions 7 to 9 and 12 of the server."""
    made = watched({**COUNTERS, "commits": commits})
    server = PLACE.partition("/")[0]
    made.facts["sessions.own"] = {server: "7-9"}
    made.facts["fleet.2.sessions.own"] = {server: "12"}
    made.facts[f"sessions.others.{PLACE}"] = {
        "server": server,
        "sees_all": sees_all,
        "clients": list(clients),
    }
    return made


def test_any_other_active_client_is_named_whatever_its_share() -> None:
    made = seen(client("8 20-21"), client("12", user="igen"), commits=1001.0)
    (other,) = server(made).others
    assert (other.user, other.address, other.application) == ("bob", "10.0.0.7", "psql")
    assert (other.sessions, other.active_percent) == (2, 80.0)
    assert server(made).commits_of_others_percent == pytest.approx(0.1, abs=0.01)
    (note,) = other_clients_of(level_runs(made))
    assert note.rule == "other-clients-seen"
    assert [(part.text, part.figure) for part in note.parts if part.name == "active_percent"] == [
        ("bob at 10.0.0.7 (psql)", 80)
    ]
    assert note.figure("commits_percent") == pytest.approx(0.1, abs=0.01)
    assert server(seen(client("20"), commits=1120.0)).commits_of_others_percent == pytest.approx(
        10.7, abs=0.1
    )


def test_sessions_of_any_agent_are_own() -> None:
    made = seen(client("7-9 12"))
    assert (server(made).others, server(made).sees_others) == ([], True)
    assert server(made).commits_of_others_percent is None
    assert notes(made) == []


def test_a_recording_of_others_may_name_any_number_of_sessions() -> None:
    (other,) = server(seen(client("12-4000000000000000000"))).others
    assert other.sessions == 4_000_000_000_000_000_000 - 12


def test_what_may_not_be_seen_is_said() -> None:
    made = seen(sees_all=False)
    assert server(made).sees_others is False
    assert notes(made) == ["other-clients-hidden"]
    assert server(watched()).sees_others is None


def test_shards_of_two_engines_are_counted_together() -> None:
    half = {**COUNTERS, "commits": 500.0}
    made = watched(half)
    made.readings.update(readings("mysql", half, "127.0.0.1:3306/shop"))
    made.job["targets"] = [TARGET, "mysql://127.0.0.1:3306/shop"]
    assert notes(made) == []
    assert server_of(level_runs(made)) is None, "they have no waits in common"
    made.job["targets"].append("sqlite:///a.db")
    assert notes(made) == [], "a target that nobody counts"


def test_the_mode_of_any_persona_is_seen() -> None:
    job = {"personas": {"clerks": {}, "robots": {"params": {"mode": "autocommit"}}}}
    assert [load.params for load in Loads.of(job)] == [{}, {"mode": "autocommit"}]
    assert [load.params for load in Loads.of({"params": {"mode": "own"}})] == [{"mode": "own"}]


def level(made: Recording) -> tuple[System, Level]:
    system = one_system([made])
    return system, system.levels[0]


def bottleneck(made: Recording) -> list[Finding]:
    system, _ = level(made)
    return [each for each in system.observations if each.row.bottleneck]


def test_the_finding_names_the_largest_part() -> None:
    (found,) = bottleneck(watched())
    names = ("kind", "time", "load")
    assert (found.rule, *(found.part(name).text for name in names)) == (
        "server-time",
        "log flush",
        "response time",
        "4 users",
    )
    assert found.figure("share_percent") == pytest.approx(60)
    assert found.part("share_percent").span == pytest.approx((50, 69), abs=0.5)
    (further,) = found.because
    assert (texts(further, "kind"), further.figure("share_percent")) == (["client"], pytest.approx(25))
    samples = {part.text: part.figure for part in found.parts if part.name == "samples"}
    assert samples == {"LWLock.WALWrite": 200, "client": 100, "IO.WALSync": 40}
    assert (found.figure("session_samples"), found.figure("moments")) == (400, 100)


def test_a_hot_table_is_named() -> None:
    locked = {**COUNTERS, "wait_samples.Lock.tuple@lock:table orders": 40.0, "sampled_active": 70.0}
    (found,) = bottleneck(watched(locked))
    assert (texts(found, "kind"), texts(found, "relation")) == (["lock"], ["table orders"])
    assert found.figure("share_percent") == pytest.approx(50)


def saturated(made: Recording, busy_s: float = 1.92) -> Recording:
    """Load and server keep two processors busy for so long a second; tasks wait in 80 % of the time."""
    for subject in ("", "cpu0", "cpu1"):
        made.readings.update(readings("cpu", {"user_s": busy_s, "idle_s": 2 - busy_s}, subject))
    made.readings.update(readings("process", {"user_s": busy_s / 2, "system_s": 0.0}, "agent"))
    made.readings.update(readings("pressure", {"some_s": 0.8}, "cpu"))
    return made


def test_on_busy_processors_the_client_s_share_is_also_waiting_for_one() -> None:
    at_client = {**COUNTERS, "sampled_idle_in_transaction": 90.0}
    (quiet,) = bottleneck(watched(at_client))
    assert (texts(quiet, "kind"), has(quiet, "included")) == (["client"], False)
    (busy,) = bottleneck(saturated(watched(at_client)))
    assert (texts(busy, "kind"), texts(busy, "included")) == (["client"], ["processor"])
    (why,) = busy.because
    assert why.rule == "processors-busy"
    assert (why.figure("cpu_percent"), why.figure("pressure_cpu_percent")) == pytest.approx((96, 80))


def test_who_shares_one_of_two_processors_waits_for_it() -> None:
    at_client = {**COUNTERS, "sampled_idle_in_transaction": 90.0}
    (bound,) = bottleneck(saturated(watched(at_client), busy_s=1.0))
    assert (texts(bound, "kind"), texts(bound, "included")) == (["client"], ["processor"])
    (why,) = bound.because
    assert why.rule == "processors-busy"
    assert (why.figure("cpu_percent"), why.figure("pressure_cpu_percent")) == pytest.approx((50, 80))


def test_busy_processors_here_say_nothing_of_a_server_elsewhere() -> None:
    at_client = {**COUNTERS, "sampled_idle_in_transaction": 90.0}
    (elsewhere,) = bottleneck(saturated(watched(at_client, local=False)))
    assert (texts(elsewhere, "kind"), has(elsewhere, "included")) == (["client"], False)
    assert [each.rule for each in elsewhere.because] == ["waits-for-clients"]


def test_innodb_s_double_write_is_no_read() -> None:
    assert Wait.of("wait_samples.io/file/innodb/innodb_dblwr_file").kind == "data write"
    assert Wait.of("wait_samples.io/file/innodb/innodb_data_file").kind == "data read"


def test_what_mariadb_s_list_of_processes_calls_a_statement_may_be_a_read() -> None:
    statements = {name: value for name, value in COUNTERS.items() if not name.startswith("wait_samples.")}
    listed = {**statements, "wait_samples.state.Sending data": 30.0}
    (found,) = bottleneck(watched(listed, monitor="mysql"))
    assert included_in_statements(found) == ["data read"]
    seen = {**listed, "wait_samples.io/file/innodb/innodb_data_file": 1.0}
    (found,) = bottleneck(watched(seen, monitor="mysql"))
    assert included_in_statements(found) == []


def included_in_statements(found: Finding) -> list[str]:
    """Return what the samples cannot tell from running statements."""
    (running,) = [each for each in (found, *found.because) if "running" in texts(each, "kind")]
    return texts(running, "included")


def test_few_samples_carry_no_finding() -> None:
    few = {name: value / 50 if "sample" in name else value for name, value in COUNTERS.items()}
    assert server(watched(few)).moments == 2
    assert bottleneck(watched(few)) == []
    nothing = {name: value for name, value in COUNTERS.items() if "sample" not in name}
    assert bottleneck(watched(nothing)) == []


def test_a_server_that_died_leaves_a_gap_and_no_figure() -> None:
    made = watched()
    made.readings["postgresql", PLACE] = made.readings["postgresql", PLACE][:3]
    assert server_of(level_runs(made)) is None
    made.readings["postgresql", PLACE] = [
        Reading(MEASURE_BEGIN_S, {}, {}),
        Reading(MEASURE_BEGIN_S + 10, {}, {}),
    ]
    empty = server(made)
    assert (empty.commits_per_s, empty.cache_hit_percent, empty.kinds) == (None, None, [])


def test_the_document_holds_it() -> None:
    import msgspec

    system, _ = level(watched())
    document = json.loads(msgspec.json.encode(result_of([system])))
    (seen,) = [part for part in document["systems"][0]["levels"][0]["aspects"] if part["kind"] == "server"]
    assert seen["kinds"][0]["kind"] == "log flush"
