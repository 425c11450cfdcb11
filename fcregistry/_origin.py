"""Where did a tool come from, and which one exactly ran?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from fcregistry._ports import Owner


class Origin(NamedTuple):
    """Where a tool came from.

    Attributes:
        module: The module that declared it.
        qualname: The function's qualified name.
        distribution: The installed distribution that ships it; None for the application itself.
        version: That distribution's version.
        entry_point: The name of the entry point.
        file: The function's source file, where there is one.
        line: Its line there.
    """

    module: str
    qualname: str
    distribution: str | None = None
    version: str | None = None
    entry_point: str | None = None
    file: str | None = None
    line: int | None = None

    @classmethod
    def of(cls, owner: Owner | None, module: str, source: Callable[..., Any]) -> Origin:
        """Return the origin of a function, without what wraps it, that a module declared and an owner ships."""
        code = getattr(source, "__code__", None)
        return cls(
            distribution=owner.distribution if owner else None,
            version=owner.version if owner else None,
            entry_point=owner.entry_point if owner else None,
            module=module,
            qualname=getattr(source, "__qualname__", type(source).__qualname__),
            file=code.co_filename if code else None,
            line=code.co_firstlineno if code else None,
        )

    def __str__(self) -> str:
        owner = f"{self.distribution} {self.version}[{self.entry_point}]" if self.distribution else "the application"
        place = f" ({self.file}:{self.line})" if self.file else ""
        return f"{owner}, {self.module}.{self.qualname}{place}"


class Provenance(NamedTuple):
    """Which tool, of which version, stands behind a call: what an audit keeps of it.

    Attributes:
        id: The canonical id.
        distribution: The installed distribution that ships it; None for the application itself.
        version: That distribution's version.
        schema_digest: The SHA-256 of its parameters' schema, in hexadecimal: another one means other arguments.
    """

    id: str
    distribution: str | None
    version: str | None
    schema_digest: str

    @classmethod
    def of(cls, owner: Owner | None, id: str, schema_digest: str) -> Provenance:
        """Return the provenance of a tool that an owner ships, or the application, where that is None."""
        return cls(
            id=id,
            distribution=owner.distribution if owner else None,
            version=owner.version if owner else None,
            schema_digest=schema_digest,
        )
