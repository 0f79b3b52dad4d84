"""Bad input ends with code 2, is named in the user's words, and leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done

Igen = Callable[[str], Done]


@pytest.mark.parametrize(
    ("line", "where", "said"),
    [
        ("run oltpp", "WORKLOAD", "did you mean `oltp`"),
        ("run model --set servise_time=5ms", "--set servise_time", "did you mean `service_time`"),
        ("run cpu --set variant=fast", "--set variant", "latency"),
        ("run ram --set bytes_per_user=much", "--set bytes_per_user", "much"),
        ("run ram --set bytes_per_user=[1]", "--set bytes_per_user", "[1]"),
        ("run model --set servers=two", "--set servers", "two"),
        ("run model --set service_time=5parsecs", "--set service_time", "parsecs"),
        ("run cpu --users 0", "--users", "`0`"),
        ("run cpu --users 1000000", "--users", "100000"),
        ("run cpu --duration -3s", "--duration", "negative"),
        ("run cpu --duration 3KiB", "--duration", "KiB"),
        ("run cpu --warmup soon", "--warmup", "soon"),
        ("run cpu --think-time -1s", "--think-time", "negative"),
        ("run cpu --rate 5/fortnight", "--rate", "fortnight"),
        ("run cpu --target sqlite:///x.db", "--target", "does not use a target"),
        ("run oltp --target postgresql://x", "--target", "postgresql"),
        ("run oltp --target /tmp/file", "--target", "/tmp/file"),
        ("run cpu --report r.pdf", "--report", ".html"),
        ("data prepare oltpp", "WORKLOAD", "did you mean `oltp`"),
        ("data prepare ldap-search", "--target", "needs a target"),
        ("data export ldap-search", "--target", "needs a target"),
        ("run oltp --set custommers=3", "--set custommers", "did you mean `customers`"),
        ("run oltp --set customers=many", "--set customers", "`many` is not a whole number from 0 to"),
        ("run oltp --set customers=1 customers=2", "--set customers", "twice"),
        ("run cpu --duration 10", "--duration", "such as 10s or 10ms"),
        ("ab model --b servers=2 --duration 10", "--duration", "such as 10s or 10ms"),
        ("noise measure model --duration 10", "--duration", "such as 10s or 10ms"),
        ("instances up postgres", "", "did you mean `postgresql`"),
        ("study check unknown.toml", "unknown.toml:3: params.x", "x"),
        ("study check less.toml", "less.toml:1: load", "the job has no load"),
        ("study run unknown.toml", "unknown.toml:3: params.x", "x"),
        ("study check phase.toml", "phase.toml:3: phases.measure", "did you mean `measure_s`"),
        ("study check typed.toml", "typed.toml:1", "`title`: expected text, got a whole number"),
        ("study check mode.toml", "mode.toml:2", "did you mean `sweep`"),
        ("study check many.toml", "many.toml:3: axes", "1,000,000,000,000 levels are too many"),
        ("study check digits.toml", "digits.toml", "not TOML: Exceeds the limit"),
        ("study check deep.toml", "deep.toml", "nested too deeply"),
        ("study check tables.toml", "tables.toml:1", "`job` is nested too deeply"),
    ],
)
def test_bad_input_is_named_in_the_users_words(
    igen: Igen, store: Path, line: str, where: str, said: str
) -> None:
    Path("unknown.toml").write_text(
        '[job]\nworkload = "cpu"\nparams = { x = 1 }\nload = { closed = { users = 1 } }'
    )
    Path("less.toml").write_text('[job]\nworkload = "cpu"')
    Path("phase.toml").write_text(
        '[job]\nworkload = "cpu"\nphases = { measure = "5s" }\nload = { closed = { users = 1 } }'
    )
    Path("typed.toml").write_text('title = 3\n[job]\nworkload = "cpu"')
    Path("mode.toml").write_text('title = "x"\nplan = { mode = "sweeep" }\n[job]\nworkload = "cpu"')
    axes = "".join(f'"params.a{number}" = {[*range(1000)]}\n' for number in range(4))
    Path("many.toml").write_text(f'[job]\nworkload = "cpu"\n[axes]\n{axes}')
    Path("digits.toml").write_text(f'[job]\nworkload = "cpu"\nload_seed = {"9" * 5000}')
    Path("deep.toml").write_text(f"x = {'[' * 5000}{']' * 5000}")
    Path("tables.toml").write_text(f'[job]\nworkload = "cpu"\n[job{".a" * 2000}]\nx = 1')
    done = igen(line)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"igen: error: {where}: " if where else "igen: error: "), done.err
    assert said in done.err
    assert "line 1" not in done.err
    assert "Traceback" not in done.err
    assert not store.exists()


def test_more_memory_than_there_is_is_refused_with_the_figure(igen: Igen, store: Path) -> None:
    done = igen("run ram --set bytes_per_user=64TiB --users 1,2")
    assert done.code == 2
    assert "available" in done.err
    assert "--force" in done.err
    assert not store.exists()


def test_a_database_of_someone_else_is_not_overwritten(igen: Igen, store: Path) -> None:
    import sqlite3

    with sqlite3.connect("theirs.db") as connection:
        connection.execute("CREATE TABLE orders (id)")
    done = igen(f"run oltp --target sqlite:///{store.parent}/theirs.db --duration 0.2s --repeats 2")
    assert done.code in (1, 2)
    assert done.err.count("igen: error:") == 1
    with sqlite3.connect("theirs.db") as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("orders",)]


def test_a_target_that_cannot_be_read_is_an_error(igen: Igen, store: Path) -> None:
    Path("text.db").write_text("this is no database, but long enough to be taken for one\n" * 100)
    done = igen(f"run oltp --target sqlite:///{store.parent}/text.db --duration 0.2s --repeats 2")
    assert done.code in (1, 2)
    assert "text.db" in done.err or "not a database" in done.err


def test_a_run_is_not_compared_with_itself_nor_with_other_work(igen: Igen) -> None:
    for workload in ("model", "noop"):
        short = "--duration 0.1s --warmup 0s --repeats 1 --quiet"
        assert igen(f"run {workload} {short} --name {workload}").code == 0
    same, other = igen("compare noop last"), igen("compare model noop")
    assert (same.code, same.out, other.code, other.out) == (2, "", 2, "")
    assert "which is given twice" in same.err
    assert "igen: error: RUN: the runs have different workloads: model and noop" in other.err


@pytest.mark.parametrize(
    "line", ["list workloads", "data export ldap-search --target ldap://d/dc=x --set entries=10", "--help"]
)
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&-"])
def test_a_closed_stream_is_no_defect(store: Path, line: str, closed: str) -> None:
    command = f"{sys.executable} -m igen.cli {line} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if not line.startswith("Next: ")]
    assert (done.returncode, done.stdout, said) == (0, "", [])


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_ends_does_not_end_a_run(store: Path, lines: int) -> None:
    run = "run model --users 1,2 --duration 0.2s --warmup 0.1s --repeats 2"
    command = f"{sys.executable} -m igen.cli {run} 2>&1 | head -n {lines}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stdout.splitlines()), done.stderr) == (0, lines, "")
    (record,) = store.glob("2*/run.json")
    assert json.loads(record.read_text())["outcome"] == "complete"
    assert len([*store.glob("2*/jobs/*.jsonl")]) >= 4, "more if one was disturbed"


def test_a_reader_that_ends_is_no_defect_of_what_is_printed(store: Path) -> None:
    command = f"{sys.executable} -m igen.cli list workloads --json | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if not line.startswith("Next: ")]
    assert (done.returncode, said) == (0, [])
