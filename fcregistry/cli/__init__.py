"""What can be done on the command line? One file a command; `_main.py` has the table of them."""

from fcregistry.cli._main import main

__all__ = ["main"]
