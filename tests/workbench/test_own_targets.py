"""What is known of targets that are private instances."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from igen.instances.instance import RECORD
from igen.workbench.own_targets import NOT_TOLD, own_targets

SMALL, LARGE = {"innodb_buffer_pool_size": "16M"}, {"innodb_buffer_pool_size": "256M"}


@pytest.fixture
def instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records of two instances of MariaDB with other settings, and of a third like the first."""
    monkeypatch.setenv("IGEN_INSTANCES", str(tmp_path))
    for number, settings in enumerate((SMALL, LARGE, SMALL), 1):
        record = {
            "format": 1,
            "kind": "mariadb",
            "number": number,
            "port": 13305 + number,
            "cache_bytes": 0,
            "max_connections": 10,
            "durable": True,
            "settings": settings,
            "version": "10.11",
            "created_unix_s": 0,
        }
        (tmp_path / f"mariadb-{number}" / "data").mkdir(parents=True)
        (tmp_path / f"mariadb-{number}" / RECORD).write_text(json.dumps(record))
    return tmp_path


def at(*ports: int, host: str = "127.0.0.1") -> dict[str, Any]:
    return own_targets({"targets": [f"mysql://igen@{host}:{port}/igen" for port in ports]})


def at_socket(instances: Path, number: int) -> dict[str, Any]:
    target = f"mysql://igen@localhost/igen?socket={instances}/mariadb-{number}/run/socket"
    return own_targets({"targets": [target]})


def test_settings_of_an_instance_are_facts_and_how_it_was_made_is_one(instances: Path) -> None:
    small, large = at(13306), at(13307)
    assert small["instances.settings.innodb_buffer_pool_size"] == "16M"
    assert large["instances.settings.innodb_buffer_pool_size"] == "256M"
    assert small["instances.made"] == large["instances.made"]
    assert small["instances.made"]["kind"] == "mariadb"
    assert at(13308) == small
    assert at(13306, 13308)["instances.made"] == at(13308, 13306)["instances.made"]
    by_socket = at_socket(instances, 1)
    assert by_socket == at_socket(instances, 3)
    assert by_socket["instances.made"]["targets"]


@pytest.mark.parametrize(
    "targets",
    [
        ["mysql://igen@127.0.0.1:13306/igen", "mysql://igen@127.0.0.1:13308/igen"],
        ["mysql://igen@127.0.0.1:13306/igen", "mysql://igen@127.0.0.1:13306/igen"],
        ["mysql://igen@localhost:13308/igen"],
        ["mysql://root@127.0.0.1:13308/igen"],
        ["mysql://127.0.0.1:13308/igen"],
        ["mysql://igen@127.0.0.1:13308/other"],
        ["mysql://igen@127.0.0.1:13308/igen?compress=on"],
        ["mysql://igen@localhost/igen?socket={folder}/mariadb-3/run/socket"],
    ],
)
def test_another_way_to_an_instance_is_another_one(instances: Path, targets: list[str]) -> None:
    other = own_targets({"targets": [target.replace("{folder}", str(instances)) for target in targets]})
    assert other["instances.made"] != at(13306)["instances.made"]


def test_two_instances_are_not_one_that_is_named_twice(instances: Path) -> None:
    assert at(13306, 13308)["instances.made"] != at(13306, 13306)["instances.made"]


def test_another_device_below_the_data_is_another_way_to_be_made(
    instances: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, data = at(13306), instances / "mariadb-3" / "data"
    data.rmdir()
    assert at(13308) == {}, "nobody knows where they are"
    data.symlink_to("/proc")
    assert at(13308)["instances.made"] != here["instances.made"]
    assert at(13306, 13308) == {}, "they are not alike"


def test_a_password_is_no_fact(instances: Path) -> None:
    told = own_targets({"targets": ["mysql://igen:seven@127.0.0.1:13306/igen?password=seven"]})
    assert told
    assert "seven" not in json.dumps(told)


SECRETS = {
    "primary_conninfo": "host=db.example user=copy password=seven",
    "replica_password": "seven",
    "upstream": "http://igen:seven@db.example/",
    "init_connect": '{"token": "seven"}',
}
NO_SECRETS = {"password_encryption": "scram-sha-256", "max_connections": "7", "listen": "http://0.0.0.0/"}


def test_a_setting_that_holds_a_secret_is_not_told(instances: Path) -> None:
    path = instances / "mariadb-1" / RECORD
    record = json.loads(path.read_text()) | {"settings": SECRETS | NO_SECRETS}
    path.write_text(json.dumps(record))
    told = at(13306)
    assert "seven" not in json.dumps(told)
    assert {told[f"instances.settings.{name}"] for name in SECRETS} == {NOT_TOLD}
    assert {name: told[f"instances.settings.{name}"] for name in NO_SECRETS} == NO_SECRETS


def test_nothing_is_known_of_others(instances: Path) -> None:
    assert at(13306, 13307) == {}
    assert at(13306, 3306) == {}
    assert at(13306, host="db.example") == {}
    assert own_targets({"targets": []}) == {}
    assert own_targets({"targets": "a name"}) == {}
    (instances / "mariadb-1" / RECORD).write_text("{}")
    assert at(13307) == {}
