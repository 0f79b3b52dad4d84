"""A run of many hours that is cut into segments, each of them verified."""
