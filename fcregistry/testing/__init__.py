"""The conformance kit: checks that a tool keeps what its schema promises.

It needs the extra `fcregistry[testing]`.

    from fcregistry.testing import check_tool

    def test_the_tool_keeps_its_promises():
        check_tool(get_current_weather)

`pytest --fcregistry` does so for every tool of a plugin, without a test file. The functions of tools do not run: a recorder of the same
signature takes the calls. Names are resolved when they are first used, since pytest imports this package in every run.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry.testing._report import ConformanceError, Failure, Report, Verdict
    from fcregistry.testing._rules import check_tool
    from fcregistry.testing._strategies import arguments_of, wrong_arguments_of

__all__ = ["ConformanceError", "Failure", "Report", "Verdict", "arguments_of", "check_tool", "wrong_arguments_of"]

_HOMES: dict[str, str] = {
    "ConformanceError": "_report",
    "Failure": "_report",
    "Report": "_report",
    "Verdict": "_report",
    "arguments_of": "_strategies",
    "check_tool": "_rules",
    "wrong_arguments_of": "_strategies",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # light, but not needed before the first name is

    try:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        from fcregistry._base.install import install_command
        from fcregistry.errors import MissingDependencyError  # only on the way to an error

        raise MissingDependencyError(
            f"fcregistry.testing.{name} needs Hypothesis: {install_command('fcregistry[testing]')}"
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
