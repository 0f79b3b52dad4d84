"""Table scans, in the quantities of the published table."""
