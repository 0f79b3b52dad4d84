"""Real servers, in folders of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from igen.instances import control


@pytest.fixture
def directory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the instances of a test are; all that it leaves is removed."""
    folder = Path(mkdtemp(prefix="igen-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    monkeypatch.setenv("IGEN_INSTANCES", str(folder))
    yield folder
    for instance in control.selected(folder, None):
        control.remove(instance)
    shutil.rmtree(folder)
