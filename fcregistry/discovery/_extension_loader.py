"""What does one extension provide? It is imported, and the hooks that ask for that are called. What goes wrong is recorded."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pluggy

from fcregistry._base import forks as _forks
from fcregistry._base.stdout import prints_to_stderr
from fcregistry.discovery import _implemented
from fcregistry.discovery._families import TypeFamilies
from fcregistry.discovery._found import FoundExtension
from fcregistry.discovery._implemented import call_hook, implemented, model_hook
from fcregistry.discovery._loader import own_part
from fcregistry.discovery._outcomes import FailedExtension, LoadedExtension
from fcregistry.errors import PluginError


def load_extension(extension: FoundExtension) -> LoadedExtension | FailedExtension | None:
    """Import one extension, and ask it what it provides.

    What it prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        extension: What was found.

    Returns:
        What became of it; None if its module is being imported just now, so that nobody knows yet.
    """
    _forks.count_forks()
    born = _forks.generation
    try:
        with prints_to_stderr():
            module = importlib.import_module(extension.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            hooks = implemented(_named(extension, module), extension.label, extension.value)
            types = TypeFamilies()
            hooks.fc_register_types(types=types)
        if _forks.generation != born:  # the extension has forked, and this is the child
            _forks.end_child()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: it may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        if _forks.generation != born:
            _forks.end_child(error)
        machinery = (__file__, _implemented.__file__, str(Path(pluggy.__file__).parent))
        return FailedExtension(extension=extension, error=error, traceback=own_part(error, *machinery))
    return LoadedExtension(
        extension=extension,
        families=tuple(types),
        call_hook=call_hook(hooks, extension.label),
        resolve_model=model_hook(hooks),
    )


def _named(extension: FoundExtension, module: Any) -> Any:
    """Return the module or object that an entry point names.

    Raises:
        PluginError: There is none of that name, or it is a class.
    """
    named = module
    for name in filter(None, extension.attribute.split(".")):
        try:
            named = getattr(named, name)
        except AttributeError as error:
            raise PluginError(
                f"{extension.label} names {extension.value}, and there is no {name!r} in {extension.module}"
            ) from error
    if isinstance(named, type):
        raise PluginError(
            f"{extension.label} names the class {extension.attribute}; name an instance of it, or a module"
        )
    return named
