"""What a run is at, told to others while it goes: an OpenMetrics endpoint and an OpenTelemetry collector."""
