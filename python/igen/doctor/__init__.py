"""The doctor: what a machine lacks as a place to measure, and what each lack costs.

`machine` gathers what is known of this one, `checks` is the list of what is looked at: pure functions of it.
"""
