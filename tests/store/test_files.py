"""A store that other users may write to: no link, pipe or hard link leads this process elsewhere."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from igen.bundle.pack import pack
from igen.errors import IgenError, InputError
from igen.queue.folder import QueueFolder
from igen.queue.runner import RUNNER_FOLDER, Runner
from igen.queue.study_process import LOG_FILE, RUN_FILE, run_of
from igen.store.active import ACTIVE_FOLDER, ActiveRun, active_runs, process_of
from igen.store.catalog import CATALOG_FILE
from igen.store.files import (
    Misplaced,
    make_folder,
    new_file,
    open_file,
    others_may_exchange,
    read_bytes,
    write_whole,
)
from igen.store.job_file import read_job_file
from igen.store.noise import NOISE_FILE, NoiseSession, add_noise, read_noise
from igen.store.notes import NOTES_FILE, add_note, read_notes
from igen.store.run import JOBS_FOLDER, Run
from igen.store.run import RUN_FILE as RECORD
from igen.store.store import Store
from igen.study.results import read_result
from igen.workbench.begun import BEGUN_FOLDER, keep_earlier
from tests.golden.recorded_run import unpack
from tests.queue.queue_entries import made
from tests.store.test_catalog import GOOD, add_run

NOBODY = 65534
SECRET = b"root:$6$secret:19000:0:99999:7:::\n"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "shadow"
    path.write_bytes(SECRET)
    path.chmod(0o600)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store that everybody may write to."""
    path = tmp_path / "store"
    path.mkdir()
    path.chmod(0o777)
    return Store(path)


def _link(path: Path, secret: Path) -> None:
    path.symlink_to(secret)


def _hard_link(path: Path, secret: Path) -> None:
    path.parent.chmod(0o777)
    path.hardlink_to(secret)


def _pipe(path: Path, _secret: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, _secret: Path) -> None:
    path.mkdir()


Traps = pytest.mark.parametrize("trap", [_link, _hard_link, _pipe, _folder])
Trap = Callable[[Path, Path], None]


@Traps
def test_what_is_no_plain_file_is_neither_read_nor_written(store: Store, secret: Path, trap: Trap) -> None:
    run = add_run(store, GOOD)
    path = run.folder / JOBS_FOLDER / "0009.jsonl"
    trap(path, secret)
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_CREAT | os.O_APPEND):
        with pytest.raises(Misplaced):
            open_file(path, flags, folders=2)
    with pytest.raises(IgenError):
        read_job_file(path)
    with pytest.raises(IgenError):
        run.integrity()
    with pytest.raises(IgenError):
        store.list_runs()
    assert secret.read_bytes() == SECRET


@Traps
def test_it_is_not_packed_into_a_bundle(store: Store, secret: Path, trap: Trap, tmp_path: Path) -> None:
    run = unpack("noop", store.path)
    result = read_result([run])
    trap(run.folder / JOBS_FOLDER / "0009.jsonl", secret)
    out = tmp_path / "out.igen"
    for force in (False, True):
        with pytest.raises(IgenError):
            pack([run], result, out, host="", force=force, told=lambda _: None)
    assert not out.exists()


@Traps
def test_notes_are_not_written_there(store: Store, secret: Path, trap: Trap) -> None:
    run = add_run(store, GOOD)
    trap(run.folder / NOTES_FILE, secret)
    with pytest.raises(IgenError):
        add_note(run, "mine")
    with pytest.raises(IgenError):
        read_notes(run)
    assert secret.read_bytes() == SECRET


@Traps
def test_a_log_is_a_new_file(store: Store, secret: Path, trap: Trap) -> None:
    """A link in the place of a log is replaced, a pipe as well; a folder is an error."""
    log = store.path / LOG_FILE
    trap(log, secret)
    if trap is _folder:
        with pytest.raises(IsADirectoryError):
            new_file(log, folders=0)
        return
    with new_file(log, folders=0) as file:
        file.write(b"mine")
    assert (log.read_bytes(), secret.read_bytes()) == (b"mine", SECRET)


