"""Bundles to break: of a recorded run, and of members that no `igen publish bundle` would write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from igen.bundle.contents import CONTENTS_FILE, RESULT_FILE
from igen.bundle.frame import comment, seal
from igen.bundle.pack import pack
from igen.study.results import read_result
from tests.golden.recorded_run import unpack

RUN = "runs/noop/run.json"


def packed(folder: Path, name: str = "noop") -> Path:
    """A bundle of a recorded run."""
    run = unpack(name, folder / "store")
    path = folder / f"{name}.igen"
    pack([run], read_result([run]), path, host="golden", told=lambda _bytes: None)
    return path


def members_of(folder: Path, name: str = "noop") -> dict[str, bytes]:
    """The members of a bundle of a recorded run, without their list."""
    with ZipFile(packed(folder, name)) as made:
        return {each: made.read(each) for each in made.namelist() if each != CONTENTS_FILE}


def contents(members: Mapping[str, int], **other: Any) -> bytes:
    """A list of members as `igen publish bundle` writes it."""
    told = {"format": 1, "igen_version": "0.1.0", "host": "golden", "title": "noop", "runs": ["noop"]}
    return msgspec.json.encode({**told, "members": dict(members), **other})


def archive(path: Path, members: Mapping[str, bytes], listed: bytes | None = None) -> Path:
    """A sealed archive of these members; `listed` takes the place of a list that is right."""
    with path.open("w+b") as file:
        with ZipFile(file, "w", ZIP_DEFLATED) as made:
            made.comment = comment()
            sizes = {name: len(data) for name, data in members.items()}
            made.writestr(CONTENTS_FILE, contents(sizes) if listed is None else listed)
            for name, data in members.items():
                made.writestr(name, data)
        seal(file)
    return path


def harmless(**others: bytes) -> dict[str, bytes]:
    """The least that a bundle has."""
    return {RESULT_FILE: b"{}", RUN: b"{}", **others}
