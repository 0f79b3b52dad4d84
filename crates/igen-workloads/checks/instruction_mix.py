"""Which part of the instructions of workload `cpu` has a floating-point register operand?

Runs the example `fractals` under valgrind, which counts how often each address is executed, and joins the
counts with a disassembly. The published workload is half floating point: 45 to 55 % pass. Only the variant
`latency` on x86-64 is judged; the other interleaves pixels in vectors, so that its mix says less.

Needs valgrind and objdump; takes about 10 s: python crates/igen-workloads/checks/instruction_mix.py
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

LOW_PERCENT, HIGH_PERCENT = 45.0, 55.0
FLOATING_POINT_REGISTER = re.compile(r"%[xyz]mm\d|%st\b")


EXAMPLE = Path(__file__).parents[1] / "examples" / "fractals.rs"


def build(folder: Path) -> Path:
    """Compiles the example, which needs nothing but the kernels' own files; the path of its binary."""
    binary = folder / "fractals"
    options = ["--edition=2024", "-Copt-level=3", "-Ccodegen-units=1", "-Cdebuginfo=line-tables-only"]
    subprocess.run(["rustc", *options, "-o", str(binary), str(EXAMPLE)], check=True)
    return binary


def executed(callgrind: Iterable[str], binary: str) -> Counter[int]:
    """Executions of each address of `binary`, from a callgrind file with instructions, nothing compressed."""
    counts: Counter[int] = Counter()
    ours = inclusive = False
    for line in callgrind:
        if line.startswith("ob="):
            ours = line.removeprefix("ob=").strip() == binary
        elif line.startswith("calls="):
            inclusive = True  # The next line is what the called function cost, counted there as well.
        elif line.startswith("0x"):
            address, _, count = line.split()
            if ours and not inclusive:
                counts[int(address, 16)] += int(count)
            inclusive = False
    return counts


def disassembly(text: str) -> dict[int, str]:
    """Instruction at each address, from `objdump --disassemble --no-show-raw-insn`."""
    found = re.finditer(r"^\s*([0-9a-f]+):\s+(.*)$", text, re.MULTILINE)
    return {int(match[1], 16): match[2] for match in found}


def floating_point_percent(counts: Counter[int], instructions: dict[int, str]) -> float:
    """Share of the executed instructions that name a floating-point register."""
    total = sum(counts.values())
    hits = sum(n for at, n in counts.items() if FLOATING_POINT_REGISTER.search(instructions[at]))
    return 100 * hits / total


def measure(binary: Path, variant: str) -> float:
    """The share for one variant, in percent."""
    out = binary.with_name("callgrind")
    options = ["--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"]
    command = ["valgrind", *options, f"--callgrind-out-file={out}", str(binary), variant, "3"]
    subprocess.run(command, check=True, capture_output=True)
    counts = executed(out.read_text(encoding="utf-8").splitlines(), str(binary))
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(binary)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return floating_point_percent(counts, disassembly(text))


def main() -> int:
    """Prints the share for both variants; 1 when the judged one is out of bounds."""
    missing = [tool for tool in ("valgrind", "objdump") if shutil.which(tool) is None]
    if missing:
        print(f"instruction mix: not checked: {' and '.join(missing)} missing")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        binary = build(Path(folder))
        percent = measure(binary, "latency")
        goal = f"goal {LOW_PERCENT:.0f} to {HIGH_PERCENT:.0f} %"
        print(f"instruction mix: latency {percent:.1f} % floating point, {goal}")
        print(f"instruction mix: throughput {measure(binary, 'throughput'):.1f} %, not judged")
    return 0 if LOW_PERCENT <= percent <= HIGH_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
