"""Aspects: what one kind of system under test, or of workload, adds to the judgement.

Each is a folder, and one word in the list `aspects.ASPECTS`: `aspect` names its functions, `parts` holds what
it adds to the result (and imports no arithmetic library), the other files measure it and say it in sentences.
"""
