"""Private servers: created, started, listed and stopped by their id."""
