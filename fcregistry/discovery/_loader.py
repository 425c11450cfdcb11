"""What happens when one plugin is imported? Whatever it does wrong is recorded; nothing of it reaches the others."""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from time import perf_counter
from typing import Final

from fcregistry._base import forks as _forks
from fcregistry._base.stdout import prints_to_stderr
from fcregistry._tools.declaration import Declaration
from fcregistry.discovery._found import FoundPlugin
from fcregistry.discovery._named import NamedTools
from fcregistry.discovery._outcomes import FailedPlugin, LoadedPlugin


def load(
    plugin: FoundPlugin,
    is_owned: Callable[[Declaration], bool],
    prints: Callable[[], AbstractContextManager[None]] = prints_to_stderr,
) -> LoadedPlugin | FailedPlugin | None:
    """Import one plugin, and declare what its entry point names.

    What it prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        plugin: What was found.
        is_owned: Whether a declaration is some plugin's by the module that made it.
        prints: Looks after what it prints.

    Returns:
        What became of it; None if this very thread is importing its module already, so that nobody knows yet.
    """
    start = perf_counter()
    _forks.count_forks()
    born = _forks.generation
    try:
        with prints():
            module = importlib.import_module(plugin.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            if plugin.attribute:
                NamedTools(plugin, is_owned).declare(module)
        if _forks.generation != born:  # the plugin has forked, and this is the child
            _forks.end_child()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: a plugin may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        if _forks.generation != born:
            _forks.end_child(error)
        return FailedPlugin(plugin=plugin, seconds=perf_counter() - start, error=error, traceback=own_part(error))
    return LoadedPlugin(plugin=plugin, seconds=perf_counter() - start)


def own_part(error: BaseException, *machinery: str) -> str:
    """Return the traceback without the frames of importing, and of us: what is left is foreign code.

    Args:
        error: What foreign code raised.
        machinery: More files, or folders, of what stands between.
    """
    told = traceback.TracebackException.from_exception(error)
    _shorten(told, (_IMPORTLIB, _DISCOVERY, *machinery))
    return "".join(told.format())


_IMPORTLIB: Final = f"{os.path.dirname(importlib.__file__)}{os.sep}"
_DISCOVERY: Final = f"{os.path.dirname(__file__)}{os.sep}"


def _shorten(told: traceback.TracebackException, machinery: tuple[str, ...]) -> None:
    left = [each for each in told.stack if not each.filename.startswith(("<frozen importlib", *machinery))]
    told.stack = traceback.StackSummary.from_list(left)
    for other in (told.__cause__, told.__context__):
        if other is not None:
            _shorten(other, machinery)
