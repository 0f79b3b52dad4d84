"""Studies: what to run in which order, run it, and hand the recordings to the judge.

- `study`: a study as a user writes it; `plan`: what may be asked of its plan; `plans`: one for each mode
- `levels`: its levels, each a job that the agent has checked; `segment`: the job of one of a torture
- `planned`: the levels that are known beforehand; `targets`: patterns that stand for several targets
- `order`: an execution, and what an order concludes from it; `orders`: the orders of the plans
- `runner`: runs a plan into the store; `listener`: what happens with each event while it does
- `observer`: who is told about it; `results`: recorded runs as a result document
"""
