"""Monitors of machines that are not the load machine: read over ssh, or scraped."""
