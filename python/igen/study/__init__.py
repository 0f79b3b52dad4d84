"""Studies: what to run in which order, run it, and hand the recordings to the judge.

- `study`: a plan as a user writes it; `plan`: its levels, each a job that the agent has checked
- `order`: the order of the executions; `peak`: the executions that a search asks for
- `runner`: runs a plan into the store; `listener`: what happens with each event while it does
- `observer`: who is told about it; `results`: recorded runs as a result document
"""
