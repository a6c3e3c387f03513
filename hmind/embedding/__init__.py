"""Sentence vectors: the Embedder protocol and its implementations."""
