"""Databases in the load process that let one connection write at a time."""
