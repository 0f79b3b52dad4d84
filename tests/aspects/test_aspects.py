from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import igen.aspects
from igen.aspects.aspects import ASPECTS
from igen.judge.record.recording import Recording
from tests.judge.synthetic import recording

FOLDER = Path(igen.aspects.__file__).parent
LIGHT = sorted(
    f"igen.aspects.{path.parent.name}.{path.stem}"
    for name in ("parts", "kernels", "rows", "reference", "plateau")
    for path in FOLDER.glob(f"*/{name}.py")
)
"""What the report and the command line import: parts of results, and what is told from them."""


def test_every_folder_is_a_word_in_the_list() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/aspect.py")}
    assert {each.name for each in ASPECTS} == folders
    assert len(ASPECTS) == len(folders)


def test_parts_are_told_apart_by_their_kind() -> None:
    for parts in ([each.level_part for each in ASPECTS], [each.system_part for each in ASPECTS]):
        kinds = [part.__dataclass_fields__["kind"].default for part in parts if part]
        assert len(set(kinds)) == len(kinds)
        assert all(kinds)


def test_a_part_costs_no_arithmetic_library() -> None:
    code = (
        f"import sys, {', '.join(LIGHT)}; print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("made", [recording(), recording(snapshots=[])], ids=["plain", "nothing measured"])
def test_a_workload_that_no_aspect_knows_has_no_parts(made: Recording) -> None:
    from igen.judge import analyse

    (system,) = analyse([made], aspects=ASPECTS)
    assert [part.kind for part in system.aspects] in ([], ["slamd"])
    assert [part for level in system.levels for part in level.aspects] == []
