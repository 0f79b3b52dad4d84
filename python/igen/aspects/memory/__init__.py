"""Bandwidth and latency of memory, by kernel and by size of the arrays."""
