"""Superset as a private instance.

What takes the network runs where IGEN_TEST_PYPI is set, and never in `make test`.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from checks import tree
from igen.cli import run_arguments
from igen.errors import InputError
from igen.instances import control, process
from igen.instances.superset import Superset
from igen.instances.superset_data import CHARTS, COLUMNS, layout, make_sales, sales
from tests.instances.test_from_pypi import instance
from tests.instances.test_hazards import processes_of
from tests.own_ports import own_ports
from tests.waiting import wait_for

STUDY = tree.ROOT / "studies" / "bi-superset.toml"
takes_the_network = pytest.mark.skipif(
    "IGEN_TEST_PYPI" not in os.environ, reason="installs from PyPI: set IGEN_TEST_PYPI=1"
)


def read(text: str) -> dict[str, Any]:
    """What a configuration in Python says."""
    said: dict[str, Any] = {}
    exec(text, said)
    return said


def configured(tmp_path: Path, **settings: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configurations of Superset and of its server."""
    files = Superset().configure(instance("superset", tmp_path, 14100, **settings), tmp_path)
    return read(files["superset_config.py"]), read(files["gunicorn.conf.py"])


@pytest.fixture(autouse=True)
def secret_key(tmp_path: Path) -> None:
    """A key, as it is among the data."""
    (tmp_path / "secret_key").write_text("not told")


def test_it_listens_here_alone_and_its_key_is_among_its_data(tmp_path: Path) -> None:
    files = Superset().configure(instance("superset", tmp_path, 14100), tmp_path)
    assert "not told" not in "".join(files.values())
    application, server = configured(tmp_path)
    assert application["SECRET_KEY"] == "not told"
    assert server["bind"] == ["127.0.0.1:14100"]
    assert f"SUPERSET_CONFIG_PATH={tmp_path / 'superset_config.py'}" in server["raw_env"]
    assert f"SUPERSET_HOME={tmp_path}" in server["raw_env"]


def test_settings_are_how_many_workers_which_cache_and_how_much_is_made(tmp_path: Path) -> None:
    usual, server = configured(tmp_path)
    assert usual["DATA_CACHE_CONFIG"]["CACHE_TYPE"] == "FileSystemCache"
    assert usual["DATA_CACHE_CONFIG"]["CACHE_DIR"] == str(tmp_path / "cache")
    assert server["workers"] == 2
    without, server = configured(tmp_path, cache="off", workers="4")
    assert without["DATA_CACHE_CONFIG"] == {"CACHE_TYPE": "NullCache"}
    assert server["workers"] == 4
    few = instance("superset", tmp_path, 14100, users="3", sales="50")
    assert Superset().configure(few, tmp_path)["counts"] == "3 50\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"users": "0"}, "no number from 1 to 100,000"),
        ({"sales": "many"}, "no number from 1 to 100,000"),
        ({"workers": "65"}, "no number from 1 to 64"),
        ({"workers": "²"}, "no number from 1 to 64"),
        ({"cache": "half"}, "`half` is neither on nor off"),
        ({"bind": "0.0.0.0:9"}, "`bind` is no setting of Superset's"),
        ({"users\nimport os": "1"}, "is no setting of Superset's"),
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        configured(tmp_path, **settings)


def test_its_cache_is_an_option_and_what_is_a_shops_is_refused(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IGEN_APPLICATIONS", str(tmp_path / "none"))
    assert run_arguments(["instances", "up", "superset", "--cache", "off"]) == 2
    assert "superset is not installed" in capsys.readouterr().err
    for kind, option in (("superset", "--nodes=2"), ("superset", "--work=1ms"), ("tryton", "--cache=off")):
        assert run_arguments(["instances", "up", kind, option]) == 2
        assert f"{kind} has no such option" in capsys.readouterr().err


def test_sales_follow_from_their_number(tmp_path: Path) -> None:
    assert list(sales(1000)) == list(sales(1000))
    make_sales(tmp_path / "sales.db", 1000)
    with sqlite3.connect(tmp_path / "sales.db") as database:
        asked = f"SELECT count(*), min(day), max(day), {', '.join(COLUMNS)} FROM sales"
        count, first, last, *_ = database.execute(asked).fetchone()
    assert (count, first, last) == (1000, "2024-01-01", "2025-12-30")


def test_each_chart_stands_once_on_the_dashboard() -> None:
    places = layout(dict(enumerate(CHARTS, 1)))
    assert places.pop("DASHBOARD_VERSION_KEY") == "v2"
    shown = [each["meta"]["chartId"] for each in places.values() if each["type"] == "CHART"]
    assert shown == [1, 2, 3, 4]
    below = [child for each in places.values() for child in each.get("children", [])]
    assert sorted(below) == sorted(set(places) - {"ROOT_ID", "HEADER_ID"})


@takes_the_network
def test_it_is_installed_started_loaded_and_removed(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the scenario of the study, whose checks see an error page."""
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    assert run_arguments(["fetch", "superset"]) == 0
    options = f"--port-from {own_ports()} --cache on --set workers=1 --set users=3 --set sales=500"
    assert run_arguments(f"instances up superset {options}".split()) == 0
    (one,) = control.selected(directory, "superset")
    target, pids = control.target(one), process.process_tree(one.pid)
    assert control.status(one).tiers == {"application": pids[1:]}
    assert len(pids) == 2
    own = directory / "own.toml"
    scenario_of_study = STUDY.read_text(encoding="utf-8").partition("[job.params.scenario]\n")[2]
    own.write_text(scenario_of_study.replace("[job.params.scenario.", "["), encoding="utf-8")
    capsys.readouterr()
    load = f"run web --target {target} --set scenario=@{own} --users 2 --think-time 10ms"
    assert run_arguments(f"{load} --duration 10s --warmup 0s --repeats 1 --quiet --json".split()) == 0
    (level,) = json.loads(capsys.readouterr().out)["systems"][0]["levels"]
    assert level["errors"] == 0
    assert level["transactions"] > 0
    (tiers,) = [part["tiers"] for part in level["aspects"] if part["kind"] == "tiers"]
    assert [each["name"] for each in tiers] == ["application"]
    control.remove(one)
    assert not one.folder.exists()
    wait_for(lambda: processes_of(directory) == [])
