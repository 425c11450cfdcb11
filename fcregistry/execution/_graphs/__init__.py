"""How do calls run that a model wrote as expressions, of which some need the results of others?"""
