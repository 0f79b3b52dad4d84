from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks import tree
from igen.errors import InputError
from igen.reference.load import reference_of
from igen.study.study import DEFAULT_REPEATS, Search, System, load_study


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
            repeats = 3
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
    assert (study.name, study.title, study.repeats) == ("mine", "Both", 3)
    assert study.job == {"workload": "cpu", "phases": {"measure_s": "5s"}}
    assert study.axes == {"load.closed.users": [1, 2], "params.variant": ["latency", "throughput"]}
    assert study.search is None


def test_a_search_is_read_from_toml(tmp_path: Path) -> None:
    text = "[job]\nworkload = 'cpu'\n[search]\npolicy = 'find-peak'"
    assert load_study(write(tmp_path, text)).search == Search("find-peak")


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
        System(name="disk"),
        System(name="SSD", against="disk", job={"targets": ["sqlite:////ssd/shop.db"]}),
    ]
    assert (study.response_time_limit, study.reference) == ("30ms", "725 tx/s")


def test_a_scaling_study_may_say_its_repeats(tmp_path: Path) -> None:
    text = "repeats = 3\n[job]\nworkload = 'oltp'\n[search]\npolicy = 'scaling'\nshare = 0.5"
    study = load_study(write(tmp_path, text))
    assert (study.repeats, study.search) == (3, Search("scaling", 0.5))


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    study = load_study(write(tmp_path, '[job]\nworkload = "cpu"'))
    assert (study.repeats, study.axes, study.search) == (DEFAULT_REPEATS, {}, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repets = 3\n[job]", "unknown key `repets`.*did you mean `repeats`"),
        ("[job]\n[search]\npolicy = 'find-best'", "find-best"),
        ("[job]\n[search]\npolicy = 'find-peak'\nmost = 3", "most"),
        ("[job]\n[search]\npolicy = 'find-peak'\nshare = 0.5", "`share` belongs to"),
        ("[job]\n[search]\npolicy = 'scaling'\nshare = 1.5", "share"),
        ("[job]\n[search]\npolicy = 'scaling'\n[[systems]]\nname = 'a'", "does not go with `search`"),
        ("[job]\n[[systems]]\nname = 'a'\n[[systems]]\nname = 'a'", "two systems `a`"),
        ("[job]\n[[systems]]\nname = ''", "name"),
        ("[job]\n[[systems]]\nname = 'a'\nrepeats = 3", "repeats"),
        (
            "[job]\n[[systems]]\nname = 'disk'\n[[systems]]\nname = 'b'\nagainst = 'disc'",
            "compared with `disc`, which is none.*did you mean `disk`",
        ),
        ("[job]\n[[systems]]\nname = 'a'\nagainst = 'a'", "compared with itself"),
        (
            "compare = false\n[job]\n[[systems]]\nname = 'a'\n[[systems]]\nname = 'b'\nagainst = 'a'",
            "does not go with `compare = false`",
        ),
        ("system = 'x'\n[job]\n[[systems]]\nname = 'a'", "`system` does not go with"),
        ("response_time_limit = '5parsecs'\n[job]", "not a unit"),
        ("response_time_limit = 0\n[job]", "above 0"),
        ("repeats = 3\n[job]\n[search]\npolicy = 'find-peak'", "does not go with `search`"),
        ("reference = 'directry'\n[job]", "no published results called `directry`.*did you mean `directory`"),
        ("title = 'x'", "job"),
        ("repeats = 0\n[job]", "repeats"),
        ("repeats = 'many'\n[job]", "repeats"),
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
    assert caught.value.where == str(path)
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
