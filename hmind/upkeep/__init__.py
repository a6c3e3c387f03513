"""What keeps memory healthy: sweeps, rescue, decay, eviction, expiry."""
