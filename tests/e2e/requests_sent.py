"""What a run of `http` or `web` has sent, by its own account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command_line import Done, events


def levels(done: Done) -> list[dict[str, Any]]:
    assert done.code == 0, done.err
    return [dict(level) for level in done.document["systems"][0]["levels"]]


def sent(store: Path, workload: str = "http") -> tuple[int, int]:
    """Requests and answers of all jobs, by the process that loads."""
    facts = [fact["value"] for fact in events(store, "fact") if fact["name"] == f"{workload}.requests"]
    each = [target for targets in facts for target in targets]
    return sum(target["requests"] for target in each), sum(target["answers"] for target in each)
