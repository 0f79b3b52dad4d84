"""Judging: pure functions from recorded events to results that carry their own uncertainty.

Nothing is imported here, so that `igen.judge.result` costs nothing. What other packages call:

- `recording.recording_from_events(events, job_file="") -> Recording`: the lines of one jobs file as
  dictionaries, in order, cut off anywhere.
- `measured.measure(recording) -> MeasuredRun`: its `is_unsteady` says whether a live level shall be extended.
- `validity.is_disturbed(repeat) -> bool`: shall a fresh run take its place?
- `sweep.enough(run_means) -> bool`: are the repeats of this level precise enough?
- `sweep.PeakSearch(first=1, largest=4096, noise=0.02).next(searched, confirmed) -> list[Request]`: what to
  run next, nothing when done; `searched` and `confirmed` are lists of (users, [throughput, ...]) in the order
  in which they ran, an empty inner list where the level failed; `Request(purpose, users, runs)`.
- `analyse.analyse(recordings, floor=None, planned=None, intent=None, aspects=()) -> list[System]`: one
  recorded run, a system for each of the study's and for each point of its axes other than load; `floor` is
  the recording of `noop`, `planned` what is known without jobs, `intent` what the study asks of the judge,
  `aspects` (`igen.aspects.aspects.ASPECTS`) what is known of workloads and targets.
- `intent.Intent.of(study, reference) -> Intent`: response-time limit, who is compared with whom, published
  figures.
- `analyse.renamed(system, name, aspects=()) -> System`: its observations have the new name too.
- `analyse.result_of(systems, title="", aspects=()) -> Result`: the result document; the first system is the
  base of all ratios unless a study says otherwise.
- `compare.compare(systems, terms=None) -> Comparison(ratios, differences, findings, observations)`: used by
  `result_of`.
- `trust.rules.RULES`: THE table of rules; a rule that fired is a `trust.finding.Finding`. Words are made in
  `igen.say`.
- `result.aspect(level_or_system, Part) -> Part | None`: what one aspect has added.
"""
