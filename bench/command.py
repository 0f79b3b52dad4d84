"""The command line of the benches."""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys

from bench import (
    bank,
    console,
    engine,
    fleet,
    history,
    http,
    hyperfine,
    io,
    judge,
    ldap,
    load,
    machine,
    mem,
    oltp,
    punctual,
    replication,
    threads,
    tools,
    validity,
)
from bench.outcome import Outcome
from bench.process import ROOT

BENCHES = {
    "engine": engine.measure,
    "oltp": oltp.measure,
    "bank": bank.measure,
    "load": load.measure,
    "ldap": ldap.measure,
    "http": http.measure,
    "io": io.measure,
    "mem": mem.measure,
    "judge": judge.measure,
    "history": history.measure,
    "hyperfine": hyperfine.measure,
    "console": console.measure,
    "fleet": fleet.measure,
    "punctual": punctual.measure,
    "replication": replication.measure,
    "threads": threads.measure,
    "tools": tools.measure,
    "validity": validity.measure,
}
RESULTS = ROOT / "bench" / "results"


def main() -> int:
    """Runs one bench; the last line printed is its JSON."""
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__)
    parser.add_argument("name", nargs="?", choices=list(BENCHES), help="what to measure")
    parser.add_argument("--quick", action="store_true", help="shorter runs; bench/results stays as it is")
    parser.add_argument("--list", action="store_true", help="name the benches")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(BENCHES))
        return 0
    if arguments.name is None:
        parser.error("name one bench")
    subprocess.run(["make", "--silent", "setup"], cwd=ROOT, check=True, stdout=sys.stderr)
    described = machine.description()
    try:
        outcome = BENCHES[arguments.name](quick=arguments.quick)
    except RuntimeError as error:
        print(f"bench/run: {error}", file=sys.stderr)
        return 1
    page = render(outcome, described, quick=arguments.quick)
    print(page)
    if not arguments.quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{outcome.bench}.md").write_text(page, encoding="utf-8")
    print(outcome.json_line())
    return 0


def render(outcome: Outcome, described: dict[str, str], *, quick: bool) -> str:
    """The result as a page."""
    form = "quick" if quick else "full"
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    facts = "".join(f"- {name}: {value}\n" for name, value in described.items())
    command = f"bench/run {outcome.bench}{' --quick' if quick else ''}"
    return f"# {outcome.bench}\n\n`{command}`, {form} form, {date}\n\n{facts}\n{outcome.markdown()}"
