"""The command line: one file a command; `_main.py` has the table of commands."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final, NoReturn

__all__ = ["import_modules", "main"]

_PATIENCE: "Final" = 100_000
"""New objects before the garbage collector runs, instead of 700: the objects of a start are not garbage."""

_BORDER: "Final" = "fcregistry._base.stdout"
"""Every import of external code needs this module: while it is not loaded, only known code has run."""


def main(args: "list[str] | None" = None) -> "NoReturn":
    """Run a command and exit with its code.

    Users wait for most commands, and the garbage collector took a fifth of the time: at the start, and at the end, when Python lets it
    look at all objects again. What it could find there matters to external code only, such as a file that a tool left open.

    Until the command line is read, and after the command, an interrupt ends the process by the signal and prints nothing: while modules
    are imported, only a traceback could be printed.
    """
    import _signal  # type: ignore[import-not-found]  # the core of `signal`, without its enumerations, which cost 3 ms

    usual = _signal.getsignal(_signal.SIGINT)
    is_quiet = args is None and usual is _signal.default_int_handler  # no caller has set another handler
    if is_quiet:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    import gc  # this and all other imports come after the line above
    import sys

    gc.set_threshold(_PATIENCE)
    from fcregistry.cli._main import INTERRUPTED, run  # with click, after the line above

    code = run(args, lambda on: is_quiet and _signal.signal(_signal.SIGINT, usual if on else _signal.SIG_DFL))
    if is_quiet and code == INTERRUPTED:
        _end_at_once(code)
    if _BORDER not in sys.modules:
        gc.freeze()
    sys.exit(code)


def _end_at_once(code: int) -> "NoReturn":
    """Exit with `code` without finalizing Python, after `atexit`'s functions and a flush of the output.

    A tool may go on, on a thread that Python stops wherever it is; if it prints just then, Python cannot flush the stream any more, and aborts.
    """
    import atexit
    import os
    import sys
    from contextlib import suppress

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # it is closed, or nobody reads it
            stream.flush()
    os._exit(code)


def import_modules(modules: "Iterable[str]") -> None:
    """Import the modules that a user names with `-m`, also for a plugin that has a command of its own.

    Modules are installed ones, or those in the working folder. What they print while they are imported goes to stderr.

    Args:
        modules: Their names.

    Raises:
        click.UsageError: A module cannot be imported, is hidden by an installed one, or is named like a file.
    """
    from fcregistry.cli._tools import import_modules as import_  # with click and the registry

    import_(modules)
