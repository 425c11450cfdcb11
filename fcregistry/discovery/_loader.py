"""What happens when one plugin is imported? Whatever it does wrong is recorded; nothing of it reaches the others."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from time import perf_counter

from fcregistry._declarations import Declaration
from fcregistry.discovery._finder import FoundPlugin
from fcregistry.discovery._named import NamedTools
from fcregistry.discovery._outcomes import FailedPlugin, LoadedPlugin
from fcregistry.discovery._prints import prints_to_stderr


def load(plugin: FoundPlugin, is_owned: Callable[[Declaration], bool]) -> LoadedPlugin | FailedPlugin | None:
    """Import one plugin, and declare what its entry point names.

    What it prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        plugin: What was found.
        is_owned: Whether a declaration is some plugin's by the module that made it.

    Returns:
        What became of it; None if this very thread is importing its module already, so that nobody knows yet.
    """
    start = perf_counter()
    try:
        with prints_to_stderr():
            module = importlib.import_module(plugin.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            if plugin.attribute:
                NamedTools(plugin, is_owned).declare(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: a plugin may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        return FailedPlugin(
            plugin=plugin, seconds=perf_counter() - start, error=error, traceback=own_part(error, __file__)
        )
    return LoadedPlugin(plugin=plugin, seconds=perf_counter() - start)


def own_part(error: BaseException, *machinery: str) -> str:
    """Return the traceback without the frames that stand between us and the first line of foreign code.

    Args:
        error: What foreign code raised.
        machinery: The files, or folders, of what stands between.
    """
    frame = error.__traceback__
    while frame is not None and _is_machinery(frame.tb_frame.f_code.co_filename, machinery):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame))


def _is_machinery(filename: str, machinery: tuple[str, ...]) -> bool:
    return filename.startswith(machinery) or "importlib" in filename
