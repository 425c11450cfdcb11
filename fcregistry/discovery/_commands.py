"""The commands that installed packages add to the command line: what each name means, and loading one.

Names work as those of tools do: the canonical id `distribution:name` always means one command. The plain name means fcregistry's own command if
there is one, or else that of the only distribution that has it, or of the one with precedence. Nothing is imported before a command is called.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fcregistry._tools.selectors import normalized
from fcregistry.discovery._permission import Permission
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from contextlib import AbstractContextManager
    from types import ModuleType

    from fcregistry.discovery._found import FoundCommand
    from fcregistry.discovery._report import FailedCommand


class Commands:
    """The commands of installed packages, by name.

    Args:
        found: Returns the installed commands.

    Attributes:
        built_in: The names of fcregistry's own commands, which no package can take; empty in a program.
    """

    def __init__(self, found: Callable[[], tuple[FoundCommand, ...]]) -> None:
        self.built_in: Collection[str] = ()
        self._found = found

    def by_name(self) -> dict[str, FoundCommand]:
        """Return the usable commands by the name that calls each: the plain name or, if that means another one, the id."""
        permission = Permission()
        by_plain_name: dict[str, list[FoundCommand]] = {}
        for each in self._found():
            if self.refusal(each, permission) is None:
                by_plain_name.setdefault(each.entry_point, []).append(each)
        named: dict[str, FoundCommand] = {}
        for name, usable in by_plain_name.items():
            meant = self._meant(name, usable, permission)
            named |= {name if each is meant else each.id: each for each in usable}
        return dict(sorted(named.items()))

    def get(self, name: str) -> FoundCommand | None:
        """Return the command that a plain name or an id means, or None if no package has such a command.

        Raises:
            PluginError: The command must not be imported, or several packages have one of this name.
        """
        distribution, colon, plain = name.rpartition(":")
        named = [each for each in self._found() if each.entry_point == plain]
        if colon:
            named = [each for each in named if each.project == normalized(distribution)]
        if not named:
            return None
        permission = Permission()
        usable = [each for each in named if self.refusal(each, permission) is None]
        meant = (usable or named)[0] if colon or not usable else self._meant(plain, usable, permission)
        if meant is None:
            ids = ", ".join(each.id for each in usable)
            raise PluginError(f"the command {name!r} may be any of {ids}; name one of these")
        if reason := self.refusal(meant, permission) or permission.to_import(meant):
            raise PluginError(f"the command {meant.id} is not loaded: {reason}")
        return meant

    def refusal(self, command: FoundCommand, permission: Permission) -> str | None:
        """Return the reason that no name calls a command, or None.

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

    def _meant(self, name: str, usable: list[FoundCommand], permission: Permission) -> FoundCommand | None:
        """Return the one of the usable commands of a plain name that the name means, or None."""
        if name in self.built_in:
            return None
        if len(usable) == 1:
            return usable[0]
        first = permission.preferred(each.distribution for each in usable)
        return next((each for each in usable if each.distribution == first), None)


def load_command(
    found: FoundCommand, prints: Callable[[], AbstractContextManager[object]] | None = None
) -> object | FailedCommand:
    """Import the module of a command, and return the click command, or why there is none.

    Args:
        found: The entry point; `Commands.get` has returned it.
        prints: Returns the context that redirects what the module prints; by default, it goes to stderr.

    Raises:
        KeyboardInterrupt: The user interrupted it.
    """
    from fcregistry._base.stdout import prints_to_stderr
    from fcregistry.discovery._loader import Failure, import_and_use, named_object
    from fcregistry.discovery._report import FailedCommand

    def click_command(module: ModuleType) -> object:
        named = named_object(found, module)
        click = sys.modules.get("click")  # not imported by fcregistry here: it has to be imported if this is a command
        if click is None or not isinstance(named, click.Command):
            kind = "class" if isinstance(named, type) else type(named).__name__
            raise PluginError(
                f"{found.label} names {found.value}, which is of the kind {kind}; its entry point names a click command, as MODULE:NAME"
            )
        return named

    done = import_and_use(found, click_command, prints or prints_to_stderr)
    if done is None:
        done = Failure(PluginError(f"{found.module} is being imported just now"), "")
    if isinstance(done, Failure):
        return FailedCommand(command=found, error=done.error, traceback=done.traceback)
    return done
