"""Language, tokens, times, names: what can be read from a sentence without a model."""
