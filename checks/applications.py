"""The locks of applications from PyPI: all that is installed, each release with the hashes of its archives.

`python -m checks.applications --write [NAME]` asks PyPI and writes them anew, with the newest releases
that are allowed by what is asked for; the check compares the locks with that and asks nobody.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checks import tree
from checks.lock import reported
from igen.instances.application import APPLICATIONS, OLDEST, Application

MOST_BYTES = 50_000
MACHINES = ("x86_64", "aarch64")
OLDEST_LIBC, NEWEST_LIBC = 5, 28
"""Archives for glibc 2.5 to 2.28 are taken: Debian 10, Ubuntu 20.04, RHEL 8 and all since have that."""
ENTRY = re.compile(r"(?P<name>[\w.-]+)==(?P<release>[\w.]+)(?P<hashes>(?:\s+--hash=sha256:[0-9a-f]{64})+)\s*")


@dataclass(slots=True)
class Entry:
    """One package of a lock."""

    name: str
    release: str
    hashes: set[str] = field(default_factory=set)


def entries(lock: str) -> list[Entry]:
    """What a lock says. Raises `ValueError` for a line that is no release with hashes."""
    found = []
    for line in lock.replace("\\\n", "").splitlines():
        parts = ENTRY.fullmatch(line)
        if parts is None:
            raise ValueError(f"`{line.strip()}` is no release with its hashes")
        found.append(
            Entry(parts["name"], parts["release"], set(re.findall(r"[0-9a-f]{64}", parts["hashes"])))
        )
    return found


def written(found: Iterable[Entry]) -> str:
    """The text of a lock."""
    lines = []
    for each in sorted(found, key=lambda one: one.name.lower()):
        hashes = [f"    --hash=sha256:{digest}" for digest in sorted(each.hashes)]
        lines.append(" \\\n".join([f"{each.name}=={each.release}", *hashes]))
    return "\n".join(lines) + "\n"


def findings(application: Application, lock: str) -> list[str]:
    """What a lock lacks of what is asked for, and what is in it that may not be."""
    file = application.lock.name
    try:
        found = {canonicalize_name(each.name): each.release for each in entries(lock)}
    except ValueError as error:
        return [f"{file}: {error}"]
    said = []
    for each in map(Requirement, application.asked):
        if each.name in application.left_out:
            continue
        release = found.get(canonicalize_name(each.name))
        if release is None or not each.specifier.contains(release):
            said.append(f"{file} has {release or 'no release'} of `{each}`")
    said += [f"{file} has no release of `{name}`" for name in application.sources if name not in found]
    said += [
        f"{file} has `{name}`, of which there is no wheel" for name in application.left_out if name in found
    ]
    if len(lock) > MOST_BYTES:
        said.append(f"{file} has {len(lock):,} bytes, the limit is {MOST_BYTES:,}")
    return said


def platforms(machine: str) -> list[str]:
    """Options of pip for archives that such machines take; those for the oldest libraries come first, because
    the most machines take them.
    """
    tags = [f"manylinux1_{machine}", f"manylinux2010_{machine}", f"manylinux2014_{machine}"]
    tags += [f"manylinux_2_{minor}_{machine}" for minor in range(OLDEST_LIBC, NEWEST_LIBC + 1)]
    return [f"--platform={tag}" for tag in tags]


def resolved(application: Application) -> list[Entry]:
    """The newest releases that fit, with the hash of the archive for each Python and machine."""
    no_wheel = [f"--no-binary={name}" for name in (*application.sources, *application.left_out)]
    found = {}
    for each in reported(["--only-binary=:all:", *no_wheel, *application.asked]):
        name, release = each["metadata"]["name"], each["metadata"]["version"]
        if canonicalize_name(name) not in application.left_out:
            own = {digest_of(each)} if canonicalize_name(name) in application.sources else set()
            found[canonicalize_name(name)] = Entry(name, release, own)
    pins = [f"{one.name}=={one.release}" for one in found.values() if not one.hashes]
    for minor in range(OLDEST[1], application.newest[1] + 1):
        for machine in MACHINES:
            target = ["--no-deps", "--only-binary=:all:", f"--python-version=3.{minor}", "--target=nowhere"]
            for each in reported([*target, *platforms(machine), *pins]):
                found[canonicalize_name(each["metadata"]["name"])].hashes.add(digest_of(each))
    return list(found.values())


def digest_of(reported_archive: Mapping[str, Any]) -> str:
    """The SHA-256 of an archive."""
    return str(reported_archive["download_info"]["archive_info"]["hashes"]["sha256"])


def main() -> int:
    """Compares, or writes with --write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", nargs="*", metavar="NAME", choices=APPLICATIONS, help="write them anew")
    write = parser.parse_args().write
    for name in [] if write is None else write or APPLICATIONS:
        application = APPLICATIONS[name]
        application.lock.write_text(written(resolved(application)), encoding="utf-8")
    said, count = [], 0
    for application in APPLICATIONS.values():
        lock = application.lock.read_text(encoding="utf-8") if application.lock.exists() else ""
        said += findings(application, lock)
        count += lock.count("==")
    return tree.finish("applications", said, f"{len(APPLICATIONS)} locks, {count} packages")


if __name__ == "__main__":
    sys.exit(main())
