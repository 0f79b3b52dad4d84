"""What a study may do to the machine that runs it, to its files and to others: one list of fields.

A field that nobody has classified is dangerous. The console refuses what is dangerous unless its owner
allowed it, and `igen reproduce` marks it before a study of somebody else runs.
"""
