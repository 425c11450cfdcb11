"""What can be done on the command line? One file a command; `_main.py` has the table of them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn

__all__ = ["main"]

_PATIENCE: "Final" = 100_000
"""Objects that may be made before the garbage collector looks at them, instead of 700: what a start makes is no garbage."""

_BORDER: "Final" = "fcregistry._base.stdout"
"""The module through which every import of foreign code goes: as long as it was not needed, all code that ran is known."""


def main(args: "list[str] | None" = None) -> "NoReturn":
    """Run a command and exit with its code.

    A person waits for most commands, and a fifth of what they took was the garbage collector's: at the start, and at the end, when
    Python lets it look at everything again. What it would find there can only matter to foreign code, such as a file that a tool
    left open.

    An interrupt ends the process by the signal, and prints nothing, until the command has been read, and once it is done: as long as
    this imports modules, nobody could catch it and say less than a traceback.
    """
    import _signal  # type: ignore[import-not-found]  # what `signal` is made of, without the enumerations that take it 3 ms

    usual = _signal.getsignal(_signal.SIGINT)
    is_quiet = args is None and usual is _signal.default_int_handler  # nobody has chosen another way
    if is_quiet:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    import gc  # this and all other imports are after the line above, whatever they take
    import sys

    gc.set_threshold(_PATIENCE)
    from fcregistry.cli._main import run  # with click, and after the line above

    code = run(args, lambda: is_quiet and _signal.signal(_signal.SIGINT, usual))
    if is_quiet:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    if _BORDER not in sys.modules:
        gc.freeze()
    sys.exit(code)
