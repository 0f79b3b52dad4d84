"""Conflicts between users of one database: work that was rolled back and run again."""
