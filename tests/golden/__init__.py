"""Recorded events of each workload, and what becomes of them: all the way from events to a report.

- `recorded/NAME.jsonl.xz`: a run as the store had it, without what tells of one machine;
  `python -m tests.golden.record [NAME ...]` records it anew, which takes the agent and the servers.
- `expected/NAME.json.xz`: the result, rounded; `expected/NAME.txt`: the report on a terminal.
  `IGEN_UPDATE_SNAPSHOTS=1 pytest tests/golden` writes both anew: look at the difference.
"""
