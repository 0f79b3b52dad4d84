"""Superset, recorded by an administrator on a dashboard without charts: what the study asks for of it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from checks import tree
from tests.har.superset_recording import write_superset_recording

STUDY = tree.ROOT / "studies" / "bi-superset.toml"
OTHERS = ("/static/", "/superset/log/", "/api/v1/database/")
"""What a browser keeps, what it tells of its user, and what it asks for those who may add databases."""
OF_CHARTS = ("/api/v1/chart/data", "/api/v1/dataset/")


def recorded(path: Path, page: str) -> list[str]:
    """What the browser asked the server for when it went to a page."""
    entries = json.loads(path.read_text(encoding="utf-8"))["log"]["entries"]
    urls = [(each["pageref"], urlsplit(each["request"]["url"])) for each in entries]
    (own,) = {name for name, url in urls if url.path == page}
    asked = [f"{url.path}?{url.query}" for name, url in urls if name == own and url.hostname == "127.0.0.1"]
    return [each for each in asked if not any(other in each for other in OTHERS)]


def asked(page: str) -> list[str]:
    """What a user of the study asks for on a page, but for its charts."""
    study = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    (found,) = [each for each in study["job"]["params"]["scenario"]["page"] if each["name"] == page]
    # The tab that was recorded is the first one of its browser.
    paths = [(each.get("get") or each["post"]).replace("{user.id}", "1") for each in found["request"]]
    urls = [urlsplit(path) for path in paths]
    return [f"{url.path}?{url.query}" for url in urls if not url.path.startswith(OF_CHARTS)]


@pytest.mark.parametrize(
    ("page", "path"), [("dashboards", "/dashboard/list/"), ("dashboard", "/superset/dashboard/1/")]
)
def test_pages_of_the_study_ask_for_what_the_browser_asks_for(page: str, path: str, tmp_path: Path) -> None:
    recording = write_superset_recording(tmp_path / "superset.har")
    assert sorted(asked(page)) == sorted(recorded(recording, path))
