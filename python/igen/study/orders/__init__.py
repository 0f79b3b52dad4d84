"""Orders of executions: each decides from the results so far which execution is next."""
