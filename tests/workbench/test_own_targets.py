"""What is known of targets that are private instances."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from igen.instances.instance import RECORD
from igen.workbench.own_targets import own_targets

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
        (tmp_path / f"mariadb-{number}").mkdir()
        (tmp_path / f"mariadb-{number}" / RECORD).write_text(json.dumps(record))
    return tmp_path


def at(*ports: int, host: str = "127.0.0.1") -> dict[str, Any]:
    return own_targets({"targets": [f"mysql://igen@{host}:{port}/igen" for port in ports]})


def test_settings_of_an_instance_are_facts_and_how_it_was_made_is_one(instances: Path) -> None:
    small, large = at(13306), at(13307, host="localhost")
    assert small["instances.settings.innodb_buffer_pool_size"] == "16M"
    assert large["instances.settings.innodb_buffer_pool_size"] == "256M"
    assert small["instances.made"] == large["instances.made"]
    assert small["instances.made"]["kind"] == "mariadb"
    assert at(13306, 13308) == small
    socket = "mysql://igen@localhost/igen?socket="
    assert own_targets({"targets": [f"{socket}{instances}/mariadb-1/run/socket"]}) == small


def test_nothing_is_known_of_others(instances: Path) -> None:
    assert at(13306, 13307) == {}
    assert at(13306, 3306) == {}
    assert at(13306, host="db.example") == {}
    assert own_targets({"targets": []}) == {}
    assert own_targets({"targets": "a name"}) == {}
    (instances / "mariadb-1" / RECORD).write_text("{}")
    assert at(13307) == {}
