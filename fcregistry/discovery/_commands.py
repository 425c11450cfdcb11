"""The commands that installed packages add to the command line: what each name means, and loading one.

Names work as those of tools do: the canonical id `distribution:name` always means one command. The plain name means fcregistry's own command if
there is one, or else that of the only distribution that has it, or of the one with precedence. Nothing is imported before a command is called.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from fcregistry._base.paths import cache_folder
from fcregistry._version import __version__
from fcregistry.discovery._finder import stamp_of
from fcregistry.discovery._found import FoundCommand
from fcregistry.discovery._permission import Permission
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import ModuleType

    from fcregistry.discovery._report import FailedEntryPoint


class Commands:
    """The commands of installed packages, by name.

    Args:
        found: Returns the installed commands.
        built_in: The names of fcregistry's own commands, which no package can take; empty in a program.
    """

    def __init__(self, found: Callable[[], tuple[FoundCommand, ...]], built_in: Collection[str] = ()) -> None:
        self._found = found
        self.built_in = built_in

    def by_name(self) -> dict[str, FoundCommand]:
        """Return the usable commands, sorted by the name that calls each.

        This name is the plain name, or the id if the plain name calls another command or none.
        """
        permission = Permission()
        usable: dict[str, list[FoundCommand]] = {}
        for each in self._found():
            if self.refusal(each, permission) is None:
                usable.setdefault(each.entry_point, []).append(each)
        named: dict[str, FoundCommand] = {}
        for name, found in usable.items():
            first = (
                found[0].distribution if len(found) == 1 else permission.preferred(each.distribution for each in found)
            )
            meant = None if name in self.built_in else first
            named |= {name if each.distribution == meant else each.id: each for each in found}
        return dict(sorted(named.items()))

    def get(self, name: str) -> FoundCommand | None:
        """Return the command that a plain name or an id means, or None if no package has such a command.

        Raises:
            PluginError: The command must not be imported, or the plain name means commands of several packages.
        """
        named = [each for each in self._found() if name in (each.entry_point, each.id)]
        if not named:
            return None
        usable, permission = self.by_name(), Permission()
        ids = [key for key, each in usable.items() if each in named]
        if name not in usable and len(ids) > 1:
            raise PluginError(f"the command {name!r} may be any of {', '.join(ids)}; name one of these")
        meant = usable.get(name, named[0])
        if reason := self.refusal(meant, permission) or permission.to_import(meant):
            raise PluginError(f"the command {meant.id} is not loaded: {reason}")
        return meant

    def refusal(self, command: FoundCommand, permission: Permission) -> str | None:
        """Return the reason that no name calls `command`, or None if a name calls it.

        Args:
            command: The command.
            permission: What the configuration allows.
        """
        name = command.entry_point
        if not (name.isascii() and name[:1].isalnum() and name.replace("_", "a").replace("-", "a").isalnum()):
            return f"{name!r} is not the name of a command: letters, digits, '_' and '-', and a letter or digit first"
        if sum(each.key == command.key for each in self._found()) > 1:
            return f"{command.distribution} has two entry points of this name"
        return permission.to_describe(command)


# --- Lists of commands ---

_FIELDS: Final = ("distribution", "version", "entry_point", "value", "folder", "info")
"""The attributes of a command that the file of commands has."""


def listed_commands(
    built_in: Collection[str], found: Callable[[], tuple[FoundCommand, ...]]
) -> dict[str, FoundCommand]:
    """Return the usable commands by name, for lists; a file keeps them.

    Finding the commands among a thousand distributions takes longer than everything else that `--help` does, so a file in the cache folder
    keeps the commands that were found. It is used until a folder of `sys.path` changes its time, as `importlib.metadata` does with its cache.

    Args:
        built_in: The names of fcregistry's own commands.
        found: Returns the installed commands.
    """
    folder, finders = cache_folder(), [each for each in sys.meta_path if hasattr(each, "find_distributions")]
    if folder is None or len(finders) > 1:  # there is no file, or distributions may be in no folder
        return Commands(found, built_in).by_name()
    path = f"{folder}/commands-{crc32(f'{sys.prefix}{sys.path}'.encode('utf-8', 'replace')):08x}.txt"
    state = "\0".join([__version__, *(f"{each}\0{stamp_of(each or os.curdir)}" for each in sys.path), "\0"])
    text = ""
    if os.path.isfile(path):  # opening a pipe would wait
        with suppress(OSError), open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(2**20)  # a command takes some 200 characters
    fields = text.removeprefix(state).split("\0")
    if text.startswith(state) and len(fields) % len(_FIELDS) == 1:
        kept = tuple(FoundCommand(*row) for row in zip(*[iter(fields[:-1])] * len(_FIELDS), strict=True))
    else:
        kept = found()
        state += "".join(f"{getattr(each, name)}\0" for each in kept for name in _FIELDS)
        with suppress(OSError):  # the next list finds them again
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with open(f"{path}.{os.getpid()}", "x", encoding="utf-8", errors="surrogateescape") as file:
                file.write(state)
            os.replace(file.name, path)
    return Commands(lambda: kept, built_in).by_name()


# --- Loading a command ---


def load_command(found: FoundCommand) -> object | FailedEntryPoint:
    """Import the module of a command, and return the click command, or a `FailedEntryPoint`.

    What the module prints goes to stderr.

    Args:
        found: The entry point, which the configuration allows to be imported.

    Raises:
        KeyboardInterrupt: The user interrupted the import.
    """
    from fcregistry.discovery._loader import ImportFailure, import_and_use, named_object
    from fcregistry.discovery._report import FailedEntryPoint

    def click_command(module: ModuleType) -> object:
        named = named_object(found, module)
        click = sys.modules.get("click")  # the module of a command has imported it
        if click is None or not isinstance(named, click.Command):
            what = f"{found.label} names {found.value}, which is of the type {type(named).__name__}"
            raise PluginError(f"{what}; its entry point names a click command, as MODULE:NAME")
        return named

    done = import_and_use(found, click_command)
    if done is None:
        done = ImportFailure(PluginError(f"{found.module} is being imported just now"), "")
    if isinstance(done, ImportFailure):
        return FailedEntryPoint(found=found, error=done.error, traceback=done.traceback)
    return done
