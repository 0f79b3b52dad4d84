"""Studies: what to run in which order, run it, and hand the recordings to the judge.

- `study`: a plan as a user writes it; `levels`: its levels, each a job that the agent has checked
- `planned`: the levels that are known beforehand; `targets`: patterns that stand for several targets
- `order`: the order of the executions; `peak`: the executions that a search asks for; `scaling`: those of a
  study of 1, 2, ... instances
- `runner`: runs a plan into the store; `listener`: what happens with each event while it does
- `observer`: who is told about it; `results`: recorded runs as a result document
"""
