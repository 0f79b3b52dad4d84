"""Programs as a load: what their executions leave behind."""
