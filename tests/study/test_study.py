from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import InputError
from igen.study.study import DEFAULT_REPEATS, Search, load_study


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


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    study = load_study(write(tmp_path, '[job]\nworkload = "cpu"'))
    assert (study.repeats, study.axes, study.search) == (DEFAULT_REPEATS, {}, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repets = 3\n[job]", "unknown key `repets`.*did you mean `repeats`"),
        ("[job]\n[search]\npolicy = 'find-best'", "find-best"),
        ("[job]\n[search]\npolicy = 'find-peak'\nmost = 3", "most"),
        ("repeats = 3\n[job]\n[search]\npolicy = 'find-peak'", "does not go with `search`"),
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
    with pytest.raises(InputError, match=f"(?s){said}") as caught:
        load_study(path)
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
