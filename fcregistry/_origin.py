"""Where did a tool come from?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a tool came from.

    Attributes:
        distribution: The installed distribution that ships it; None for the application itself.
        version: That distribution's version.
        entry_point: The name of the entry point.
        module: The module that declared it.
        qualname: The function's qualified name.
        file: The function's source file, where there is one.
        line: Its line there.
    """

    distribution: str | None = None
    version: str | None = None
    entry_point: str | None = None
    module: str
    qualname: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        owner = f"{self.distribution} {self.version}[{self.entry_point}]" if self.distribution else "the application"
        place = f" ({self.file}:{self.line})" if self.file else ""
        return f"{owner}, {self.module}.{self.qualname}{place}"
