"""Everything that can be asked of a run, described once.

`asked.Asked` has a field for each question: its type, its option, its help, and its path in a job. Options of
the command line, fields of the console's form, keywords of `igen.run` and short keys of a study
(`users = [1, 2]`) are made of these fields. `load` lays answers over a job, `study` makes a study of them,
and `command` writes the command line.
"""
