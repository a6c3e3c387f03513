"""From the event pool to long-term memory: the routing and the step that does it."""
