"""The sections of a report: each a function from a result to a section, or to nothing."""
