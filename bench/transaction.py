"""A workload's database transaction as its peers run it: iGen's own statements, between BEGIN and COMMIT."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

from bench.process import ROOT

WORKLOADS = ROOT / "crates" / "igen-workloads" / "src"
LIST = re.compile(r"const STATEMENTS: &\[&str\] = &\[\n(.*?)\n\];", re.DOTALL)
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
LITERAL = re.compile(r'"([^"]*)"')
CONTINUATION = re.compile(r"\\\n\s*")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A variable of one transaction, drawn or computed anew each time, in the peers' languages."""

    pgbench: str
    lua: str


def uniform(low: int, high: int) -> Drawn:
    """Any integer from `low` to `high`, all alike. sysbench draws no negative ones: it adds `low`."""
    return Drawn(f"random({low}, {high})", f"sysbench.rand.uniform(0, {high - low}) + {low}")


def constant(value: int) -> Drawn:
    """The same in each transaction."""
    return Drawn(str(value), str(value))


@dataclass(frozen=True, slots=True)
class Transaction:
    """What peers need to do the same as a workload of iGen."""

    workload: str
    variables: Mapping[str, Drawn]
    """In the order in which they are drawn; one may use those before it."""
    parameters: tuple[tuple[str, ...], ...]
    """For each statement the variables that its placeholders stand for."""
    mended_by: tuple[str, ...] = ()
    """SQL that removes what its peers leave too much, before each run of either side."""

    def steps(self) -> list[tuple[str, tuple[str, ...]]]:
        """Each statement with its parameters. Raises RuntimeError when they do not fit each other."""
        source = (WORKLOADS / self.workload / "statements.rs").read_text(encoding="utf-8")
        steps = list(zip_longest(statements(source), self.parameters))
        for statement, parameters in steps:
            if statement is None or parameters is None or statement.count("?") != len(parameters):
                raise RuntimeError(f"{self.workload}: statement {statement!r} with parameters {parameters}")
        return steps


def statements(source: str) -> list[str]:
    """The strings of the constant `STATEMENTS` in a Rust source.

    They have no escapes but the continuation of a line; comments are lines of their own.
    """
    found = LIST.search(source)
    if not found:
        raise RuntimeError("the source has no constant STATEMENTS")
    text = CONTINUATION.sub("", COMMENT.sub("", found[1]))
    return LITERAL.findall(text)
