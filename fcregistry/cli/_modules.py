"""The modules that a user names with `-m`: their import, and what is wrong with a module that cannot be imported."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable


def import_modules(modules: Iterable[str]) -> None:
    """Import modules: those that are installed, and those in the working folder.

    Raises:
        UsageError: One cannot be imported, or is not a name of a module.
    """
    sys.path.append(os.getcwd())  # noqa: PTH109  # pathlib would be the one import of its kind on the way to most commands
    for module in modules:
        _import(module)


def import_while_typing(ctx: click.Context) -> None:
    """Import the modules of a command line that is being typed, without a word on the terminal; skip those that fail."""
    from contextlib import redirect_stderr, suppress  # only completion comes here

    named = ctx.find_root().params.get("modules") or ()
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):  # noqa: PTH123  # as above
        for module in named:
            with suppress(click.UsageError):
                import_modules([module])


def _import(module: str) -> None:
    if not all(part.isidentifier() for part in module.split(".")) or module.endswith(".py"):
        parts = module.removesuffix(".py").replace(os.sep, "/").split("/")
        name = ".".join(part for part in parts if part.isidentifier())
        raise click.UsageError(f"-m takes the name of a module, not a file: -m {name or 'MODULE'}, not -m {module}")
    from fcregistry._base.stdout import prints_to_stderr  # with importlib.metadata, which --help does not need

    if hiding := _hiding(module.partition(".")[0]):
        raise click.UsageError(
            f"-m {module} means {hiding}, which is installed and hides the module of that name in this folder: rename the module here"
        )
    try:
        with prints_to_stderr():
            importlib.import_module(module)
    except (Exception, SystemExit) as error:  # the user's own code: whatever it raises on import, say where and stop
        what = f"{type(error).__name__}: {error}{_place(error)}"
        raise click.UsageError(f"the module {module!r} cannot be imported: {what}") from error


def _hiding(name: str) -> str | None:
    """Return the file of an installed module that hides one of the working folder; None if there is none.

    Installed modules come first: otherwise a file in the folder could replace a module of an installed package.
    """
    here = os.getcwd()  # noqa: PTH109  # likewise
    own = next((path for path in (f"{here}/{name}/__init__.py", f"{here}/{name}.py") if os.path.exists(path)), None)  # noqa: PTH110  # likewise
    if own is None:
        return None
    from importlib.util import find_spec

    try:
        origin = getattr(find_spec(name), "origin", None)
    except (ImportError, ValueError):  # a module without a place
        return None
    return origin if origin and os.path.realpath(origin) != os.path.realpath(own) else None


def _place(error: BaseException) -> str:
    """Return where an import failed."""
    from traceback import extract_tb  # only on the way to an error

    last = extract_tb(error.__traceback__)[-1]
    if "importlib" in last.filename and not isinstance(error, ModuleNotFoundError):
        return ""  # the file was found; the text of a SyntaxError says the place
    if "importlib" in last.filename:
        return f" (looked in what is installed, and in {sys.path[-1]})"
    return f" ({last.filename}:{last.lineno})"
