"""The fast engine, `jsonschema-rs`: its validators, and its checks of patterns and formats.

These checks take time linear in the text. The walk uses them too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.wording import show
from fcregistry._schema.drafts import PatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._schema.drafts import Draft


def make_validator(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]], draft: Draft) -> Any:
    """Return the validator of a schema; None if the engine refuses it.

    It refuses malformed schemas, and some valid ones: with a pattern that its engine rejects, a reference to the meta-schema of another
    draft, half a surrogate pair, or too many levels. jsonschema then tells these apart.

    Args:
        schema: The schema.
        formats: Format -> its check, for formats beside those of the standard.
        draft: The draft of the schema.
    """
    rs = load_engine()
    options = {"validate_formats": True, "pattern_options": rs.RegexOptions(), "offline": True}
    # Without `$schema`: the draft is known, and an unknown dialect would be looked up.
    read = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
    try:
        return getattr(rs, draft.engine)(read, formats=formats or None, **options)
    except (rs.ReferencingError, ValueError):
        return None


def is_schema_or_none(schema: dict[str, Any], draft: Draft) -> bool | None:
    """Return whether a schema is valid by the meta-schema of `draft`; None if this engine cannot tell."""
    rs = load_engine()
    try:
        return bool(rs.meta.is_valid({**schema, "$schema": draft.uri}))
    except ValueError:  # half a surrogate pair, or too many levels
        return None


def knows_format(name: str, draft: Draft) -> bool:
    """Return whether a draft defines a format."""
    rs = load_engine()
    try:
        getattr(rs, draft.engine)({"format": name}, validate_formats=True, ignore_unknown_formats=False)
    except ValueError:
        return False
    return True


def load_engine() -> Any:
    """Return the package `jsonschema_rs`."""
    import jsonschema_rs  # 24 ms, paid by the first call of the process

    return jsonschema_rs


# --- Texts ---


class TextChecker:
    """Checks formats and patterns.

    A pattern that the linear-time engine does not support is not enforced: every text counts as matching. Below a `not` that would refuse
    values that the pattern may allow, so there, with `strict`, no text counts as matching.

    Args:
        formats: Format -> its check, for formats beside those of the standard.
        draft: The draft whose formats are enforced; None to enforce none.
        doubtful: Whether the schema has patterns that are not enforced.
        strict: Whether a text counts as not matching a pattern that is not enforced.
    """

    __slots__ = ("_doubtful", "_draft", "_formats", "strict")

    def __init__(
        self,
        formats: Mapping[str, Callable[[str], bool]],
        draft: Draft | None,
        doubtful: bool,
        strict: bool = False,
    ) -> None:
        self._formats: Final = formats
        self._draft: Final = draft
        self._doubtful: Final = doubtful
        self.strict: Final = strict

    @property
    def opposite(self) -> TextChecker:
        """The same checker with the opposite `strict`, for the inside of a `not`."""
        if not self._doubtful:
            return self
        return TextChecker(self._formats, self._draft, True, not self.strict)

    def is_of_format(self, format: str, text: str) -> bool:
        """Return whether a text is of a format; True for an unknown format."""
        if self._draft is None:
            return True
        return (self._formats.get(format) or standard_format(format, self._draft))(text)

    def matches(self, pattern: str, text: str) -> bool | None:
        """Return whether a text matches a pattern; None if the pattern is not enforced."""
        matches = matcher_or_none(pattern)
        return None if matches is None else matches(text)


@lru_cache(maxsize=4096)
def matcher_or_none(pattern: str) -> Callable[[str], bool] | None:
    """Return the function of `matcher`; None if the linear-time engine does not support the pattern."""
    try:
        return matcher(pattern)
    except PatternError:
        return None


def has_unenforced_patterns(value: Any) -> bool:
    """Return whether a pattern that is not enforced may be anywhere in `value`, a schema or a part of it."""
    if isinstance(value, list):
        return any(map(has_unenforced_patterns, value))
    if not isinstance(value, dict):
        return False
    pattern, names = value.get("pattern"), value.get("patternProperties")
    patterns = [pattern] if isinstance(pattern, str) else []
    patterns += names if isinstance(names, dict) else []
    return any(matcher_or_none(each) is None for each in patterns) or any(map(has_unenforced_patterns, value.values()))


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns whether a text matches a pattern, in time linear in the text.

    Raises:
        PatternError: The engine does not support the pattern.
    """
    rs = load_engine()
    try:
        validator = rs.Draft202012Validator({"pattern": pattern}, pattern_options=rs.RegexOptions())
    except ValueError:
        raise PatternError(
            f"{show(pattern)} is not a pattern that the linear-time engine supports (no look-around, no back-references)"
        ) from None
    return lambda text: bool(validator.is_valid(_without_surrogate_halves(text)))


@lru_cache(maxsize=512)
def standard_format(name: str, draft: Draft) -> Callable[[str], bool]:
    """Return a function that returns whether a text is of the format `name` of a draft.

    Both engines use it, so that they agree.
    """
    rs = load_engine()
    validator = getattr(rs, draft.engine)({"format": name}, validate_formats=True, pattern_options=rs.RegexOptions())
    return lambda text: bool(validator.is_valid(_without_surrogate_halves(text)))


def _without_surrogate_halves(text: str) -> str:
    """Return `text` with a replacement character for each half of a surrogate pair.

    The engine cannot read such a half, and no format or pattern names one.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
