from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks import tree
from igen.errors import InputError
from igen.reference.load import reference_of
from igen.study.plan import DEFAULT_REPEATS
from igen.study.plans import PeakPlan, ScalingPlan, SweepPlan, TorturePlan
from igen.study.study import StudySystem, load_study


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_is_read_from_toml(tmp_path: Path) -> None:
    study = load_study(
        write(
            tmp_path,
            """
            title = "Both"
            plan = { mode = "sweep", repeats = 3 }
            [job]
            workload = "cpu"
            [job.phases]
            measure_s = "5s"
            [axes]
            "load.closed.users" = [1, 2]
            "params.variant" = ["latency", "throughput"]
            """,
        )
    )
    assert (study.name, study.title, study.plan) == ("mine", "Both", SweepPlan(3))
    assert study.job == {"workload": "cpu", "phases": {"measure_s": "5s"}}
    assert study.axes == {"load.closed.users": [1, 2], "params.variant": ["latency", "throughput"]}


def test_a_search_is_read_from_toml(tmp_path: Path) -> None:
    text = "[job]\nworkload = 'cpu'\n[plan]\nmode = 'peak'"
    assert load_study(write(tmp_path, text)).plan == PeakPlan()


def test_a_torture_in_a_file_is_verified_in_segments_as_one_of_the_command_line(tmp_path: Path) -> None:
    text = "plan = { mode = 'torture', under_load_s = 7200 }\n[job]\nworkload = 'io'\nparams = { read = 70 }"
    study = load_study(write(tmp_path, text))
    assert study.plan == TorturePlan(7200)
    assert study.job["params"] == {"read": 70, "verify": True}
    assert study.job["phases"]["measure_s"] == 360


def test_systems_a_limit_and_a_reference_are_read_from_toml(tmp_path: Path) -> None:
    text = """
    response_time_limit = "30ms"
    reference = "725 tx/s"
    [job]
    workload = "oltp"
    [[systems]]
    name = "disk"
    [[systems]]
    name = "SSD"
    against = "disk"
    job = { targets = ["sqlite:////ssd/shop.db"] }
    """
    study = load_study(write(tmp_path, text))
    assert study.systems == [
        StudySystem(name="disk"),
        StudySystem(name="SSD", against="disk", job={"targets": ["sqlite:////ssd/shop.db"]}),
    ]
    assert (study.response_time_limit, study.reference) == ("30ms", "725 tx/s")


def test_a_scaling_study_may_say_its_repeats(tmp_path: Path) -> None:
    text = "plan = { mode = 'scaling', share = 0.5, repeats = 3 }\n[job]\nworkload = 'oltp'"
    assert load_study(write(tmp_path, text)).plan == ScalingPlan(0.5, 3)


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    study = load_study(write(tmp_path, '[job]\nworkload = "cpu"'))
    assert (study.plan, study.axes) == (SweepPlan(DEFAULT_REPEATS), {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("titel = 'x'\n[job]", "unknown key `titel`.*did you mean `title`"),
        ("repeats = 3\n[job]", 'unknown key `repeats`.*plan = { mode = "sweep", repeats = 3 }'),
        ("[job]\n[search]\npolicy = 'find-peak'", 'unknown key `search`.*mode = "peak"'),
        ("together = true\n[job]", 'unknown key `together`.*mode = "together"'),
        ("torture_s = 5\n[job]", 'unknown key `torture_s`.*mode = "torture"'),
        ("[job]\n[plan]\nmode = 'find-best'", "find-best"),
        ("[job]\n[plan]\nrepeats = 3", "`plan`: `mode` is missing"),
        ("[job]\n[plan]\nmode = 'peak'\nrepeats = 3", "repeats"),
        ("[job]\n[plan]\nmode = 'sweep'\nshare = 0.5", "share"),
        ("[job]\n[plan]\nmode = 'torture'", "under_load_s"),
        ("[job]\n[plan]\nmode = 'torture'\nunder_load_s = 60\nrepeats = 3", "repeats"),
        ("[job]\n[plan]\nmode = 'scaling'\nshare = 1.5", "share"),
        (
            "[job]\n[plan]\nmode = 'scaling'\n[[systems]]\nname = 'a'",
            "cannot be combined with the plan `scaling`",
        ),
        (
            "plan = { mode = 'together' }\n[job]\n[[tests]]\nname = 'a'",
            "cannot be combined with the plan `together`",
        ),
        ("[job]\n[[systems]]\nname = 'a'\n[[systems]]\nname = 'a'", "two systems `a`"),
        ("[job]\n[[systems]]\nname = ''", "name"),
        ("[job]\n[[systems]]\nname = 'a'\nrepeats = 3", "repeats"),
        (
            "[job]\n[[systems]]\nname = 'disk'\n[[systems]]\nname = 'b'\nagainst = 'disc'",
            "compared with `disc`, which the study does not have.*did you mean `disk`",
        ),
        ("[job]\n[[systems]]\nname = 'a'\nagainst = 'a'", "compared with itself"),
        (
            "compare = false\n[job]\n[[systems]]\nname = 'a'\n[[systems]]\nname = 'b'\nagainst = 'a'",
            "cannot be combined with `compare = false`",
        ),
        ("system = 'x'\n[job]\n[[systems]]\nname = 'a'", "`system` cannot be combined with"),
        ("response_time_limit = '5parsecs'\n[job]", "not a unit"),
        ("response_time_limit = 0\n[job]", "above 0"),
        ("reference = 'directry'\n[job]", "no published results named `directry`.*did you mean `directory`"),
        ("title = 'x'", "job"),
        ("[job]\n[plan]\nmode = 'sweep'\nrepeats = 0", "repeats"),
        ("[job]\n[plan]\nmode = 'sweep'\nrepeats = 'many'", "repeats"),
        ("[job]\n[axes]\n'load.closed.users' = []", "axes"),
        ("[job]\n[axes]\n'load.closed.users' = 3", "axes"),
        ("[job\n[axes]", "not TOML.*line 1"),
    ],
)
def test_bad_input_is_named_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_study(path)
    assert re.search(f"(?s){said}", str(caught.value))
    assert re.fullmatch(re.escape(str(path)) + r"(:\d+)?", caught.value.where)
    assert caught.value.hint or "not TOML" in caught.value.text


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        load_study(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot read"):
        load_study(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'title = "b\xf6se"')
    with pytest.raises(InputError, match="not TOML"):
        load_study(tmp_path / "latin.toml")


def test_the_twelve_tests_are_those_that_were_published() -> None:
    study = load_study(tree.ROOT / "studies" / "raid1-vs-raid5.toml")
    names = [test.name for test in study.tests]
    assert names == ["R1", "R2", "R3", "R4", "R5", "I1", "I2", "I3", "I4", "I5", "S1", "S2"]
    reads = [test.job["params"]["read"] for test in study.tests[:10]]
    assert reads == [100, 70, 50, 30, 0] * 2
    ratios = reference_of(study.reference).ratios
    assert {ratio.test for ratio in ratios} < set(names)
    assert (study.value, study.job["phases"]["measure_s"]) == ("median of the last fifth", "5min")
