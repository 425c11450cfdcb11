"""Which model do these tests ask? SmolLM2, fetched once for all runs on a machine, as `llama:smollm2` fetches it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fcregistry_llama import LlamaModel, fetch_smollm2


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The file of SmolLM2 in the cache of the user who runs the tests: nobody wants 93 MB fetched again for every run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FCREGISTRY_CACHE_DIR", raising=False)  # other tests have a cache of their own
        if given := os.environ.get("FCREGISTRY_TEST_CACHE_DIR"):
            patch.setenv("FCREGISTRY_CACHE_DIR", given)
        return fetch_smollm2()


@pytest.fixture(scope="session")
def model(smollm2: Path) -> Iterator[LlamaModel]:
    """SmolLM2; one thread computes, as the machine has others to run."""
    with LlamaModel(smollm2, threads=1, context=4096, max_tokens=300) as model:
        yield model
