"""Chat logs to turns."""
