"""Caches of applications that tell how often they had the answer."""
