"""Judging: pure functions from recorded events to results that carry their own uncertainty."""
