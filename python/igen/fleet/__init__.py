"""Where agents run. Knows how to start, hear, command and end them; what they say is for others to judge.

- `agent`: finds the agent and asks it short questions: is this job right, which workloads are there
- `local`: runs one job on this machine
- `interrupts`: turns Ctrl-C into something that a loop can wait for
"""
