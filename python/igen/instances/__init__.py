"""Private servers of one's own: made, started, listed and stopped by their id."""
