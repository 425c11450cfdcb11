"""Tools that read, search, write and delete files below one folder.

tools = file_tools("data", write=True)
"""

from fcregistry_files._root import Root
from fcregistry_files._toolset import file_tools
from fcregistry_files._trash import Deleted, Trash

__all__ = ["Deleted", "Root", "Trash", "file_tools"]
