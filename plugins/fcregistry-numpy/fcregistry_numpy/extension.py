"""The extension for fcregistry: the codecs of numpy's types; fcregistry finds it by its entry point."""

from __future__ import annotations

from fcregistry import hookimpl
from fcregistry.discovery import TypeFamilies

from fcregistry_numpy._annotations import read

__all__ = ["fc_register_types"]


@hookimpl
def fc_register_types(types: TypeFamilies) -> None:
    """Add the reader of numpy's types to `types`."""
    types.add(read)
