"""Each fuzz target in Python takes real inputs, inputs that once failed, and some hundred made of them."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from checks import tree
from fuzz.targets import CORPUS, IN_PYTHON, IN_RUST, failed_before

MUTATED = 150
MOST_BYTES = 20_000
"""Longer inputs are cut off: the time of the test is for many of them."""


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the input with some bytes changed, copied or removed."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        length = chance.randrange(16)
        match chance.randrange(4):
            case 0:
                changed[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                changed[at : at + length] = b""
            case 2:
                changed[at:at] = changed[at : at + length]
            case 3:
                changed[at : at + 1] = chance.choice(
                    [b'"', b"{", b"[", b"\\", b"\0", b"9" * 20, b"-", b"null"]
                )
    return bytes(changed)


@pytest.mark.parametrize("name", IN_PYTHON)
def test_any_input_is_an_error_at_worst(name: str, tmp_path: Path) -> None:
    target = IN_PYTHON[name]
    inputs = [data[:MOST_BYTES] for data in sorted(target.seeds())]
    assert len(inputs) >= 5
    for data in failed_before(name):
        target.run(tmp_path / "input", data)
    chance = random.Random(1)
    for _ in range(MUTATED):
        target.run(tmp_path / "input", mutated(chance.choice(inputs), chance))


def test_a_target_is_named_once_and_those_in_rust_have_a_corpus() -> None:
    names = subprocess.run(
        [str(tree.ROOT / "fuzz" / "run"), "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "200"},
    ).stdout
    assert all(name in names for name in (*IN_RUST, *IN_PYTHON))
    lib = (tree.ROOT / "crates" / "igen-fuzz" / "src" / "lib.rs").read_text(encoding="utf-8")
    assert [name for name in IN_RUST if f'name: "{name}"' not in lib] == []
    assert [name for name in IN_RUST if not any((CORPUS / name).iterdir())] == []
