"""A fuzz target in Python under Atheris; the environment variable `IGEN_FUZZ` names it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import atheris

from fuzz.targets import IN_PYTHON

with atheris.instrument_imports(include=["igen", "tomllib"]):
    import igen.har.convert
    import igen.store.job_file
    import igen.study.study  # noqa: F401


def main() -> None:
    """Run it, with the options of libFuzzer."""
    target = IN_PYTHON[os.environ["IGEN_FUZZ"]]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder) / "input"
        atheris.Setup(sys.argv, lambda data: target.run(file, data))
        atheris.Fuzz()


main()
