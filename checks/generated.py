"""Generated files are what their generators say: `make docs` writes them, `make check` compares."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from checks import cli_page, facts_module, man_page, notebook, reference_pages, tree

SCHEMAS = tree.ROOT / "schema"
REFERENCE = tree.ROOT / "docs" / "reference"


def as_json(value: Any) -> str:
    """Readable JSON with a newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def agent_schema(of: str) -> str:
    """The schema of a type that crosses the line between agent and judge."""
    return as_json(reference_pages.ask_agent("schema", of))


def printed_schema(*module: str) -> str:
    """A schema that a module prints."""
    command = [sys.executable, "-m", *module]
    return as_json(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def secret_names() -> str:
    """The agent's list of how secrets are recognised, which igen has too."""
    return (tree.ROOT / "crates/igen-workloads/src/secret_names.toml").read_text(encoding="utf-8")


GENERATORS: dict[Path, Callable[[], str]] = {
    # First: the programs that print the others import it.
    tree.ROOT / "python/igen/facts/__init__.py": facts_module.module,
    SCHEMAS / "job.schema.json": partial(agent_schema, "job"),
    SCHEMAS / "event.schema.json": partial(agent_schema, "event"),
    SCHEMAS / "command.schema.json": partial(agent_schema, "command"),
    SCHEMAS / "monitor.schema.json": partial(agent_schema, "monitor"),
    SCHEMAS / "queue.schema.json": partial(printed_schema, "igen.queue.schema"),
    SCHEMAS / "result.schema.json": partial(printed_schema, "igen.aspects.schema"),
    SCHEMAS / "prediction.schema.json": partial(printed_schema, "igen.cli.schema", "prediction"),
    SCHEMAS / "datacenter.schema.json": partial(printed_schema, "igen.cli.schema", "datacenter"),
    SCHEMAS / "landscape.schema.json": partial(printed_schema, "igen.cli.schema", "landscape"),
    SCHEMAS / "tool.schema.json": partial(agent_schema, "tool"),
    REFERENCE / "cli.md": cli_page.page,
    REFERENCE / "igen.1": man_page.page,
    REFERENCE / "facts.md": reference_pages.facts,
    REFERENCE / "job.md": reference_pages.job,
    REFERENCE / "monitors.md": reference_pages.monitors,
    REFERENCE / "rules.md": reference_pages.rules,
    REFERENCE / "tools.md": reference_pages.tools,
    REFERENCE / "workloads.md": reference_pages.workloads,
    tree.ROOT / "python/igen/har/secret_names.toml": secret_names,
    notebook.NOTEBOOK: notebook.notebook,
}


def main() -> int:
    """Compares, or writes with --write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what differs")
    write = parser.parse_args().write
    found = []
    for path, generate in GENERATORS.items():
        expected = generate()
        if path.exists() and path.read_text(encoding="utf-8") == expected:
            continue
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(expected, encoding="utf-8")
            print(f"wrote {path.relative_to(tree.ROOT)}")
        else:
            found.append(f"{path.relative_to(tree.ROOT)} is out of date: `make docs` writes it")
    stray = {path for folder in (SCHEMAS, REFERENCE) for path in folder.glob("*")} - set(GENERATORS)
    found += [f"{path.relative_to(tree.ROOT)}: nothing generates it" for path in sorted(stray)]
    return tree.finish("generated", found, f"{len(GENERATORS)} files")


if __name__ == "__main__":
    sys.exit(main())
