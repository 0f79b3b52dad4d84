"""A recorded run as one small file, without what tells of one machine."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from igen.store.checked_line import read_line
from igen.store.run import Run

FOLDER = Path(__file__).parent / "recorded"
OF_THE_MACHINE = ("cpu.", "environment.", "host.", "kernel.", "memory.", "network.", "storage.")
"""Facts that tell nothing of the workload."""
LEFT_OUT = {"phase", "progress"}
"""Events that the judge does not read."""
HOST = "golden"


def names() -> list[str]:
    """Every recorded run."""
    return sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.jsonl.xz"))


def pack(run: Run, name: str, replaced: dict[str, str]) -> Path:
    """Writes a run to its file; `replaced` are texts of this machine and what stands for them."""
    lines = []
    for path in (run.folder / "run.json", run.folder / "floor.jsonl", *run.job_paths()):
        lines.append(json.dumps({"file": str(path.relative_to(run.folder))}))
        if path.suffix == ".json":
            # Its checksum is that of what it was before the replacements.
            lines.append(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"crc32": ""}))
        else:
            lines += _events(path)
    text = "".join(f"{line}\n" for line in lines)
    for old, new in replaced.items():
        text = text.replace(old, new)
    packed = FOLDER / f"{name}.jsonl.xz"
    packed.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    return packed


def _events(path: Path) -> Iterator[str]:
    for text in path.read_bytes().splitlines():
        line = read_line(text)
        assert line is not None, text
        ((kind, value),) = line.event.items()
        if kind in LEFT_OUT or (kind == "fact" and value["name"].startswith(OF_THE_MACHINE)):
            continue
        if kind == "job_end":
            value["stderr"] = ""
        yield json.dumps({kind: value}, separators=(",", ":"), ensure_ascii=False)


def unpack(name: str, folder: Path) -> Run:
    """The run as the store had it, in a new folder."""
    lines: list[str] = []
    files: dict[str, list[str]] = {}
    for line in lzma.decompress((FOLDER / f"{name}.jsonl.xz").read_bytes()).decode().splitlines():
        event: dict[str, Any] = json.loads(line)
        if set(event) == {"file"}:
            lines = files.setdefault(event["file"], [])
        else:
            lines.append(line)
    for file, lines in files.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Run(folder / name)
