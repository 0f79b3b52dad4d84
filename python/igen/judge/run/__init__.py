"""Run: what one execution did, and which part of it counts.

- `measured.measure(recording) -> MeasuredRun`: its `is_flat` says whether a live level needs no more time.
- `measured.measure_level(recordings, value) -> list[MeasuredRun]`: all executions of one load, cut alike.
- `offered.Offered`: what was offered, sent and served of an open or paced load, and its one state.
"""
