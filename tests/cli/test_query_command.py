from __future__ import annotations

import json
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> str:
    Store(tmp_path).create_run(name="shop", system="shop", title="The shop", study={})
    return str(tmp_path)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_arguments(["query", *arguments])
    return code, *capsys.readouterr()


def test_columns_stand_below_their_names(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = answer(
        capsys, "SELECT system, title, 1/3 AS third, NULL AS nothing FROM runs", "--store", store
    )
    assert code == 0
    assert out.splitlines() == [
        "system  title     third     nothing",
        "shop    The shop  0.333333  NULL",
    ]


def test_json_is_a_list_of_objects(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT system, [1, 2] AS list, {'a': 'nan'::DOUBLE} AS pair, DATE '2026-01-02' AS day FROM runs"
    _, out, _ = answer(capsys, sql, "--store", store, "--json")
    assert json.loads(out) == [{"system": "shop", "list": [1, 2], "pair": {"a": None}, "day": "2026-01-02"}]


def test_a_long_answer_is_cut_on_a_terminal_alone(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = answer(capsys, "SELECT repeat('x', 500) AS long FROM range(1234)", "--store", store)
    assert len(out.splitlines()) == 201
    assert max(map(len, out.splitlines())) == 80
    assert "1,034 more rows" in err
    _, out, _ = answer(capsys, "SELECT repeat('x', 500) AS long FROM range(1234)", "--store", store, "--json")
    assert len(json.loads(out)) == 1234


def test_a_name_does_not_steer_the_terminal(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = answer(capsys, "SELECT chr(27) || '[2J' AS x", "--store", store)
    assert "\x1b" not in out


def test_wrong_sql_is_bad_input(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = answer(capsys, "SELECT speed FROM jobs", "--store", store)
    assert code == 2
    assert 'error: SQL: Binder Error: Referenced column "speed" not found' in err
    assert "hint: tables:" in err
