"""L1: raw turns in Redis for 72 hours."""
