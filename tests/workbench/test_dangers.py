"""The dangers of a job of the queue are those of its study as it would run now."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.workbench.dangers import dangers_of_job


def test_a_job_is_looked_at_as_its_links_lead_now(tmp_path: Path) -> None:
    queue = QueueFolder(tmp_path / "store")
    link = tmp_path / "data"
    link.symlink_to(tmp_path / "other")
    study = b'name = "x"\n[job]\nworkload = "io"\ntargets = ["sqlite:///data"]\n'
    with queue.locked():
        number = queue.new_number()
        queue.keep_files(number, {"x.toml": study})
    fields = {"job": number, "rank": "1", "study": "x.toml", "added_unix_s": 0.0}
    entry = Entry(folder=str(tmp_path), **fields)  # type: ignore[arg-type]
    assert dangers_of_job(queue, entry) == []
    link.unlink()
    link.symlink_to("/dev/null")
    (found,) = dangers_of_job(queue, entry)
    assert found.startswith("sqlite:///data ")
    assert len(dangers_of_job(queue, replace(entry, params={"ledger": "/etc"}))) == 2
    assert len(dangers_of_job(queue, replace(entry, study="none.toml"))) == 1
