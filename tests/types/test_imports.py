"""Libraries are imported only if a type comes from them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import fcregistry

LIBRARIES = ("annotated_types", "attr", "attrs", "msgspec", "numpy", "pydantic", "pydantic_core")
EVERYTHING = """
    import dataclasses, datetime, decimal, enum, typing, uuid
    from collections.abc import Sequence

    class Colour(enum.Enum):
        RED = "red"

    @dataclasses.dataclass
    class Point:
        '''A point.

        Attributes:
            x: Where.
        '''
        x: typing.Annotated[int, "where"]
        day: datetime.date | None = None

    class Options(typing.TypedDict, total=False):
        depth: int

    class Unknown:
        pass

    def use(a: Point, b: list[Options], c: Colour | None, d: dict[uuid.UUID, decimal.Decimal], e: typing.Any = 1) -> Point:
        "Use."
        return a

    from fcregistry import Executor, Tool
    from fcregistry.types import UnsupportedType, schema_of, to_json_text

    tool = Tool.from_function(use)
    assert tool.parameters and tool.returns
    arguments = {"a": {"x": 1}, "b": [{}], "c": "red", "d": {}}
    assert Executor([use]).run({"name": "use", "arguments": arguments}).ok
    try:
        schema_of(Unknown)
    except UnsupportedType:
        pass
    to_json_text([Point(1), Colour.RED])
"""


def loaded_by(program: str) -> list[str]:
    """Return those of the libraries that a program has imported when it ends."""
    shown = f"{dedent(program)}\nimport json, sys\nprint(json.dumps(sorted(set({LIBRARIES}) & set(sys.modules))))"
    package = Path(fcregistry.__file__).parent.parent
    code = f"import sys\nsys.path.insert(0, {str(package)!r})\n{shown}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    answer: list[str] = json.loads(ran.stdout)
    return answer


def test_types_of_the_standard_library_import_no_other() -> None:
    assert loaded_by(EVERYTHING) == []


@pytest.mark.parametrize(
    ("program", "libraries"),
    [
        ("import attrs\n@attrs.define\nclass It:\n    x: int", ["attr", "attrs"]),
        ("import msgspec\nclass It(msgspec.Struct):\n    x: int", ["msgspec"]),
        ("import annotated_types as at, typing\nIt = typing.Annotated[int, at.Ge(1)]", ["annotated_types"]),
        (
            "import pydantic\nclass It(pydantic.BaseModel):\n    x: int = pydantic.Field(ge=1)",
            ["annotated_types", "pydantic", "pydantic_core"],
        ),
    ],
)
def test_a_type_of_one_library_imports_no_other(program: str, libraries: list[str]) -> None:
    reading = "from fcregistry.types import codec_of, schema_of\nschema_of(It)\ncodec_of(list[It] | None)"
    assert loaded_by(f"{program}\n{reading}") == libraries
