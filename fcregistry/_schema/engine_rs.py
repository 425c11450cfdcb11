"""What is known of a text: is it of a format, does it match a pattern?

MERGED: The fast gate, `jsonschema-rs`, and its engine of patterns that is linear in time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import show
from fcregistry._schema.drafts import PatternError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._schema.drafts import Draft

# --- _validation._texts ---


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


# --- _validation._gate ---


def _rs() -> Any:
    """Return the gate's package, or None where there is no build of it."""
    try:
        import jsonschema_rs  # 24 ms, paid by the first call of the process
    except ImportError:
        return None
    return jsonschema_rs


def is_installed() -> bool:
    """Tell whether there is a build of the gate's package here."""
    return _rs() is not None


def gate_of(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]], draft: Draft) -> Any:
    """Return the gate of a schema, or None where there is none: no build of its package, or nothing that it takes.

    It does not take what is no schema, nor some that are: with a pattern that its engine rejects, a reference to the meta-schema of
    another draft, half a surrogate pair, or too many levels. jsonschema says which it is.
    """
    rs = _rs()
    if rs is None:
        return None
    options = {"validate_formats": True, "pattern_options": rs.RegexOptions(), "offline": True}
    # `$schema` has been read: one of a dialect that nobody knows would be looked for.
    read = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
    try:
        return getattr(rs, draft.engine)(read, formats=formats or None, **options)
    except (rs.ReferencingError, ValueError):
        return None


def takes_schema(schema: dict[str, Any], draft: Draft) -> bool | None:
    """Ask the gate whether a schema is one by the meta-schema of its draft; None where it cannot say."""
    rs = _rs()
    if rs is None:
        return None
    try:
        return bool(rs.meta.is_valid({**schema, "$schema": draft.uri}))
    except ValueError:  # half a surrogate pair, or too many levels
        return None


def knows_format(name: str, draft: Draft) -> bool:
    """Tell whether a draft has a format, as far as the gate knows."""
    rs = _rs()
    if rs is None:
        return False
    try:
        getattr(rs, draft.engine)({"format": name}, validate_formats=True, ignore_unknown_formats=False)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=512)
def standard_format(name: str, draft: Draft) -> Callable[[str], bool]:
    """Ask the gate: so both validators mean the same by the formats of the standard."""
    rs = _rs()
    if rs is None:
        return lambda text: True
    gate = getattr(rs, draft.engine)({"format": name}, validate_formats=True, pattern_options=rs.RegexOptions())
    return lambda text: bool(gate.is_valid(_whole(text)))


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which the gate cannot read and no format or pattern names."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a text matches a pattern, told in linear time.

    Raises:
        PatternError: The engine does not take the pattern.
        SchemaError: The engine is not installed.
    """
    rs = _rs()
    if rs is None:
        raise SchemaError(
            f"the pattern {pattern!r} needs jsonschema-rs, whose engine is linear in time; it is not installed here"
        )
    try:
        gate = rs.Draft202012Validator({"pattern": pattern}, pattern_options=rs.RegexOptions())
    except ValueError:
        raise PatternError(
            f"{show(pattern)} is no pattern that the linear-time engine takes (no look-around, no back-references)"
        ) from None
    return lambda text: bool(gate.is_valid(_whole(text)))
