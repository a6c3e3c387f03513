"""From a closed segment to events: the analysts, and the step that runs one of them."""
