"""Users for each watt and for each rack unit."""
