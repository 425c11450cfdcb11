"""What is known of a text: is it of a format, does it match a pattern?"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._validation._errors import PatternError
from fcregistry._validation._gate import matcher, standard_format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._validation._dialects import Draft


class Texts:
    """Answers for formats and patterns. It is handed to jsonschema as its format checker, so it goes wherever a validator goes.

    Whether a text matches a pattern that the linear-time engine does not take is not known, and such a pattern is not enforced: the text
    counts as matching. Below a `not` that would refuse what the pattern may allow, so there, `strict`, it counts as not matching.

    Args:
        formats: Format -> whether a string is of it, beside the formats of the standard.
        draft: The draft whose formats are meant; None where no format is enforced.
        doubtful: Whether there are patterns in the schema that are not enforced.
        strict: Whether what is not known counts as broken.
        verdicts: As below.

    Attributes:
        verdicts: What `_record.py` remembers of the value that is being validated.
    """

    __slots__ = ("_doubtful", "_draft", "_formats", "strict", "verdicts")

    def __init__(
        self,
        formats: Mapping[str, Callable[[str], bool]],
        draft: Draft | None,
        doubtful: bool,
        strict: bool = False,
        verdicts: dict[Any, bool] | None = None,
    ) -> None:
        self._formats: Final = formats
        self._draft: Final = draft
        self._doubtful: Final = doubtful
        self.strict: Final = strict
        self.verdicts: Final[dict[Any, bool]] = {} if verdicts is None else verdicts

    @property
    def opposite(self) -> Texts:
        """The same, with the other answer where it is not known: what a `not` has to ask."""
        if not self._doubtful:
            return self
        return Texts(self._formats, self._draft, True, not self.strict, self.verdicts)

    def check(self, instance: object, format: str) -> None:
        """Tell a validator of jsonschema whether a value is of a format; one that nobody knows is of no consequence.

        Raises:
            FormatError: It is not.
        """
        from jsonschema.exceptions import FormatError  # loaded already: only jsonschema asks

        if isinstance(instance, str) and not self.is_of_format(format, instance):
            raise FormatError(f"is not a {format}")

    def is_of_format(self, format: str, text: str) -> bool:
        """Return whether a text is of a format; any text is of one that nobody knows."""
        if self._draft is None:
            return True
        return (self._formats.get(format) or standard_format(format, self._draft))(text)

    def matches(self, pattern: str, text: str) -> bool | None:
        """Tell whether a text matches a pattern; None if that is not known."""
        matches = known_matcher(pattern)
        return None if matches is None else matches(text)


@lru_cache(maxsize=4096)
def known_matcher(pattern: str) -> Callable[[str], bool] | None:
    """Return whether a text matches a pattern, or None where the linear-time engine does not take it.

    Raises:
        SchemaError: The engine is not installed.
    """
    try:
        return matcher(pattern)
    except PatternError:
        return None


def doubtful_patterns(value: Any) -> bool:
    """Tell whether a schema holds, anywhere, something that may be a pattern which is not enforced."""
    if isinstance(value, list):
        return any(map(doubtful_patterns, value))
    if not isinstance(value, dict):
        return False
    pattern, names = value.get("pattern"), value.get("patternProperties")
    patterns = [pattern] if isinstance(pattern, str) else []
    patterns += names if isinstance(names, dict) else []
    return any(known_matcher(each) is None for each in patterns) or any(map(doubtful_patterns, value.values()))
