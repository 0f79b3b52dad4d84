from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from collections.abc import Iterator

import pytest

from checks import tree

AT_ONCE = """
import dataclasses, sys, threading
import msgspec
from igen.first_use import ready

sys.setswitchinterval(1e-6)
FIELDS = [(f"field_{number}", "int | str | list[dict[str, float]]", 0) for number in range(8)]
for number in range(100):
    inner = dataclasses.make_dataclass(f"Inner{number}", FIELDS)
    outer = dataclasses.make_dataclass(f"Outer{number}", [("inner", inner)])
    start = threading.Barrier(4)

    def use():
        start.wait()
        assert msgspec.convert({"inner": {"field_1": 3}}, USED).inner.field_1 == 3

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_may_use_a_type_for_the_first_time_at_once() -> None:
    script = AT_ONCE.replace("USED", "ready(outer)")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def typed_by(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the type that a call of msgspec decodes into."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name == "convert":
        yield call.args[1]
    elif name == "Decoder":
        yield from call.args[:1]
    if name in {"decode", "convert", "Decoder"}:
        yield from (each.value for each in call.keywords if each.arg == "type")


def is_safe(kind: ast.expr) -> bool:
    """True if no name in the type is one of ours, or `ready` has read it."""
    if isinstance(kind, ast.Call):
        return isinstance(kind.func, ast.Name) and kind.func.id == "ready"
    names = {each.id for each in ast.walk(kind) if isinstance(each, ast.Name)}
    return all(name == "Any" or hasattr(builtins, name) for name in names)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("msgspec.convert(value, Study)", False),
        ("msgspec.json.decode(line, type=Note)", False),
        ("msgspec.json.decode(line, type=list[Note])", False),
        ("msgspec.json.Decoder(Note)", False),
        ("msgspec.convert(value, ready(Study))", True),
        ("msgspec.json.decode(line, type=dict[str, Any])", True),
    ],
)
def test_the_rule_below_finds_a_type_that_is_not_ready(text: str, safe: bool) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert all(map(is_safe, typed_by(call))) is safe


def test_our_own_types_are_read_before_they_are_used() -> None:
    folder = tree.ROOT / "python" / "igen"
    found = [
        f"{path.relative_to(tree.ROOT)}:{each.lineno}"
        for path in folder.rglob("*.py")
        if "msgspec" in (text := path.read_text("utf-8")) and path != folder / "first_use.py"
        for each in ast.walk(ast.parse(text))
        if isinstance(each, ast.Call) and not all(map(is_safe, typed_by(each)))
    ]
    assert not found
