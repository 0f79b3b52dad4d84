"""Where agents run. Knows how to start, hear, command and end them; what they say is for others to judge.

- `agent`: finds the agent and asks it short questions: is this job right, which workloads are there
- `local`: runs one job on one agent of this machine
- `together`: runs one job on several agents: `coordinator` decides, a `transport` carries (`processes`
  of this machine), `lockstep` and `merge` make one stream of events of theirs
- `interrupts`: turns Ctrl-C into something that a loop can wait for
"""
