"""What `make check` runs beside the ordinary tools: one small module a check, exit code 1 on a finding."""
