"""Live state of a run for browsers: one reader of its growing files serves all viewers."""
