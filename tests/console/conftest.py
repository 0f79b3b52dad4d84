from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.site import Site, site


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Site]:
    """A console for those who may do everything."""
    made = site(tmp_path / "runs")
    yield made
    made.console.analyst.close()
