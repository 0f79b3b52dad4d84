"""Trust: which rules a run or a level broke, and what its figures are worth because of that.

- `rules.RULES`: THE table of rules. A new rule is a row with its limits, a check that makes its
  `finding.Finding`, and a sentence in `igen.say`.
- `validity.findings_of(run, baseline, aspects)`: every check of a run in one list.
- `validity.is_disturbed(repeat) -> bool`: whether a fresh run shall take its place.
- `price.disturbance_of(run, baseline)`: by how many percent the undisturbed figure may be another one.
"""
