"""The dependencies in Cargo.lock and constraints.txt: licences, sources, bans and known vulnerabilities.

Licences, sources and bans need no network. If no list of vulnerabilities can be reached, the check prints so,
and has no finding for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from checks import tree
from checks.requirements import LOCK

OFFLINE = ("bans", "licenses", "sources")


def vulnerable(report: str) -> tuple[list[str], list[str]]:
    """Return the findings of a report of pip-audit in JSON, and the packages that it could not look up."""
    packages = json.loads(report)["dependencies"]
    found = [
        f"{package['name']} {package['version']}: {each['id']}, fixed in {', '.join(each['fix_versions'])}"
        for package in packages
        for each in package.get("vulns", [])
    ]
    return found, [package["name"] for package in packages if "skip_reason" in package]


def of_rust() -> Iterable[str]:
    """Yield the findings of cargo-deny."""
    fetched = _run("cargo", "deny", "fetch", "db").returncode == 0
    if not fetched:
        print("audit: vulnerabilities of crates not checked: the list cannot be fetched")
    done = _run("cargo", "deny", "--offline", "check", *OFFLINE, *(["advisories"] if fetched else []))
    if done.returncode:
        yield f"cargo deny:\n{done.stderr}"


def of_python() -> Iterable[str]:
    """Yield the findings of pip-audit."""
    options = ("--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json")
    done = _run("pip-audit", "--requirement", str(LOCK), *options)
    if not done.stdout:
        yield f"pip-audit: {done.stderr}"
        return
    found, unknown = vulnerable(done.stdout)
    if unknown:
        print(f"audit: vulnerabilities of {len(unknown)} Python packages not checked: the index lists none")
    yield from found


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True, check=False)


def main() -> int:
    """Check both."""
    return tree.finish("audit", [*of_rust(), *of_python()], "licences, sources and bans hold")


if __name__ == "__main__":
    sys.exit(main())
