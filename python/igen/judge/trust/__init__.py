"""Trust: which rules a run or a level broke, and what its figures are worth because of that.

`rules` is THE table of rules; a `Finding` is a rule that fired, as data. Sentences are made in `igen.say`.
"""
