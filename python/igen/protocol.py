"""The versions of what the agent says: of the protocol between agent and judge."""

PROTOCOL = 3
"""What agents of this release say, and what igen says to them."""
READABLE = (1, 2, 3)
"""What is understood where it was recorded."""
