"""A browser's recording (HAR) becomes a scenario: without secrets, and without what answers have told."""
