"""The wheel of igen-bench holds all that is needed; `make wheels` installs both into an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from checks import tree
from igen.agent_program import find_agent
from igen.version import VERSION


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=tree.ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_it_holds_the_package_the_studies_and_the_manual(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    source = tree.ROOT / "python"
    package = {str(path.relative_to(source)) for path in tree.files() if path.is_relative_to(source / "igen")}
    studies = {f"igen/studies/{path.name}" for path in (tree.ROOT / "studies").glob("*.toml")}
    assert studies
    assert package | studies <= names
    assert f"igen_bench-{VERSION}.data/data/share/man/man1/igen.1" in names


def test_what_it_asks_for_has_upper_bounds(wheel: zipfile.ZipFile) -> None:
    metadata = Parser().parsestr(wheel.read(f"igen_bench-{VERSION}.dist-info/METADATA").decode())
    asked = [Requirement(each) for each in metadata.get_all("Requires-Dist", [])]
    assert {"click", "igen-agent"} <= {each.name for each in asked if not each.marker}
    for each in asked:
        assert any(part.operator in ("<", "==") for part in each.specifier), str(each)
    (agent,) = (each for each in asked if each.name == "igen-agent")
    assert str(agent.specifier) == f"=={VERSION}"


def test_it_measures_without_the_source(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    work = tmp_path / "work"
    work.mkdir()
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site"), "IGEN_AGENT": str(find_agent())}

    def igen(line: str) -> str:
        command = [
            sys.executable,
            "-c",
            "import igen.cli as it; print(it.__file__, flush=True); it.main()",
            *line.split(),
        ]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(str(tmp_path)), "the wheel's own files run"
        return done.stdout

    assert "studies/cpu.toml" in igen("list studies")
    assert "cpu" in igen("study check studies/cpu.toml")
    assert "Report: igen-runs" in igen("run noop --users 1 --repeats 1 --duration 0.2s --warmup 0.1s")