@pytest.mark.parametrize("draft", ["run.draft", "noise.draft"])
def test_a_link_in_the_place_of_a_draft_is_replaced(store: Store, secret: Path, draft: str) -> None:
    run = add_run(store, GOOD)
    if draft == "run.draft":
        _link(run.folder / draft, secret)
        run.write_outcome("failed")
        assert Run(run.folder).read_record().outcome == "failed"
    else:
        _link(store.path / draft, secret)
        add_noise(
            store.path,
            NoiseSession(host="h", workload="w", settings={}, run="r", started_unix_s=1.0, pairs={}),
        )
        assert len(read_noise(store.path)) == 1
    assert secret.read_bytes() == SECRET


def test_a_record_and_the_noise_are_not_read_through_links(store: Store, tmp_path: Path) -> None:
    run = add_run(store, GOOD)
    elsewhere = add_run(Store(tmp_path / "other"), outcome="failed")
    (run.folder / RECORD).unlink()
    _link(run.folder / RECORD, elsewhere.folder / RECORD)
    assert Run(run.folder).read_record().outcome != "failed"
    _link(store.path / NOISE_FILE, tmp_path / "none")
    with pytest.raises(IgenError):
        read_noise(store.path)


def test_a_folder_of_the_store_is_not_a_link(store: Store, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / JOBS_FOLDER).mkdir(parents=True)
    (other / JOBS_FOLDER / "0001.jsonl").write_bytes(b"{}\n")
    _link(store.path / "run", other)
    with pytest.raises(Misplaced):
        read_bytes(store.path / "run" / JOBS_FOLDER / "0001.jsonl", folders=2)
    with pytest.raises(Misplaced):
        write_whole(store.path / "run" / RECORD, b"{}")
    with pytest.raises(NotADirectoryError):
        make_folder(store.path / "run", folders=0, exist_ok=True)
    assert not (other / RECORD).exists()
    _link(store.path / ".queue", other)
    with pytest.raises(IgenError), QueueFolder(store.path).locked():
        pass
    assert not (other / "lock").exists()


def test_the_store_itself_may_be_a_link(store: Store, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.symlink_to(store.path)
    run = add_run(Store(linked), GOOD)
    add_note(run, "mine")
    assert [each.text for each in read_notes(Store(linked).find("last")).texts] == ["mine"]
    assert Run(run.folder).integrity().damage == []


def test_a_backup_of_hard_links_can_be_read(tmp_path: Path) -> None:
    """Its folders can be written by its owner only."""
    run = add_run(Store(tmp_path / "store"), GOOD)
    (tmp_path / "copy.jsonl").hardlink_to(run.job_paths()[0])
    assert Run(run.folder).integrity().damage == []


def test_a_mark_that_is_a_pipe_or_a_link_does_not_stop_the_list(store: Store, secret: Path) -> None:
    run = add_run(store, GOOD)
    with ActiveRun(store.path, run.id):
        _pipe(store.path / ACTIVE_FOLDER / "pipe", secret)
        _link(store.path / ACTIVE_FOLDER / "link", secret)
        assert active_runs(store.path) == {run.id}
    _link(store.path / ACTIVE_FOLDER / run.id, secret)
    with pytest.raises(IgenError):
        ActiveRun(store.path, run.id)
    assert secret.read_bytes() == SECRET


def test_a_run_that_is_announced_is_a_name_in_this_store(store: Store, tmp_path: Path) -> None:
    folder = store.path / BEGUN_FOLDER / "ab"
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text("")
    for name in (str(tmp_path), "..", "a/b"):
        (folder / RUN_FILE).write_text(f"{name}\n")
        assert run_of(folder) == ""
    keep_earlier(store)
    assert not (tmp_path / "study.toml").exists()


def test_a_catalog_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    run = add_run(store, GOOD)
    other = tmp_path / "places.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE runs (mine)")
    for suffix in ("", "-wal", "-shm"):
        (store.path / f"{CATALOG_FILE}{suffix}").unlink(missing_ok=True)
    _link(store.path / CATALOG_FILE, other)
    assert [row.run for row in store.list_runs()] == [run.id]
    with sqlite3.connect(other) as connection:
        assert list(connection.execute("SELECT name FROM pragma_table_info('runs')")) == [("mine",)]


@needs_root
def test_a_mark_of_another_user_names_no_process_of_root(store: Store) -> None:
    run = add_run(store, GOOD)
    with ActiveRun(store.path, run.id):
        assert process_of(store.path, run.id) is not None
        os.chown(store.path / ACTIVE_FOLDER / run.id, NOBODY, NOBODY)
        assert process_of(store.path, run.id) is None


