"""Where something ended: from a window of turns to closed segments."""
