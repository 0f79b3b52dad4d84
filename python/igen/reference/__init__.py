"""Built-in sets of published results: a TOML file each, facts only."""