def _refused_to_work_off(queue: QueueFolder) -> bool:
    started: list[int] = []

    def carry_out(entry: object, *_: object) -> int:
        started.append(1)
        return 0

    try:
        Runner(queue=queue, say=print, carry_out=carry_out).run(once=True)
    except InputError:
        return not started
    assert started == [1]
    return False


@pytest.fixture
def queue(tmp_path: Path) -> QueueFolder:
    queue = QueueFolder(tmp_path / "own")
    with queue.locked():
        queue.new_number()
        queue.keep_files(1, {"sub/a.toml": b""})
        queue.write(made(1))
    return queue


def test_an_own_queue_is_worked_off(queue: QueueFolder) -> None:
    assert not _refused_to_work_off(queue)


@pytest.mark.parametrize(
    "place", [".", ".queue", ".queue/0001.json", ".queue/0001", ".queue/0001/study", ".queue/0001/study/sub"]
)
def test_a_job_that_others_may_change_is_not_started(queue: QueueFolder, place: str) -> None:
    path = queue.path.parent / place
    path.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IWOTH)
    assert _refused_to_work_off(queue)


@needs_root
@pytest.mark.parametrize("place", [".", ".queue", ".queue/0001.json", ".queue/0001/study/sub/a.toml"])
def test_root_does_not_start_the_job_of_another_user(queue: QueueFolder, place: str) -> None:
    os.chown(queue.path.parent / place, NOBODY, NOBODY)
    assert _refused_to_work_off(queue)


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A folder of a user's own, `a/b`, with a queue in `a/b/own` and a link to it, `a/b/link/own`."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "there").mkdir()
    (folder / "link").symlink_to("there")
    queue = QueueFolder(folder / "there" / "own")
    with queue.locked():
        queue.new_number()
        queue.keep_files(1, {"a.toml": b""})
        queue.write(made(1))
    return folder


WAYS = ("there/own", "link/own", "../b/link/../there/own")
"""Spellings of the store, from `a/b`."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("place", "mode", "refused"),
    [
        (".", 0o755, False),
        (".", 0o777, True),
        ("..", 0o777, True),
        (".", 0o775, False),
        # In such a folder only the owner of an entry may exchange it.
        ("..", 0o1777, False),
    ],
)
def test_a_store_that_others_may_exchange_is_not_worked_off(
    deep: Path, way: str, place: str, mode: int, refused: bool
) -> None:
    (deep / place).chmod(mode)
    assert _refused_to_work_off(QueueFolder(deep / way)) is refused


@needs_root
@pytest.mark.parametrize("place", ["..", ".", "there", "link"])
def test_root_does_not_work_off_a_store_in_the_folder_of_another_user(deep: Path, place: str) -> None:
    os.chown(deep / place, NOBODY, NOBODY, follow_symlinks=False)
    assert _refused_to_work_off(QueueFolder(deep / "link" / "own"))


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to("x")
    with pytest.raises(OSError, match="x"):
        others_may_exchange(tmp_path / "x" / "own")


def test_a_study_that_leads_elsewhere_is_not_started(queue: QueueFolder, secret: Path) -> None:
    _link(queue.study_folder(1) / "b.toml", secret)
    assert _refused_to_work_off(queue)


def test_a_repetition_does_not_copy_what_a_link_leads_to(queue: QueueFolder, secret: Path) -> None:
    _link(queue.study_folder(1) / "b.toml", secret)
    with queue.locked() as content:
        queue.write(made(1, "done", every_s=1.0, ended_unix_s=1.0))
        content = queue.repeat_ended(queue.read(), 2.0)
    assert [entry.job for entry in content.entries] == [1]
    assert all(
        path.read_bytes() != SECRET
        for path in queue.path.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


@needs_root
def test_the_command_line_refuses_the_queue_of_another_user(queue: QueueFolder) -> None:
    os.chown(queue.path / "0001.json", NOBODY, NOBODY)
    command = [sys.executable, "-m", "igen.cli", "queue", "run", "--once", "--store", str(queue.path.parent)]
    done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert done.returncode == 2
    assert (queue.path / RUNNER_FOLDER).is_dir()
    assert queue.read().entries[0].state == "waiting"
