"""H-Mind: long-term memory for AI agents."""
