"""Applications from PyPI: what is installed, for whom, and what has no part in it. No network."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from igen.errors import IgenError, InputError
from igen.instances.application import COMPLETE, Application, install

ARCHIVE = "pretend-1.0-py3-none-any.whl"


class Pretend(Application):
    """One whose lock, and the archive that it names, are beside its environment."""

    @property
    def lock(self) -> Path:
        """Its requirements."""
        return Path(os.environ["IGEN_APPLICATIONS"]) / "pretend.lock"


@pytest.fixture
def applications(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for applications, with an archive of one module and a lock of it."""
    folder = tmp_path / "applications"
    folder.mkdir()
    monkeypatch.setenv("IGEN_APPLICATIONS", str(folder))
    information = "pretend-1.0.dist-info"
    with zipfile.ZipFile(folder / ARCHIVE, "w") as archive:
        archive.writestr("pretend.py", "")
        archive.writestr(f"{information}/METADATA", "Metadata-Version: 2.1\nName: pretend\nVersion: 1.0\n")
        archive.writestr(
            f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{information}/RECORD", "")
    digest = hashlib.sha256((folder / ARCHIVE).read_bytes()).hexdigest()
    (folder / "pretend.lock").write_text(
        f"--no-index\n--find-links {folder}\npretend==1.0 --hash=sha256:{digest}\n"
    )
    return folder


def test_nothing_of_the_caller_has_a_part_in_it(
    applications: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither modules of the current folder, nor options of pip that install nothing or elsewhere, nor an
    umask that keeps files from the accounts of servers.
    """
    here = tmp_path / "here"
    here.mkdir()
    for module in ("pip", "venv", "pretend"):
        (here / f"{module}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PIP_DRY_RUN", "1")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "elsewhere"))
    before = os.umask(0o077)
    try:
        folder = install(Pretend(name="pretend", module="pretend"))
    finally:
        os.umask(before)
    assert not (tmp_path / "executed").exists()
    assert not (tmp_path / "elsewhere").exists()
    (module_file,) = folder.glob("lib/python3*/site-packages/pretend.py")
    assert module_file.stat().st_mode & 0o044 == 0o044
    for parent in (parent for parent in module_file.parents if parent.is_relative_to(folder)):
        assert parent.stat().st_mode & 0o055 == 0o055, parent


def test_what_cannot_be_imported_is_not_complete(applications: Path) -> None:
    application = Pretend(name="pretend", module="of_another_name")
    with pytest.raises(IgenError, match="No module named 'of_another_name'"):
        install(application)
    assert not (application.folder / COMPLETE).exists()
    with pytest.raises(InputError, match="pretend is not installed"):
        assert application.python


def test_without_pip_it_says_how_to_get_it(
    applications: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    application = Pretend(name="pretend", module="pretend")
    with pytest.raises(InputError, match="has no pip") as refused:
        install(application)
    assert refused.value.hint.startswith(f"install it: {bare / 'bin' / 'python'} -m ensurepip")
    assert not application.folder.exists()


def test_what_is_built_here_comes_after_what_builds_it(applications: Path) -> None:
    lock = applications / "pretend.lock"
    lock.write_text(
        "One==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nTwo==2 \\\n    --hash=sha256:cc\n"
    )
    application = Pretend(name="pretend", module="pretend", sources=("two",))
    assert application.requirements(sources=False).splitlines() == lock.read_text().splitlines()[:3]
    assert application.requirements(sources=True).splitlines() == lock.read_text().splitlines()[3:]
