"""Are schemas the same, byte for byte, in every process?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fcregistry

PROGRAM = """
import json
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypedDict
from fcregistry import Tool

class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"

class Options(TypedDict, total=False):
    depth: int
    verbose: bool
    colour: Colour

@dataclass
class Tree:
    name: str
    tags: set[Literal["x", "y", "z"]]
    children: "list[Tree]"
    options: Options
    more: Options | None = None

def plant(tree: Tree, others: dict[str, Tree | Options], *names: str, kinds: frozenset[str] = frozenset("cab"), **extra: Colour) -> Tree:
    "Plant."

tool = Tool.from_function(plant, tags=("z", "a", "m"))
print(json.dumps([tool.parameters, tool.returns, tool.options.tags]))
"""


def run_with_seed(seed: str) -> str:
    package = str(Path(fcregistry.__file__).parent.parent)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": package}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return ran.stdout


def test_a_schema_is_byte_identical_whatever_the_hash_seed() -> None:
    outputs = {run_with_seed(seed) for seed in ("0", "1", "4242")}
    assert len(outputs) == 1
    assert '"default": ["a", "b", "c"]' in outputs.pop()
