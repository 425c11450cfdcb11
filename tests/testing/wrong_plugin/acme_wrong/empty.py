"""Ships no tools."""
