"""Checks of honesty: what makes a figure look better than it is, or leaves a reader unable to tell.

`checks` is the list; each family of checks is a file of pure functions over the result document. What the
facts do not tell is told as not known, never guessed.
"""
