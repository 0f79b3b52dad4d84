"""Extras that are missing are named, with exit code 2, before anything is measured."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from checks import tree
from igen.cli import run_arguments
from igen.errors import InputError
from igen.extras import EXTRAS, PNG, Extra


def test_the_list_is_that_of_the_package() -> None:
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(project["optional-dependencies"]) == [each.name for each in EXTRAS]


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: extra.name)
def test_a_missing_module_is_named_with_the_command_that_installs_it(
    extra: Extra, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, extra.modules[-1], None)
    with pytest.raises(InputError) as refused:
        extra.need("this")
    assert f"igen-bench[{extra.name}]" in refused.value.hint


@pytest.mark.parametrize(
    "command",
    [
        "run noop --users 1 --repeats 1 --duration 0.2s --report report.md",
        "query SELECT",
        "console",
    ],
)
def test_a_use_without_its_extra_is_bad_input(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in ("vl_convert", "duckdb", "starlette"):
        monkeypatch.setitem(sys.modules, module, None)
    assert run_arguments(command.split()) == 2
    assert "igen-bench[" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [], "nothing was measured"


def test_other_reports_need_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from igen.report.formats import FORMATS, format_of

    monkeypatch.setitem(sys.modules, PNG.modules[0], None)
    for suffix, format in FORMATS.items():
        if format != "markdown":
            assert format_of(Path(f"report{suffix}")) == format
