"""What every room stands on: JSON and YAML, calls and cancellation, messages, docstrings, paths, processes that fork.

Nothing is gathered here: import the module you need, so that nobody pays for the others.
"""
