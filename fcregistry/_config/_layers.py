"""What do all layers say, and which stands above which?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fcregistry._config._environment import CONFIG, environment_layer
from fcregistry._config._files import named_layer, nearest_lock, project_layer, system_layer, user_layer

if TYPE_CHECKING:
    from fcregistry._config._layer import Layer


def configuration() -> tuple[Layer, ...]:
    """Return what files and variables say now, those that say anything: system, user, project, the file of `FCREGISTRY_CONFIG`, variables.

    A file is read again when its time or size has changed; where there is none, this asks the system whether it is there, and no more.

    Raises:
        ConfigurationError: One of them cannot be read.
    """
    named = os.environ.get(CONFIG)
    layers = (
        system_layer(),
        user_layer(),
        project_layer(),
        named_layer(named, CONFIG) if named else None,
        environment_layer(),
    )
    return tuple(layer for layer in layers if layer is not None)


def project_lock() -> str:
    """Return the path of the project's lock, whether it is there or not.

    It is the one that the project's file names, or else stands beside that. Without such a file, it is the nearest one above the working
    folder, or would stand there.

    Raises:
        ConfigurationError: The project's file cannot be read.
    """
    project = project_layer()
    return nearest_lock() if project is None or project.lock is None else project.lock


def call_hook_items() -> tuple[tuple[str, str], ...]:
    """Return the extensions whose hooks every call has to pass, the higher layers' first, each once, with where it is named.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    named: dict[str, str] = {}
    for layer in configuration():
        for said, name in layer.call_hooks:
            named.setdefault(name, said)
    return tuple((said, name) for name, said in named.items())


def call_hook_names() -> tuple[str, ...]:
    """Return the same without where it is named."""
    return tuple(name for _, name in call_hook_items())
