"""What can destroy or take more than a look is found in every spelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.console.dangers import dangers


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
