"""Record: the lines of a jobs file as typed values, and which recordings belong to one curve.

- `recording.recording_from_events(events, job_file="") -> Recording`: the lines as dictionaries, cut
  off anywhere.
- `curves.curves_of(recordings)`: each system of a study, each value of an axis other than load.
"""
