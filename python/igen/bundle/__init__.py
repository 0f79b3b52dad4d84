"""Bundles: what a published figure rests on, in one file.

`contents` says what is in one, `pack` writes it and `unpack` reads it, `frame` is the end that shows every
changed byte; `verify` recomputes the result, and `reproduce` measures it again.
"""
