"""The base of every room: JSON and YAML, calls and cancellation, messages, docstrings, paths, processes that fork.

The package gathers nothing: import the module you need, so that no user pays for the others.
"""
