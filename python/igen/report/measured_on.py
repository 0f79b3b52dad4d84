"""What a reader needs to judge a figure at first sight: the machine, the versions and the command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.document import Phrase, Words
from igen.facts import (
    CPU_MODEL,
    CPU_PROCESSORS,
    HOST_OPERATING_SYSTEM,
    KERNEL_RELEASE,
    MEMORY_TOTAL_BYTES,
    TARGET_VERSION,
)
from igen.judge.result import Result, System
from igen.report.reproduce import command
from igen.units import counted, format_bytes


def measured_on(result: Result) -> list[Words]:
    """Return a line for each machine with its versions, and the command that repeats the first system."""
    machines = dict.fromkeys(" · ".join(_machine(system)) for system in result.systems)
    measured = [system for system in result.systems if system.levels]
    return [*(line for line in machines if line), *([_command(measured)] if measured else [])]


def _machine(system: System) -> Iterator[str]:
    """Yield what is known of processors, memory, operating system, servers and iGen."""
    facts = system.facts
    processors, memory = facts.get(CPU_PROCESSORS), facts.get(MEMORY_TOTAL_BYTES)
    model, kernel = facts.get(CPU_MODEL), facts.get(KERNEL_RELEASE)
    if processors is not None:
        # Cores of one machine may be of several models.
        names = " + ".join(model) if isinstance(model, list) else model
        yield f"{counted(processors, 'processor')}{f' {names}' if names else ''}"
    if memory is not None:
        yield format_bytes(memory)
    if (name := facts.get(HOST_OPERATING_SYSTEM)) is not None:
        yield str(name)
    if kernel is not None:
        yield f"kernel {kernel}"
    for name, version in facts.items():
        if (kind := TARGET_VERSION.part(name)) is not None:
            yield f"{kind} {version}"
    if system.igen_version:
        yield f"iGen {system.igen_version}"


def _command(systems: Sequence[System]) -> Words:
    """Return the command of the first system, and a link to the others."""
    words: list[str | Phrase] = [Phrase(command(systems[0]).partition("\n")[0], "code")]
    if len(systems) > 1:
        words += [" ", Phrase(f"and {counted(len(systems) - 1, 'more command')}", link="#disclosure")]
    return words
