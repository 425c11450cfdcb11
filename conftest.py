"""What all tests share, here and in plugins: how Hypothesis draws examples, and a garbage collector that passes over the tests themselves."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ModuleNotFoundError:  # the sessions `installed` and `dask` have no property tests
    pass
else:
    patient = settings(deadline=None, database=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("tests", patient, derandomize=True)
    settings.register_profile("fuzz", patient, derandomize=False)
    settings.load_profile("tests")  # `--hypothesis-profile=fuzz`, as in `nox -s fuzz`, loads the other one later

    @settings(max_examples=1)
    @given(st.none())
    def draw_once(_: None) -> None:
        """Have Hypothesis find the random generators of the process, which it looks for among what is not frozen."""


MORE = 10
"""How many times as many examples the profile `fuzz` draws."""


def fuzzing(config: pytest.Config) -> bool:
    """Return whether property tests draw at random, and many more examples."""
    return config.getoption("--hypothesis-profile", None) == "fuzz"


def pytest_configure(config: pytest.Config) -> None:
    """Have the conformance kit, whose settings are its own, draw the same examples in each run too."""
    if not fuzzing(config):
        os.environ["CI"] = "true"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Multiply the examples of each property test; a profile cannot, where a test states their number."""
    if fuzzing(config):
        functions = {item.obj for item in items if isinstance(item, pytest.Function)}
        for test in (each for each in functions if hasattr(each, "hypothesis")):
            stated = test._hypothesis_internal_use_settings  # as Hypothesis's own plugin for pytest reads it
            test._hypothesis_internal_use_settings = settings(stated, max_examples=MORE * stated.max_examples)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do without the garbage collector, which would take half of the time, and keep it from the tests themselves later.

    Each of the collections that tests and libraries ask for would otherwise look at thousands of tests, for more than a second.
    """
    gc.disable()
    result = yield
    gc.enable()
    if "hypothesis" in sys.modules:
        draw_once()
    gc.freeze()
    return result
