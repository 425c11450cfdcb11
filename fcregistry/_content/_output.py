"""What does a tool give that is more than one value: something for the program, and something else for the model?"""

from __future__ import annotations

from fcregistry._content._content import Content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class ToolOutput:
    """What a tool returns to tell the program and the model different things. Immutable.

    Args:
        value: For the program: `result.value`. Any Python object; it is never encoded or shown.
        content: For the model: a text, a `Content`, or several of them.

    Raises:
        TypeError: The content is something else.
    """

    __slots__ = ("_content", "_value")

    def __init__(self, *, value: object = None, content: str | Content | Iterable[str | Content]) -> None:
        parts = (content,) if isinstance(content, (str, Content)) else _listed(content)
        self._content = tuple(Content.text(part) if isinstance(part, str) else part for part in parts)
        self._value = value

    @property
    def value(self) -> object:
        """For the program."""
        return self._value

    @property
    def content(self) -> tuple[Content, ...]:
        """For the model."""
        return self._content

    def __repr__(self) -> str:
        return f"ToolOutput(value={self._value!r}, content={self._content!r})"


def _listed(content: object) -> tuple[str | Content, ...]:
    parts = tuple(content) if hasattr(content, "__iter__") else (content,)
    for part in parts:
        if not isinstance(part, (str, Content)):
            raise TypeError(
                f"the content of a ToolOutput is text, Content, or a list of them, and holds no {type(part).__name__}; "
                "Content.json takes any JSON value"
            )
    return parts


def text_of(parts: Iterable[Content]) -> str:
    """Return what a model reads of pieces of content where a provider takes text only."""
    return "\n".join(text for text in map(str, parts) if text)


class Output:
    """What became of a returned value that is more than one short text. Immutable by convention; made once for a result.

    Attributes:
        value: What the program is given.
        content: The text for the model, where a provider takes text only.
        parts: The pieces of it; none where it is a text that was cut.
        whole: The text, or the pieces, as they were before they were cut; None where they were not.
    """

    __slots__ = ("content", "parts", "value", "whole")

    def __init__(
        self,
        value: object,
        content: str,
        parts: tuple[Content, ...] = (),
        whole: str | tuple[Content, ...] | None = None,
    ) -> None:
        self.value = value
        self.content = content
        self.parts = parts
        self.whole = whole
