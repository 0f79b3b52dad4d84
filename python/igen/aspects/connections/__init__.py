"""Connections to web servers: which version of HTTP they speak, and how many are made."""
