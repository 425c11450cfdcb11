"""The pytest plugin: four options, and everything else only with `--fcregistry`.

pytest imports this module wherever fcregistry is installed, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("fcregistry", "conformance of tools (fcregistry)")
    group.addoption(
        "--fcregistry",
        action="store_true",
        help="also check that the tools of the plugin that is developed here keep the rules of fcregistry; "
        "if there is none, the tools of all installed plugins",
    )
    group.addoption(
        "--fcregistry-tools",
        action="append",
        default=[],
        metavar="SELECTORS",
        help="check these tools instead, such as 'acme-weather:*'; separate several by commas or spaces, or repeat the option",
    )
    group.addoption(
        "--fcregistry-invoke",
        action="store_true",
        help="run functions with their declared examples even if they are not read_only",
    )
    group.addoption(
        "--fcregistry-examples",
        type=int,
        default=100,
        metavar="N",
        help="how many argument objects each rule tries (default: %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and with `--fcregistry` the plugin that checks tools."""
    config.addinivalue_line("markers", "fcregistry: a rule that is tried on a tool or a plugin (pytest --fcregistry)")
    if not config.getoption("fcregistry"):
        return
    from fcregistry.testing._collection import Conformance, check_usage  # only with --fcregistry

    check_usage(config)
    config.pluginmanager.register(Conformance(config), "fcregistry-conformance")
