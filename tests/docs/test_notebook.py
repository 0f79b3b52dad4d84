"""The notebook's cells run in their order, as in Jupyter: in one namespace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checks import notebook


# 20 s of studies, by functions that tests/workbench calls too.
@pytest.mark.slow
def test_every_cell_runs_and_shows_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    namespace: dict[str, Any] = {}
    for number, cell in enumerate(notebook.code()):
        short = cell.replace('"measure_s": "1s"', '"measure_s": "0.3s", "interval_s": "0.05s"')
        exec(compile(short, f"cell {number}", "exec"), namespace)
    before, both = namespace["before"], namespace["both"]
    assert list(before.levels["users"]) == [1, 2]
    assert len(both.ratios) >= 2
    assert (tmp_path / "before-and-after.html").exists()
    assert (tmp_path / "shop.db").exists()
