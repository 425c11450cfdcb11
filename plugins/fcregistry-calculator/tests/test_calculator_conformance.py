"""What the tools promise in schema, types, docstring and examples, they keep."""

from collections.abc import Callable
from typing import Any

import pytest
from fcregistry.testing import check_tool

from fcregistry_calculator.tools import add_up, calculate, divide, multiply, power, subtract


@pytest.mark.parametrize("tool", [add_up, calculate, divide, multiply, power, subtract])
def test_every_rule_is_kept(tool: Callable[..., Any]) -> None:
    """Every rule of `pytest --fcregistry`; the examples are run, for the tools only read."""
    report = check_tool(tool)
    assert report.skipped == {}
    assert report.remarks == ()
