"""HTTP endpoints as tools of fcregistry.

weather = http_tool("GET", "https://api.acme.example/cities/{city}/weather", like=get_weather, returns="json")
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry_http._headers import FromEnv
    from fcregistry_http._tool import http_tool

__all__ = ["FromEnv", "http_tool"]

_HOMES = {"FromEnv": "_headers", "http_tool": "_tool"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # not before a name is used

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
