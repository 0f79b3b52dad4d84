"""Curve: the levels of one system, its named points, and what to run next.

- `judged_runs.judged_runs(runs, …)`: what each run of a level broke, and which of them count.
- `spreads.level_spreads(levels)`: how much runs differ, known from all levels of the curve.
- `level.level_of(runs, spreads, aspects) -> Level`: a point of the curve, with its verdict.
- `points.named_points(levels, load_model)`: peak, sweet spot, knee, the last one within a limit.
- `observations.observations_of(system, aspects)`: what a reader should know of it.
- `sweep.enough(run_means) -> bool`: whether the repeats of a level are precise enough.
- `sweep.PeakSearch(first, largest, noise).next(searched, confirmed) -> list[Request]`: what to run next,
  nothing when done. Both are lists of (users, [throughput, ...]) in the order in which they ran.
- `laws`: scaling laws, held against levels that they have not seen.
"""
