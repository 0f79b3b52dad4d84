"""What is wrong with a plan is told in one line: file, line, remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import InputError
from tests.datacenter.plans import TEXT, estimated, no_run, plan_of

LEVELS = '{ users = 7500, throughput_per_s = 155, response_time = "220ms" },\n'


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        ('source = "vendor: lease"\n', "", "racks = 10", "`racks` has no source"),
        ("source = \"vendor: lease\"", 'source = "my uncle"', "racks = 10", "`my uncle` is no source"),
        ("vendor: lease", "reference:wob", "racks = 10", "there is no reference `wob`"),
        (LEVELS, "", "[system.t5440.curve]", "the curve of `t5440` has 1 point"),
        ("likely = 1.5, high = 1.8", "likely = 1.9, high = 1.8", "pue =", "low, likely and high"),
        ("low = 1.3, likely = 1.5", "low = 0.7, likely = 0.9", "pue =", "`pue` is below 1"),
        ('think_time = "48s"', "think_time = 48", "think_time", "`think_time`: `48` has no unit"),
        ('limit = "250ms"', "limit = 250", "response_time_limit", "`response_time_limit`: `250` has no unit"),
        ('"220ms"', "220", "levels = [", "`response_time`: `220` has no unit"),
        ('low = "5%"', "low = 5", "growth_per_year", "`growth_per_year`: `5` has no unit"),
        ("rack_units = 4\n", "", "[system.t5440]", "`rack_units` is missing"),
        ("racks = 10", "rakcs = 10", "rakcs", "unknown key `rakcs`"),
        ("racks = 10", 'racks = "ten"', "racks = ", "`ten` is not a number"),
        ('system = "t5440"', 'system = "t5450"', "[option.consolidate]", "names no system of this file"),
        ("spare = 1", "spare = -1", "spare", "`spare` is not a number of machines"),
        ("users = 70000\n", "", "[demand.agents]", "`agents` asks for neither users who think"),
        ("{ old = 50 }", "{ older = 50 }", "[today]", "there is no system `older`"),
        ("users = 70000", 'users = { value = 1, source = "unknown" }', "users = {", "`users` is unknown"),
        ("users = 70000", "users = { vlaue = 1 }", "users = {", "unknown key `vlaue`"),
        ("users = 70000", "users = {}", "users = {", "`users` has no value"),
        ("cores = 32", "cores = 0", "cores", "`cores` is below"),
    ],
)  # fmt: skip
def test_the_line_the_fault_and_the_remedy(tmp_path: Path, old: str, new: str, at: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_of(tmp_path, (old, new))
    error = caught.value
    assert said in error.text
    changed = TEXT.replace(old, new)
    expected = line_of(changed, at)
    found = int(error.where.rpartition(":")[2])
    # The key may stand in several tables: the line is that of one of them.
    assert changed.splitlines()[found - 1].lstrip().startswith(changed.splitlines()[expected - 1].split()[0])
    assert error.exit_code == 2


def test_a_demand_beyond_every_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        estimated(tmp_path, ("users = 70000", "users = 700000"))
    error = caught.value
    assert error.text.startswith("the demand is beyond every option: ")
    assert error.where == f"{tmp_path / 'plan.toml'}:{line_of(TEXT, '[demand.agents]')}"
    assert "add racks" in error.hint
    with pytest.raises(InputError, match="One t5440 draws more than a rack may"):
        estimated(tmp_path, ("kw_per_rack = 8", "kw_per_rack = 1"))
    with pytest.raises(InputError, match="already at 500 users it takes 240 ms, not 100 ms"):
        estimated(tmp_path, ('limit = "250ms"', 'limit = "100ms"'))


def test_a_run_that_is_nowhere_is_told_with_its_line(tmp_path: Path) -> None:
    curve = TEXT[TEXT.index("[system.old.curve]") : TEXT.index("[demand.agents]")]
    with pytest.raises(InputError, match="no run `lost`") as caught:
        plan_of(tmp_path, (curve, '[system.old.curve]\nsource = "run:lost"\n'))
    assert int(caught.value.where.rpartition(":")[2]) == line_of(TEXT, "[system.old.curve]") + 1
    with pytest.raises(InputError, match="no run"):
        no_run("x")


def test_no_toml_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not TOML"):
        plan_of(tmp_path, ("[room]", "[room"))
    with pytest.raises(InputError, match="no system is told"):
        plan_of(tmp_path, (TEXT, 'title = "empty"'))
