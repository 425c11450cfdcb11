"""What is raised for a schema that is none?"""

from __future__ import annotations


class SchemaError(ValueError):
    """A schema that no validator can be made of; the message says why."""


class PatternError(SchemaError):
    """A pattern that the linear-time engine does not take."""
