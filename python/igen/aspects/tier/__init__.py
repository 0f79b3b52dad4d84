"""Whose processor time and whose memory: the tiers that serve together."""
