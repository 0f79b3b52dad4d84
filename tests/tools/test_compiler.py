"""`compiler` is right on programs that are built here with known flags."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tool_said import Tool

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="levels are those of x86-64")
PROGRAMS = Path(__file__).with_name("programs")
STRIP = "-Wl,--strip-all"
# Command, and what the verdict begins with; `at least`: what can be seen of a level without being told.
C = [
    ("-O0 -march=x86-64", r"built with {} without optimisation \(-O0\) for at least x86-64-v1:"),
    ("-O1 -march=x86-64", "built with {} with optimisation for at least x86-64-v1"),
    ("-O2 -march=x86-64", "built with {} with optimisation for at least x86-64-v1"),
    ("-O3 -march=x86-64", "built with {} with optimisation for at least x86-64-v1"),
    (f"-O2 -march=x86-64 {STRIP}", "built with {} with optimisation for at least x86-64-v1"),
    (f"-O0 -march=x86-64-v3 {STRIP}", r"built with {} without optimisation \(-O0\) for at least x86-64-v3"),
    ("-O2 -march=x86-64-v2", "built with {} with optimisation for at least x86-64-v2"),
    ("-O2 -march=x86-64-v3", "built with {} with optimisation for at least x86-64-v3"),
    (f"-O3 -march=x86-64-v3 {STRIP}", "built with {} with optimisation for at least x86-64-v3"),
    ("-O3 -march=x86-64-v4", "built with {} with optimisation for at least x86-64-v4"),
]
GCC_WITH_DEBUG_INFORMATION = [
    ("-O2 -g -march=x86-64-v3", "built with {} -O2 for x86-64-v3"),
    ("-g -march=x86-64", "built with {} -O0 for x86-64-v1: build it with -O2"),
    # Debug information without flags says nothing of them: the instructions do.
    (
        "-O2 -g -gno-record-gcc-switches -march=x86-64",
        "built with {} with optimisation for at least x86-64-v1",
    ),
    (
        "-O0 -g -gno-record-gcc-switches -march=x86-64",
        r"built with {} without optimisation \(-O0\) for at least x86-64-v1",
    ),
]
RUST = [
    ("-C opt-level=0", r"built with {} without optimisation \(-O0\)"),
    ("-C opt-level=1", "built with {} with optimisation for at least x86-64-v1"),
    ("-C opt-level=3 -C strip=symbols", "built with {} with optimisation for at least x86-64-v1"),
    ("-C opt-level=2 -g", "built with {} with optimisation for at least x86-64-v1"),
]
GO = [
    ("v1", "", "built with {} with its optimisation for x86-64-v1"),
    ("v3", "-ldflags=-s -w", "built with {} with its optimisation for x86-64-v3"),
    ("v2", "-gcflags=-N -l", "built with {} -O0 for x86-64-v2: build it with -O2"),
]


def build(command: list[str], **environment: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})


def check(tool: Tool, program: Path, expected: str, compiler: str) -> None:
    said = tool("compiler", str(program), "--json")
    text = said.document["verdict"]["text"]
    assert re.match(expected.format(compiler), text), f"{text}\n{said.out}"
    plain = "without optimisation" in text or " -O0" in text
    assert said.code == int(plain or "this host supports" in text)


@pytest.mark.parametrize(("flags", "expected"), [*C, *GCC_WITH_DEBUG_INFORMATION])
def test_programs_of_gcc(tool: Tool, tmp_path: Path, flags: str, expected: str) -> None:
    build(["gcc", *flags.split(), str(PROGRAMS / "mixed.c"), "-o", str(tmp_path / "program")])
    check(tool, tmp_path / "program", expected, r"GCC \d+\.\d+\.\d+")


@pytest.mark.parametrize(("flags", "expected"), C)
def test_programs_of_clang(tool: Tool, tmp_path: Path, flags: str, expected: str) -> None:
    names = ["clang", *(f"clang-{version}" for version in range(30, 11, -1))]
    clang = next(filter(shutil.which, names), "clang")
    build([clang, *flags.split(), str(PROGRAMS / "mixed.c"), "-o", str(tmp_path / "program")])
    check(tool, tmp_path / "program", expected, r"Clang \d+\.\d+\.\d+")


@pytest.mark.parametrize(("flags", "expected"), RUST)
def test_programs_of_rust(tool: Tool, tmp_path: Path, flags: str, expected: str) -> None:
    build(["rustc", *flags.split(), str(PROGRAMS / "mixed.rs"), "-o", str(tmp_path / "program")])
    check(tool, tmp_path / "program", expected, r"rustc \d+\.\d+\.\d+")


@pytest.mark.parametrize(("level", "flag", "expected"), GO)
def test_programs_of_go(tool: Tool, tmp_path: Path, level: str, flag: str, expected: str) -> None:
    source = str(PROGRAMS / "mixed.go")
    # Its makers' own place, which is in nobody's PATH.
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin") or "go"
    words = [go, "build", *([flag] if flag else []), "-o", str(tmp_path / "program"), source]
    build(words, GOAMD64=level, GO111MODULE="off")
    check(tool, tmp_path / "program", expected, r"Go \d+\.\d+(\.\d+)?")


def test_a_program_without_any_word_of_its_compiler(tool: Tool, tmp_path: Path) -> None:
    program = tmp_path / "program"
    build(["gcc", "-O2", str(PROGRAMS / "mixed.c"), "-o", str(program)])
    subprocess.run(["strip", "--strip-all", "--remove-section=.comment", program], check=True)
    check(tool, program, "built with an unknown compiler with optimisation", "")
    notes = tool("compiler", str(program), "--json").document["notes"]
    assert any("the compiler is unknown" in note for note in notes)


def test_the_program_of_a_process(tool: Tool) -> None:
    said = tool("compiler", "--pid", str(os.getpid()), "--json")
    assert said.document["verdict"]["text"].startswith("built with "), sys.executable


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["/no/such/program"], "/no/such/program: cannot read the program"),
        ([__file__], "not a 64-bit ELF program"),
        (["--pid", "99999999999"], "invalid value"),
        ([], "required"),
    ],
)
def test_what_is_no_program_is_refused(tool: Tool, words: list[str], expected: str) -> None:
    said = tool("compiler", *words)
    assert said.code == 2
    assert expected in said.err


def test_what_is_no_file_is_not_read(tool: Tool, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero"):
        said = tool("compiler", path)
        assert said.code == 2
        assert "not a regular file" in said.err


def test_a_long_file_that_is_no_program_is_not_read_to_its_end(tool: Tool, tmp_path: Path) -> None:
    with (tmp_path / "long").open("wb") as file:
        file.truncate(1 << 42)
    said = tool("compiler", str(tmp_path / "long"))
    assert said.code == 2
    assert "not a 64-bit ELF program" in said.err


def test_a_core_file_is_no_program(tool: Tool, tmp_path: Path) -> None:
    core = bytearray(Path("/proc/self/exe").read_bytes()[:64])
    core[16:18] = (4).to_bytes(2, sys.byteorder)  # e_type: ET_CORE
    core[32:64] = bytes(32)  # neither segments nor sections
    core[52:54] = (64).to_bytes(2, sys.byteorder)
    (tmp_path / "core").write_bytes(core)
    said = tool("compiler", str(tmp_path / "core"))
    assert said.code == 2
    assert "a core file of a crashed program" in said.err


def test_a_program_that_was_copied_in_part_is_no_script(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(Path(sys.executable).read_bytes()[:5000])
    said = tool("compiler", str(tmp_path / "part"))
    assert said.code == 2
    assert "incomplete" in said.err
    assert "interpreter" not in said.err


def test_debug_information_has_no_instructions(tool: Tool, tmp_path: Path) -> None:
    program = tmp_path / "program"
    build(["gcc", "-O2", "-g", str(PROGRAMS / "mixed.c"), "-o", str(program)])
    subprocess.run(["objcopy", "--only-keep-debug", program], check=True)
    said = tool("compiler", str(program), "--json").document
    assert any("has only data or debug information" in note for note in said["notes"])
    assert not any("too short" in note for note in said["notes"])
    assert said["verdict"]["method"] == "compiler information in the program"
    assert re.match(r"built with GCC \d+\.\d+\.\d+ -O2", said["verdict"]["text"])
