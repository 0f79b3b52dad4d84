"""Tryton as a private instance.

What takes the network runs where IGEN_TEST_PYPI is set, and never in `make test`.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from checks import tree
from igen.cli import run_arguments
from igen.errors import InputError
from igen.instances import control
from igen.instances.tryton import Tryton
from igen.instances.tryton_data import PASSWORD, fill
from tests.har.tryton_recording import write_tryton_recording
from tests.instances.test_from_pypi import instance
from tests.own_ports import own_ports

STUDY = tree.ROOT / "studies" / "crm-tryton.toml"
takes_the_network = pytest.mark.skipif(
    "IGEN_TEST_PYPI" not in os.environ, reason="installs from PyPI: set IGEN_TEST_PYPI=1"
)


def test_settings_are_those_of_its_configuration(tmp_path: Path) -> None:
    one = instance("tryton", tmp_path, 14090, users="7", **{"cache.record": "5000", "session.timeout": "60"})
    files = Tryton().configure(one, tmp_path / "data")
    assert files["counts"] == "7 1000\n"
    assert files["tryton.conf"].splitlines() == [
        "[web]",
        "listen = 127.0.0.1:14090",
        f"root = {tmp_path / 'data' / 'web'}",
        "[database]",
        f"path = {tmp_path / 'data'}",
        "[session]",
        "timeout = 60",
        "[cache]",
        "record = 5000",
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"users": "0"}, "not a number from 1 to 100,000"),
        ({"parties": "many"}, "not a number from 1 to 100,000"),
        ({"nodes": "2"}, "`nodes` is not a setting of Tryton"),
        ({"web.root": "/\n[database]"}, "`web.root` is not a setting of Tryton"),
        ({"web.root": "/\r[database]"}, "`web.root` is not a setting of Tryton"),
        ({"web.cors\nlisten": "0.0.0.0:9"}, "is not a setting of Tryton"),
        ({"cache]\n[web.listen": "0.0.0.0:9"}, "is not a setting of Tryton"),
        ({"cache]\r[web.listen": "0.0.0.0:9"}, "is not a setting of Tryton"),
        ({"web.listen=0.0.0.0:9 #": ""}, "is not a setting of Tryton"),
        ({"web. listen": "0.0.0.0:9"}, "is not a setting of Tryton"),
        ({"web.listen": "0.0.0.0:9999"}, "`web.listen` is set by iGen"),
        ({"web.Listen": "0.0.0.0:9999"}, "`web.Listen` is set by iGen"),
        ({"database.path": "/tmp"}, "`database.path` is set by iGen"),
        ({"database.uri": "postgresql://elsewhere"}, "`database.uri` is set by iGen"),
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        Tryton().configure(instance("tryton", tmp_path, 14090, **settings), tmp_path)


class Table:
    """A stand-in for a model: keeps what is made."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    def create(self, records: list[dict[str, Any]]) -> None:
        """Keeps them."""
        self.made += records

    def hash_password(self, password: str) -> str:
        """No hash."""
        return f"hash of {password}"


def test_users_are_in_no_group_such_as_that_of_administrators() -> None:
    pool: defaultdict[str, Table] = defaultdict(Table)
    fill(SimpleNamespace(get=pool.__getitem__), 2, 3)
    assert pool["res.user"].made == [
        {"login": f"user{number}", "name": f"User {number}", "password_hash": f"hash of {PASSWORD}"}
        for number in range(2)
    ]
    assert len(pool["party.party"].made) == 3
    assert set(pool) == {"party.party", "res.user"}


