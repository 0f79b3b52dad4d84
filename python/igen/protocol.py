"""The version of the protocol between agent and judge."""

PROTOCOL = 4
"""What agents of this release say, what igen says to them, and what it reads of recordings."""
