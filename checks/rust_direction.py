"""Crates depend in one direction only, as the table below says, and their modules make no circles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from checks import rust_modules, tree

ENGINE = {"igen-engine", "igen-job", "igen-stats"}
MAY_SEE: dict[str, set[str]] = {
    "igen-stats": set(),
    "igen-job": {"igen-stats"},
    "igen-kernel": {"igen-job"},
    "igen-engine": {"igen-job", "igen-kernel", "igen-stats"},
    "igen-net": ENGINE,
    "igen-sql": ENGINE | {"igen-kernel", "igen-net"},
    "igen-http": ENGINE | {"igen-net"},
    "igen-ldap": ENGINE | {"igen-net"},
    "igen-storage": ENGINE,
    "igen-model": ENGINE,
    "igen-workloads": ENGINE
    | {"igen-http", "igen-kernel", "igen-ldap", "igen-model", "igen-net", "igen-sql", "igen-storage"},
    "igen-monitors": ENGINE
    | {"igen-http", "igen-kernel", "igen-ldap", "igen-net", "igen-sql", "igen-storage"},
    "igen-facts": ENGINE | {"igen-kernel"},
    "igen-shop": {"igen-job"},
    "igen-tools": {"igen-job", "igen-kernel"},
    "igen-fuzz": {"igen-http", "igen-job", "igen-ldap", "igen-sql", "igen-workloads"},
    "igen-agent": ENGINE
    | {"igen-facts", "igen-kernel", "igen-monitors", "igen-shop", "igen-tools", "igen-workloads"},
}


def findings(metadata: dict[str, Any]) -> list[str]:
    """What `cargo metadata --no-deps` shows that the table does not allow."""
    found = []
    crates = {package["name"]: package for package in metadata["packages"]}
    for name, package in crates.items():
        if name not in MAY_SEE:
            found.append(f"{name} has no row in checks/rust_direction.py")
            continue
        # Tests may use what they like.
        uses = {used["name"] for used in package["dependencies"] if used["kind"] != "dev"}
        found += [f"{name} must not depend on {used}" for used in sorted(uses & set(crates) - MAY_SEE[name])]
    return found


def circles(metadata: dict[str, Any]) -> list[str]:
    """Modules that use each other, in whichever crate."""
    return [
        f"{package['name']}: {', '.join(circle)} use each other"
        for package in metadata["packages"]
        for circle in rust_modules.circles(Path(package["manifest_path"]).parent / "src")
    ]


def main() -> int:
    """Checks the workspace."""
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=tree.ROOT, check=True, capture_output=True, text=True)
    metadata = json.loads(done.stdout)
    found = findings(metadata) + circles(metadata)
    return tree.finish("rust direction", found, f"{len(metadata['packages'])} crates, no circles")


if __name__ == "__main__":
    sys.exit(main())
