"""What a run is at, for browsers: one reader of its growing files, handed to all who look."""
