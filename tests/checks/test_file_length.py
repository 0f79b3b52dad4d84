from __future__ import annotations

from pathlib import Path

from checks import file_length


def test_only_files_beyond_the_limit_are_found(tmp_path: Path) -> None:
    for name, lines in (("at.py", 500), ("beyond.py", 501)):
        (tmp_path / name).write_text("x\n" * lines)
    found = file_length.too_long(file_length.lengths(sorted(tmp_path.iterdir())))
    assert found == [f"{tmp_path / 'beyond.py'}: 501 lines, the limit is 500"]
