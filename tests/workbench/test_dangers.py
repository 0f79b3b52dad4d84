"""What can destroy or take more than a look is found in every spelling."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.workbench.dangers import dangers, dangers_of_job


@pytest.mark.parametrize(
    "target",
    [
        "file:///dev/loop0",
        "file:////dev/loop0",
        "file://localhost/dev/loop0",
        "file:/dev/loop0",
        "file:dev/../../../../../../../../../../dev/loop0",
        "FILE:///dev/loop0",
        " file:///dev/loop0",
        "file:///tmp/../dev/loop0",
        "file:///tmp//..//dev/./loop0",
        "file:///tmp/%2e%2e/dev/loop0",
        "file:///%64ev/loop0",
        "file:///tmp/x?/../../dev/loop0",
        "file:///{dev,tmp}/loop0",
        "file:///d{e}v/loop{0..3}",
    ],
)
def test_a_device_is_one_however_it_is_written(target: str) -> None:
    assert [*dangers({"job": {"targets": [target]}})] == [target]


@pytest.mark.parametrize(
    "target",
    ["file:///data/f", "file:///devices/f", "file:///{1..4}/f", "file:///a}", "file:///a\0", "sqlite:///dev"],
)
def test_a_file_is_no_device(target: str) -> None:
    assert [*dangers({"targets": [target]})] == []


def test_a_link_leads_to_its_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/null")
    (tmp_path / "folder").symlink_to("/dev")
    targets = [f"file://{tmp_path}/link", f"file://{tmp_path}/folder/sda"]
    assert [*dangers({"axes": {"targets": [targets]}})] == targets


def test_dangers_are_found_wherever_they_stand() -> None:
    study = {"systems": [{"job": {"targets": ["sqlite:///a", "file:///dev/sdb"]}}], "axes": {"force": [True]}}
    assert [*dangers(study)] == ["file:///dev/sdb", "force"]


def test_a_workload_is_found_wherever_it_is_varied() -> None:
    assert [*dangers({"axes": {"personas.clerk.workload": ["model", "command"]}})] == ["the workload command"]


@pytest.mark.parametrize("scheme", ["file", "sqlite", "duckdb"])
def test_a_database_on_a_device_is_one(scheme: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/null")
    target = f"{scheme}://{tmp_path}/link"
    assert [*dangers({"targets": [target, f"{scheme}:///dev/shm/shop.db"]})] == [target]


def test_a_job_is_looked_at_as_its_links_lead_now(tmp_path: Path) -> None:
    queue = QueueFolder(tmp_path / "store")
    link = tmp_path / "data"
    link.symlink_to(tmp_path)
    study = b'name = "x"\n[job]\nworkload = "io"\ntargets = ["file:data"]\n'
    with queue.locked():
        number = queue.new_number()
        queue.keep_files(number, {"x.toml": study})
    fields = {"job": number, "rank": "1", "study": "x.toml", "added_unix_s": 0.0}
    entry = Entry(folder=str(tmp_path), **fields)  # type: ignore[arg-type]
    assert dangers_of_job(queue, entry) == []
    link.unlink()
    link.symlink_to("/dev/null")
    assert dangers_of_job(queue, entry) == ["file:data"]
    assert dangers_of_job(queue, replace(entry, params={"force": True})) == ["file:data", "force"]
    assert dangers_of_job(queue, replace(entry, study="none.toml")) == ["a study that cannot be read"]
