"""Bad input ends with code 2, is named in the user's words, and leaves nothing behind."""

from __future__ import annotations

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
        ("run cpu --target sqlite:///x.db", "--target", "no target"),
        ("run oltp --target postgresql://x", "--target", "postgresql"),
        ("run oltp --target /tmp/file", "--target", "/tmp/file"),
        ("run cpu --report r.pdf", "--report", ".html"),
        ("prepare oltpp", "WORKLOAD", "did you mean `oltp`"),
        ("prepare ldap-search", "--target", "needs a target"),
        ("export ldap-search", "--target", "needs a target"),
        ("check unknown.toml", "unknown.toml: params.x", "x"),
        ("check less.toml", "less.toml", "`load`"),
        ("study run unknown.toml", "unknown.toml: params.x", "x"),
    ],
)
def test_bad_input_is_named_in_the_users_words(
    igen: Igen, store: Path, line: str, where: str, said: str
) -> None:
    Path("unknown.toml").write_text(
        '[job]\nworkload = "cpu"\nparams = { x = 1 }\nload = { closed = { users = 1 } }'
    )
    Path("less.toml").write_text('[job]\nworkload = "cpu"')
    done = igen(line)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"igen: error: {where}: "), done.err
    assert said in done.err
    assert "line 1" not in done.err
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
