"""Run the command line: `python -m fcregistry`."""

import os
import sys


def _leave_working_folder() -> None:
    """Take the working folder from the front of `sys.path`, where Python puts it for `-m`.

    A file there would be imported in place of an installed package's module of that name, and run with the rights of that package.
    """
    try:
        here = os.getcwd()  # noqa: PTH109  # before anything else is imported
    except OSError:  # it is not there any more
        here = ""
    if not sys.flags.safe_path and sys.path and sys.path[0] in ("", here):
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_folder()
    from fcregistry.cli import main  # from where it is installed, and not from the working folder

    main()
