"""From a measured curve to racks, kilowatts and money: what other machines would change in a data centre.

Pure functions over numbers that know where they come from.

- `plan_file.read_plan(path, curve_of_run) -> Plan`: the file, each number with its source.
- `estimate.estimate(plan) -> Estimated`: every answer as a range, with the guesses that it rests on.
- `from_runs.plan_text(runs) -> str`: a file from recorded runs, its unknown numbers marked.
"""
