"""Which families of models write calls in their text? A row each, in the file of the syntax that they use."""
