"""What do `fcregistry lock` and its checks say?"""

from fcregistry.inspection._locking._changes import Change, changes
from fcregistry.inspection._locking._file import lock_text, write_lock
from fcregistry.inspection._locking._installed import Inventory, inventory

__all__ = ["Change", "Inventory", "changes", "inventory", "lock_text", "write_lock"]
