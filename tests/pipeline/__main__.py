"""`python -m tests.pipeline [--studies N] [NAME ...]`: judges synthetic studies against their goals."""

from __future__ import annotations

import argparse

from tests.pipeline.budget import BUDGET
from tests.pipeline.questions import QUESTIONS
from tests.pipeline.rates import goals_of, rates_of
from tests.pipeline.scenarios import SCENARIOS


def main() -> None:
    """All scenarios whose names contain one of the words, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.pipeline", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of scenarios")
    parser.add_argument("--studies", type=int, default=50, help="of each scenario")
    parser.add_argument("--first", type=int, default=0, help="number of the first study")
    arguments = parser.parse_args()
    for scenario in (*SCENARIOS, *BUDGET, *QUESTIONS):
        if arguments.names and not any(name in scenario.name for name in arguments.names):
            continue
        rates = rates_of(scenario, arguments.studies, arguments.first)
        print(f"\n{scenario.name}: VALID {rates.valid.share:.3f}, ", end="")
        print(f"flagged {rates.flagged.share:.3f}, other system {rates.other_flagged.share:.3f}")
        for kind, found in (("covered", rates.coverage), ("claimed", rates.claims)):
            print(f"  {kind}:", *(f"{name} {rate.share:.3f} ({rate.n})" for name, rate in found.items()))
        print(f"  any claim: {rates.found.share:.3f} ({rates.found.n})")
        print(f"  ratios covered: {rates.ratios.share:.3f} ({rates.ratios.n})")
        print("  off:", *(f"{name} {100 * off.share:+.2f} %" for name, off in rates.off.items()))
        for goal in goals_of(scenario, rates):
            word = "met" if goal.met else "missed by chance" if goal.met_but_for_chance else "MISSED"
            print(f"  {word} {goal.name}: {goal.value:.4g} {goal.goal}")
        for word, counted in (("reason", rates.reasons), ("claim", rates.texts)):
            for text, count in counted.most_common(3):
                print(f"  {word} {count} ×: {text}")


if __name__ == "__main__":
    main()
