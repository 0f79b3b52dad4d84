"""Published results as data, and a run beside those of the same work."""
