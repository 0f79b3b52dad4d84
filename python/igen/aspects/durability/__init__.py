"""What a database wrote to its log, and whether it has stored what it acknowledged."""
