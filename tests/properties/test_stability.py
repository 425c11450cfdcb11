"""Schemas are the same, byte for byte, in every process."""

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


ROWS = """
import json
from fcregistry.types import codec_of, schema_of
from tests.properties.rows.all import EXAMPLES

for example in EXAMPLES:
    codec = codec_of(example.annotation)
    values = [codec.encode(value) for _, value in example.accepted]
    print(json.dumps([schema_of(example.annotation), values, codec.unsaid]))
"""


def run_with_seed(program: str, seed: str) -> str:
    paths = [Path(fcregistry.__file__).parent.parent, Path(__file__).parents[2]]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_schema_is_byte_identical_whatever_the_hash_seed() -> None:
    outputs = {run_with_seed(PROGRAM, seed) for seed in ("0", "1", "4242")}
    assert len(outputs) == 1
    assert '"default": ["a", "b", "c"]' in outputs.pop()


def test_each_row_of_the_reference_is_byte_identical_whatever_the_hash_seed() -> None:
    first, second = (run_with_seed(ROWS, seed) for seed in ("0", "4242"))
    assert first.splitlines() == second.splitlines()
