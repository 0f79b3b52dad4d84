"""Did the machine run as it always does, and did load and server share it?"""

from __future__ import annotations

from igen.facts import CPU_GOVERNOR, CPU_SMT, CPU_TURBO
from igen.judge.record.target import Place
from igen.judge.result import System
from igen.lint.finding import Finding, Found, NotKnown
from igen.lint.subject import fact, place_of

FASTEST = "performance"
MACHINE_FACTS = {
    CPU_GOVERNOR: "the frequency governor",
    CPU_TURBO: "turbo",
    CPU_SMT: "simultaneous multithreading",
}
"""What is to be the same on both sides of a comparison, by fact."""


def governor(system: System) -> Found:
    """Who chooses the processors' clock."""
    told = fact(system, CPU_GOVERNOR)
    if told is None:
        if system.facts:
            yield NotKnown(why="the host does not tell")
    elif told != FASTEST:
        yield Finding(
            found=f"the frequency governor is {told}",
            matters="processors change their clock with the load: low loads look slower than they are",
            remedy="sudo cpupower frequency-set -g performance",
        )


def turbo(system: System) -> Found:
    """Whether processors are faster while few of them work."""
    told = system.facts.get(CPU_TURBO)
    if told is None:
        if system.facts:
            yield NotKnown(why="the host does not tell")
    elif told is True:
        yield Finding(
            found="turbo is on",
            matters="processors are faster while few of them work and while they are cool",
            remedy="turn it off, or publish that it was on",
        )


def shared_processors(system: System) -> Found:
    """Whether the load took the processors of what was loaded."""
    if place_of(system) is not Place.LOCAL:
        return
    used = [
        level.resources.driver_cpu_percent
        for level in system.levels
        if level.resources.driver_cpu_percent is not None
    ]
    most = f", of which it took up to {max(used):.0f} %" if used else ""
    yield Finding(
        found=f"load and server share the processors of one machine{most}",
        matters="a server alone on its machine does more, and its peak lies at another load",
        remedy="load it from another machine, or publish that both were on one",
        said_by=("driver-busy",),
    )
