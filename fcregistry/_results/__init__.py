"""What a call gives back, and what a tool knows of its call: content, results, context."""
