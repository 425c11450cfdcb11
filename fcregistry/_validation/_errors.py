"""What is raised for a schema that is none?"""

from __future__ import annotations


class SchemaError(ValueError):
    """A schema that no validator can be made of; the message says why."""
