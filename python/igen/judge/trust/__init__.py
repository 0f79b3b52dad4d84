"""Trust: which rules a run or a level broke, and what its figures are worth because of that.

- `rules.RULES`: THE table of rules; a rule that fired is a `finding.Finding`.
- `speed.at_usual_speed(curves)`: the runs, corrected to the usual speed of the machine.
- `validity.findings_of(run, floor_ns, aspects)`: what one run broke, but for what disturbed it.
- `price.disturbance_of(run)` and `trend.trend_of(runs)`: by how many percent a figure may be off. Their
  causes are no findings of their own: together they are the rule `disturbed`, by `validity.off`.
- `validity.is_disturbed(repeat) -> bool`: whether a fresh run shall take its place.

A new rule takes three steps:

1. a row with its limits in the module of `rules` that has its subject (`machine.CAUSES` if its effect has a
   price in percent);
2. the check that finds it: `load_checks` and `machine_checks` look at one run, `price` at what has a price,
   `curve.level` at all runs of a level, an aspect at what only its workload or target tells. What the agent
   must report for it is a fact;
3. a sentence in the module of `igen.say` that has its subject, with an example in `tests/say/examples`. A
   test names the rules that lack either.
"""
