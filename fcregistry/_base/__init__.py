"""The base of every room: JSON, YAML, calls, cancellation, messages, docstrings, paths, forks.

The package gathers nothing: import the module you need, so that no user pays for the others.
"""
