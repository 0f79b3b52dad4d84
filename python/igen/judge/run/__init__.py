"""Run: what one execution did, and which part of it counts.

- `measured.measure(recording) -> MeasuredRun`: its `is_unsteady` says whether a live level shall be extended.
- `measured.measure_level(recordings, value) -> list[MeasuredRun]`: all executions of one load, cut alike.
- `offered.Offered`: what was offered, sent and served of an open or paced load, and its one state.
"""
