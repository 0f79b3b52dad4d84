"""The last line of `.ci/run` says whether all went well, whatever of two things made at once ends last."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from checks import tree

MAKEFILE = """
.venv/.tools .venv/.duckdb collected built-for-tests check test:
	@if [ $@ = test ]; then echo 5000 passed; fi; test $@ != {fails}
"""


@pytest.mark.parametrize(
    ("fails", "code", "last"),
    [
        ("nothing", 0, "5000 passed"),
        ("check", 2, ".ci/run: failed: 'Error' above names the target"),
        ("test", 2, ".ci/run: failed: 'Error' above names the target"),
        ("built-for-tests", 2, ".ci/run: failed: 'Error' above names the target"),
    ],
)
def test_the_last_line_says_whether_anything_failed(tmp_path: Path, fails: str, code: int, last: str) -> None:
    # The make that runs these tests would tell this one that it is not the first.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    environment = {**outside, "LC_ALL": "C"}
    (tmp_path / ".ci").mkdir()
    shutil.copy(tree.ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / "Makefile").write_text(MAKEFILE.format(fails=fails), encoding="utf-8")
    done = subprocess.run(
        [tmp_path / ".ci" / "run"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout
    assert done.stdout.splitlines()[-1] == last
    assert code == 0 or f"{fails}] Error 1" in done.stdout
