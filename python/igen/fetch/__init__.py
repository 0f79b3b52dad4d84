"""Fetching what iGen neither contains nor compiles, by pip: always one release, compared with its hash."""
