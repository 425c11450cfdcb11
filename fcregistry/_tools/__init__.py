"""Tools: how they are declared, defined, named, selected and searched."""
