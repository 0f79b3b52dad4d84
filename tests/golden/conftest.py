from __future__ import annotations

import pytest

from igen.judge.result import Result
from igen.study.results import read_result
from tests.golden.recorded_run import names, unpack


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The result of each recorded run."""
    folder = tmp_path_factory.mktemp("recorded")
    return {name: read_result([unpack(name, folder)]) for name in names()}
