"""The queue of a store: studies that wait their turn, one file each, worked off by one runner.

- `entry`: one study in the queue, and its states
- `folder`: the files of the queue, each there whole or not at all
- `order`: the places of entries, so that a move writes one file
- `times`: what a user says of when
- `steps`: what is to be done next, as pure functions over entries and a clock given by the caller
- `changes`: what a user may do with entries
- `study_process`: a study as a process of its own, which outlives the runner
- `unseen`: jobs whose runner was killed, by their runs in the store
- `runner`: works the queue off
- `listing`: all that is in it, for a table or a program
"""
