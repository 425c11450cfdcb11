"""Which syntaxes of calls are there? A file each; families of models differ in the marks around them, and in the names they use."""