class Caller:
    """A client of Tryton who signs in as `user0`."""

    def __init__(self, origin: str) -> None:
        self._address = f"{origin}/tryton/rpc/"
        self._headers = {"Content-Type": "application/json"}
        signed_in = self.call("common.db.login", "user0", {"password": PASSWORD}, "en")["result"]
        self.user, token = signed_in[:2]
        session = b64encode(f"user0:{self.user}:{token}".encode()).decode()
        self._headers["Authorization"] = f"Session {session}"

    def call(self, method: str, *parameters: Any) -> dict[str, Any]:
        """The answer; one with the status as its error where the method may not be called at all."""
        body = json.dumps({"id": 0, "method": method, "params": parameters}).encode()
        asked = Request(self._address, body, self._headers)
        try:
            with urlopen(asked, timeout=30) as answer:
                told: dict[str, Any] = json.load(answer)
        except HTTPError as error:
            return {"error": error.code}
        return told


def check_rights(origin: str) -> None:
    """Users may work with parties, and may neither have code run nor become administrators."""
    caller = Caller(origin)
    (party,) = caller.call("model.party.party.search", [], 0, 1, None, {})["result"]
    assert caller.call("model.party.party.write", [party], {"name": "Renamed"}, {})["result"] is None
    assert caller.call("model.party.party.create", [{"name": "New"}], {})["result"]
    (report,) = caller.call("model.ir.action.report.search", [], 0, 1, None, {})["result"]
    (group,) = caller.call("model.res.group.search", [["name", "=", "Administration"]], 0, 1, None, {})[
        "result"
    ]
    for model, identifier, values in (
        ("ir.action.report", report, {"name": "Mine"}),
        ("res.user", caller.user, {"groups": [["add", [group]]]}),
    ):
        refused = caller.call(f"model.{model}.write", [identifier], values, {})
        assert "You are not allowed to access" in str(refused["error"]), (model, refused)
    link = {"user": caller.user, "group": group}
    assert "error" in caller.call("model.res.user-res.group.create", [link], {})


def stand_in_for_client(recording: Path, folder: Path) -> Path:
    """A folder with all files of the web client that were recorded: as long as they were, and empty."""
    for entry in json.loads(recording.read_text(encoding="utf-8"))["log"]["entries"]:
        path, answer = urlsplit(entry["request"]["url"]).path, entry["response"]
        if entry["request"]["method"] == "GET" and answer["status"] == 200:
            file = folder / (path.lstrip("/") or "index.html")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(answer["content"].get("text", "").ljust(answer["content"]["size"]))
    return folder


@takes_the_network
def test_it_is_installed_started_loaded_and_removed(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what was recorded, without an edit, and with the scenario of the study."""
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    monkeypatch.setenv("IGEN_PASSWORD", PASSWORD)
    recording = write_tryton_recording(directory / "tryton.har")
    client = stand_in_for_client(recording, directory / "client")
    assert run_arguments(["install", "tryton"]) == 0
    options = f"--port-from {own_ports()} --set users=5 --set web.root={client}"
    assert run_arguments(f"instances up tryton {options}".split()) == 0
    (one,) = control.selected(directory, "tryton")
    target = control.target(one)
    assert control.status(one).tiers == {"application": [one.pid]}
    check_rights(target)
    played = directory / "played.toml"
    line = f"import har {recording} -o {played} --think none --try {target}"
    assert run_arguments(line.split()) == 0
    assert "all 46 requests are answered as recorded" in capsys.readouterr().out
    own = directory / "own.toml"
    scenario_of_study = STUDY.read_text(encoding="utf-8").partition("[job.params.scenario]\n")[2]
    own.write_text(scenario_of_study.replace("[job.params.scenario.", "["), encoding="utf-8")
    for scenario in (played, own):
        load = f"run web --target {target} --set scenario=@{scenario} --users 1 --think-time 10ms"
        assert run_arguments(f"{load} --duration 5s --warmup 0s --repeats 1 --quiet --json".split()) == 0
        (level,) = json.loads(capsys.readouterr().out)["systems"][0]["levels"]
        assert level["errors"] == 0
        assert level["transactions"] > 0
        (tiers,) = [part["tiers"] for part in level["aspects"] if part["kind"] == "tiers"]
        assert [each["name"] for each in tiers] == ["application"]
    control.remove(one)
