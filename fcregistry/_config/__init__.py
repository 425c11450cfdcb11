"""What is configured? Files and variables, in layers; read when asked, never on import."""

from fcregistry._config._environment import CALL_HOOKS, DISABLE, disabled_items
from fcregistry._config._layers import call_hook_items, call_hook_names, configuration, project_lock

__all__ = [
    "CALL_HOOKS",
    "DISABLE",
    "call_hook_items",
    "call_hook_names",
    "configuration",
    "disabled_items",
    "project_lock",
]
