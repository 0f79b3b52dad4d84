from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from igen.store.active import ActiveRun, active_runs

HOLD = """
import sys
from pathlib import Path
from igen.store.active import ActiveRun
ActiveRun(Path(sys.argv[1]), "killed")
print("locked", flush=True)
sys.stdin.read()
"""


def test_runs_see_each_other_while_they_go_on(tmp_path: Path) -> None:
    with ActiveRun(tmp_path, "a") as first:
        assert first.others() == 0
        with ActiveRun(tmp_path, "b") as second:
            assert (first.others(), second.others()) == (1, 1)
            assert active_runs(tmp_path) == {"a", "b"}
        assert first.others() == 0
    assert active_runs(tmp_path) == set()


def test_a_run_that_was_killed_is_not_active(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        assert active_runs(tmp_path) == {"killed"}
        process.kill()
        process.wait()
        assert active_runs(tmp_path) == set()
    assert list((tmp_path / ".active").iterdir()) == []
