"""What arrays hold, and which ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.lab import control
from igen.lab.array import Array, all_in, default_directory, read
from igen.own_folder import only_one

GIB = 1 << 30


@pytest.mark.parametrize(
    ("kind", "devices", "data_bytes"),
    [("raid1", 2, GIB), ("raid1", 3, 3 * GIB // 2), ("raid10", 6, 3 * GIB), ("raid5", 6, 5 * GIB)],
)
def test_room_for_data(kind: str, devices: int, data_bytes: int) -> None:
    array = Array(kind=kind, folder=Path("/a"), devices=devices, device_bytes=GIB, iops=500)
    assert array.data_bytes == data_bytes
    assert array.disk_bytes == devices * GIB
    assert array.target == "file:///a/mount/data"
    assert [file.name for file in array.files] == [f"device-{n}" for n in range(1, devices + 1)]


def test_a_record_is_read_back_and_a_broken_one_refused(tmp_path: Path) -> None:
    array = Array(kind="raid5", folder=tmp_path / "raid5", devices=3, device_bytes=GIB, iops=0, made=True)
    array.folder.mkdir()
    array.write()
    assert all_in(tmp_path) == [array]
    (array.folder / "array.json").write_text("{}")
    with pytest.raises(IgenError, match="not the record of an array"):
        read(array.folder)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"kind": "raid6"}, "no kind of array `raid6`"),
        ({"kind": "raid5", "devices": 2}, "raid5 needs 3 devices or more"),
        ({"kind": "raid10", "devices": 5}, "even number"),
        ({"kind": "raid1", "device_bytes": 1 << 20}, "256 MiB or larger"),
        ({"kind": "raid1", "device_bytes": 1 << 50}, "are more than the"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(
    wish: dict[str, int], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "check_able", lambda: None)
    with pytest.raises(InputError, match=said):
        control.up(directory=tmp_path / "arrays", **wish)  # type: ignore[arg-type]
    assert not (tmp_path / "arrays").exists()


def test_nothing_goes_down_while_another_command_works_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "check_able", lambda: None)
    array = Array(kind="raid5", folder=tmp_path / "raid5", devices=3, device_bytes=GIB, iops=0)
    array.folder.mkdir()
    array.write()
    with only_one(tmp_path, "at work"), pytest.raises(IgenError, match="another command is taking arrays up"):
        control.down(tmp_path, remove_data=True, say=lambda _text: None)
    assert all_in(tmp_path) == [array]


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "check_able", lambda: None)
    (tmp_path / "raid1").mkdir()
    (tmp_path / "raid1" / "thesis").touch()
    with pytest.raises(InputError, match="holds no array"):
        control.up("raid1", tmp_path)


def test_who_is_not_root_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert run_arguments(["instances", "array", "up", "raid1", "--directory", str(tmp_path)]) == 2
    assert "arrays need root" in (said := capsys.readouterr().err)
    assert "sudo" in said


def test_a_folder_of_somebody_else_is_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IGEN_ARRAYS", raising=False)
    monkeypatch.setattr(Path, "is_symlink", lambda _path: True)
    with pytest.raises(InputError, match="belongs to another user"):
        default_directory()


@pytest.mark.parametrize("arguments", [[], ["raid1", "--all"]])
def test_down_wants_a_name_or_all(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["instances", "array", "down", *arguments]) == 2
    assert "name an array, or use --all" in capsys.readouterr().err
