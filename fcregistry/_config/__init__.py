"""What is configured? Files and variables, in layers; read when asked, never on import."""

from fcregistry._config._environment import CALL_HOOKS, DISABLE, MODEL, disabled_items, model_variable
from fcregistry._config._layers import call_hook_items, call_hook_names, configuration, project_lock

__all__ = [
    "CALL_HOOKS",
    "DISABLE",
    "MODEL",
    "call_hook_items",
    "call_hook_names",
    "configuration",
    "disabled_items",
    "model_variable",
    "project_lock",
]
