"""Superset as a private instance.

What takes the network runs where IGEN_TEST_PYPI is set, and never in `make test`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from contextlib import closing
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from checks import tree
from igen.cli import run_arguments
from igen.errors import InputError
from igen.instances import control, process
from igen.instances.resources import Demand
from igen.instances.superset import MIB, Superset
from igen.instances.superset_data import CHARTS, COLUMNS, PASSWORD, layout, make_sales, sales
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


def test_a_folder_of_any_name_is_told_as_it_is(tmp_path: Path) -> None:
    odd = tmp_path / "a b?c%20#\"'d"
    odd.mkdir()
    (odd / "secret_key").write_text("not told")
    application, server = configured(odd)
    assert server["raw_env"] == [
        f"SUPERSET_CONFIG_PATH={odd / 'superset_config.py'}",
        f"SUPERSET_HOME={odd}",
    ]
    make_sales(odd / "superset.db", 3)
    own, _, options = application["SQLALCHEMY_DATABASE_URI"].removeprefix("sqlite:///").partition("?")
    assert options == "check_same_thread=false&uri=true"
    with closing(sqlite3.connect(f"{own}?mode=ro", uri=True)) as database:
        assert database.execute("SELECT count(*) FROM sales").fetchone() == (3,)


def test_more_workers_users_and_sales_take_more(tmp_path: Path) -> None:
    def demand(**settings: str) -> Demand:
        own = tuple(settings.items())
        return Demand(product=Superset(), settings=own, cache_bytes=0, max_connections=0, is_new=True)

    usual = demand()
    assert demand(cache="off").needs == usual.needs
    assert demand(workers="16").memory_bytes - usual.memory_bytes == 14 * 90 * MIB
    assert "2.01 GiB of memory" in demand(workers="16").sentence(1)
    make_sales(tmp_path / "sales.db", 30_000)
    assert demand(sales="30000").disk_bytes - demand(sales="1").disk_bytes > (
        (tmp_path / "sales.db").stat().st_size
    )
    assert demand(users="100000").disk_bytes > usual.disk_bytes + 30 * MIB
    with pytest.raises(InputError, match="not a number from 1 to 64"):
        demand(workers="65").sentence(1)


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
        ({"users": "0"}, "not a number from 1 to 100,000"),
        ({"sales": "many"}, "not a number from 1 to 100,000"),
        ({"workers": "65"}, "not a number from 1 to 64"),
        ({"workers": "²"}, "not a number from 1 to 64"),
        ({"cache": "half"}, "`half` must be on or off"),
        ({"bind": "0.0.0.0:9"}, "`bind` is not a setting of Superset"),
        ({"users\nimport os": "1"}, "is not a setting of Superset"),
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


class Reader:
    """A browser in which `user0` signs in."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._browser = build_opener(HTTPCookieProcessor(CookieJar()))
        form = {"username": "user0", "password": PASSWORD, "csrf_token": self._token("/login/")}
        with self._browser.open(f"{origin}/login/", urlencode(form).encode(), timeout=60) as page:
            assert "&#34;username&#34;" in page.read().decode()
        self._headers = {
            "Content-Type": "application/json",
            "X-CSRFToken": self._token("/superset/dashboard/1/"),
        }

    def _token(self, path: str) -> str:
        with self._browser.open(f"{self._origin}{path}", timeout=60) as page:
            (token,) = re.findall(r'name="csrf_token"[^>]*value="([^"]+)"', page.read().decode())
        return str(token)

    def status(self, method: str, path: str, **body: Any) -> int:
        """The status of what a page or a call is answered with."""
        content = json.dumps(body).encode() if method != "GET" else None
        asked = Request(f"{self._origin}{path}", content, self._headers, method=method)
        try:
            with self._browser.open(asked, timeout=60) as answer:
                return int(answer.status)
        except HTTPError as error:
            return error.code


def check_rights(origin: str) -> None:
    """Users may read, and change neither what others are shown nor how they sign in."""
    reader = Reader(origin)
    assert reader.status("GET", "/api/v1/chart/1") == 200
    assert reader.status("POST", "/api/v1/dashboard/1/filter_state?tab_id=1", value="{}") == 201
    chart = {"slice_name": "Mine", "viz_type": "table", "datasource_id": 1, "datasource_type": "table"}
    for method, path, body in (
        ("PUT", "/api/v1/me/", {"password": "another"}),
        ("GET", "/resetmypassword/form", {}),
        ("GET", "/userinfoeditview/form", {}),
        ("GET", "/api/v1/security/users/", {}),
        ("POST", "/api/v1/chart/", chart),
        ("PUT", "/api/v1/chart/1", {"slice_name": "Mine"}),
        ("POST", "/api/v1/dashboard/", {"dashboard_title": "Mine"}),
        ("PUT", "/api/v1/dashboard/1", {"dashboard_title": "Mine"}),
        ("DELETE", "/api/v1/dashboard/1", {}),
        ("PUT", "/api/v1/dataset/1", {"description": "Mine"}),
        ("POST", "/api/v1/database/", {"database_name": "mine", "sqlalchemy_uri": "sqlite://"}),
        ("POST", "/api/v1/sqllab/execute/", {"database_id": 1, "sql": "SELECT 1"}),
    ):
        assert reader.status(method, path, **body) == 403, (method, path)


@takes_the_network
def test_it_is_installed_started_loaded_and_removed(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the scenario of the study, whose checks see an error page."""
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    assert run_arguments(["install", "superset"]) == 0
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
    check_rights(target)
    shutil.rmtree(one.data / "cache")
    with sqlite3.connect(one.data / "sales.db") as database:
        database.execute("DELETE FROM sales")
    assert run_arguments(f"{load} --duration 5s --warmup 0s --repeats 1 --quiet --json".split()) in (0, 1)
    (level,) = json.loads(capsys.readouterr().out)["systems"][0]["levels"]
    assert level["errors"] > 0, "charts without sales pass"
    control.remove(one)
    assert not one.folder.exists()
    wait_for(lambda: processes_of(directory) == [])
