"""Content, results, and the context of a call."""
