"""One question, all layers, every answer with its source."""
