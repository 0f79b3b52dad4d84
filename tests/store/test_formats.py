"""Files say of which format they are: any other one is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from igen.cli import run_arguments
from igen.errors import IgenError
from igen.file_format import UnknownFormat
from igen.instances import instance
from igen.lab import array
from igen.own_folder import read_record, write_record
from igen.store.job_file import RUN_FORMAT, JobWriter, read_job_file
from igen.store.noise import NOISE_FORMAT, NoiseSession, add_noise, read_noise
from igen.store.run import Run
from igen.store.store import Store

SESSION = NoiseSession(host="h", workload="cpu", settings={}, run="r", started_unix_s=1.0, pairs={})


def made(folder: Path) -> Run:
    return Store(folder).create_run(name="noop", system="host", title="", study={"name": "noop", "job": {}})


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    fields = json.loads(path.read_text())
    change(fields)
    path.write_text(json.dumps(fields))


def unseal_and_age(fields: dict[str, Any]) -> None:
    fields["format"] = 99
    fields["crc32"] = ""


def test_what_is_written_says_its_format(tmp_path: Path) -> None:
    run = made(tmp_path)
    assert json.loads((run.folder / "run.json").read_text())["format"] == RUN_FORMAT
    add_noise(tmp_path, SESSION)
    assert json.loads((tmp_path / "noise.json").read_text())["format"] == NOISE_FORMAT
    with run.new_job({"level": 0}) as writer:
        writer.end({})
    assert (read_job_file(writer.path).start or {})["format"] == RUN_FORMAT
    write_record(tmp_path, "array.json", {"kind": "raid1"})
    assert json.loads((tmp_path / "array.json").read_text()) == {"format": 1, "kind": "raid1"}
    assert read_record(tmp_path, "array.json") == {"kind": "raid1"}


def test_a_run_of_a_later_igen_is_refused_and_hides_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, other = made(tmp_path), made(tmp_path)
    rewritten(run.folder / "run.json", unseal_and_age)
    with pytest.raises(UnknownFormat, match=f"of format 99; this igen reads format {RUN_FORMAT}") as caught:
        run.read_record()
    assert caught.value.where.endswith("run.json")
    assert "another release" in caught.value.hint
    with pytest.raises(UnknownFormat):
        run.write_outcome("complete")
    states = {row.run: row.state for row in Store(tmp_path).list_runs()}
    assert states == {run.id: "of a later igen", other.id: "cut off"}
    assert run_arguments(["show", run.id, "--store", str(tmp_path)]) == 1
    assert "of format 99" in capsys.readouterr().err


def test_a_jobs_file_of_a_later_igen_is_refused(tmp_path: Path) -> None:
    with JobWriter(tmp_path / "0001.jsonl", {"format": 99, "level": 0}) as writer:
        writer.end({})
    with pytest.raises(UnknownFormat, match="of format 99"):
        read_job_file(writer.path)


def test_noise_of_a_later_igen_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    path.write_text('{"format": 99, "sessions": []}')
    for touch in (lambda: read_noise(tmp_path), lambda: add_noise(tmp_path, SESSION)):
        with pytest.raises(UnknownFormat, match="of format 99"):
            touch()
    assert json.loads(path.read_text())["format"] == 99


@pytest.mark.parametrize("module", [instance, array])
def test_instances_and_arrays_of_a_later_igen_are_refused(tmp_path: Path, module: Any) -> None:
    write_record(tmp_path, module.RECORD, {"format": 99})
    with pytest.raises(IgenError, match="of format 99"):
        module.read(tmp_path)


def test_what_says_no_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "noise.json").write_text('{"version": 1, "sessions": []}')
    with pytest.raises(UnknownFormat, match="of format None"):
        read_noise(tmp_path)
    (tmp_path / "array.json").write_text('{"kind": "raid1"}')
    with pytest.raises(ValueError, match="format"):
        read_record(tmp_path, "array.json")
