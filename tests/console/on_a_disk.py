"""A console over a store on a small disk that takes nothing any more, in a name space of mounts.

`python -m tests.console.on_a_disk FOLDER full|read-only`
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from igen.console.serve import why_not_written
from igen.store.notes import read_notes
from igen.store.run import Run
from tests.console.site import RUN, form_token, site


def mount(*arguments: str) -> None:
    """Ends with a word where that is not allowed."""
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"may not be mounted: {done.stderr}")
        sys.exit(1)


def fill(disk: Path) -> None:
    """Takes all the space that is left."""
    with (disk / "filler").open("wb") as file, contextlib.suppress(OSError):
        while os.write(file.fileno(), bytes(4096)):
            pass


def main(disk: Path, how: str) -> None:
    """Asks for pages as a visitor who may do everything."""
    mount("-t", "tmpfs", "-o", "size=4m", "none", str(disk))
    made = site(disk / "runs")
    assert why_not_written(made.console.folder) == ""
    before = made.visitor("run").get("/")
    assert before.status_code == 200
    token = form_token(made.visitor("run"))
    if how == "full":
        fill(disk)
        words = "cannot write: no space left on device"
    else:
        mount("-o", "remount,ro", str(disk))
        words = "cannot write: read-only file system"
        said = why_not_written(made.console.folder)
        assert "is on a read-only disk: runs and notes are disabled" in said, said
        made.console.not_written = said
        assert said in made.visitor("run").get("/").text
    client = made.visitor("run")
    # Levels are judged as for a result, and no charts drawn.
    for path in ("/", f"/runs/{RUN}/levels.csv", f"/runs/{RUN}/files", "/?q=workload:oltp", "/queue"):
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
    assert RUN in client.get("/").text
    noted = client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "what it meant " * 400})
    assert noted.status_code == 400, noted.text  # too long: said before anything is written
    noted = client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "what it meant " * 200})
    assert noted.status_code == 500, noted.text
    assert words in noted.text
    assert "what it meant" in noted.text
    assert read_notes(Run(made.console.folder / RUN)).texts == []
    made.console.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
