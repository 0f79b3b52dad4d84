"""Conversion of a browser recording (HAR) into a scenario, without secrets and values from answers."""
