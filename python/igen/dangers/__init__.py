"""The dangers of a study to the machine that runs it, to its files and to other machines: one list of fields.

A field that is not classified is dangerous. The console refuses a dangerous study unless its owner
allowed it, and `igen publish reproduce` marks it before a study of somebody else runs.
"""
