"""How is an annotation read into a codec? By the families of a table, first match first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry.types._codec import Codec, UnsupportedType, codec_schema, show_type
from fcregistry.types._scalars import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Family = Callable[[Any, "TypeReader"], Codec | None]

_SCALAR_CODECS: Final = {each: codec for each, codec in SCALARS.items() if isinstance(each, type)}
_CODECS: Final[dict[Any, Codec]] = dict(_SCALAR_CODECS)
"""Classes that were read before, and what else is named: a record is read once in a process, however many tools take it."""

_MAX_CODECS: Final = 4096
"""Beyond so many it starts anew: classes that are made by the thousand are not kept for ever."""


_MAX_SCHEMA_DEPTH: Final = 150
"""Levels of a schema: jsonschema, the deeper of the validators in Python frames, walks so many."""

_SUSPICIOUS_DEPTH: Final = 70
"""Types inside one another of which such a schema could come: each adds two levels at most."""


class TypeReader:
    """Reads annotations into codecs.

    One reader serves one function.

    Args:
        families: Returns the families that may read an annotation, in order: functions that return a codec for one they know, or None.
        scope: Names for annotations that are strings, beside the names of the module that wrote them.
        owner: The class that `Self` stands for, or None.

    Attributes:
        scope: As given.
        owner: As given; while the fields of a class are read, that class.
        validated: Whether that class is pydantic's, which runs validators itself when it makes an instance.
    """

    def __init__(
        self,
        families: Callable[[Any], Iterable[Family]],
        scope: Mapping[str, Any] | None = None,
        owner: Any = None,
    ) -> None:
        self._families = families
        self._depth = 0
        self._deep = False  # whether a schema that is nested too deeply could come of it
        self._checks: list[Callable[[], None]] = []
        self._fresh: dict[Any, Codec] = {}
        self.scope = dict(scope or {})
        self.owner = owner
        self.validated = False

    def read(self, annotation: Any) -> Codec:
        """Return the codec of an annotation.

        Raises:
            UnsupportedType: No family reads it; says why, and what to write instead.
        """
        if isinstance(annotation, type) and (known := self.known(annotation)) is not None:
            return known
        return self._inside(annotation) if self._depth else self._outermost(annotation)

    def _outermost(self, annotation: Any) -> Codec:
        """Read what stands in no other annotation, and then see to what had to wait until all of it is there."""
        complete = False
        try:
            codec = self._inside(annotation)
            while self._checks:
                self._checks.pop(0)()
            if self._deep:
                _check_depth(codec)
            complete = True
        except RecursionError:
            raise UnsupportedType("it is nested too deeply, or refers to ever new types") from None
        finally:
            if self._fresh or self._checks or self._deep:
                self._keep(complete)
        return codec

    def _inside(self, annotation: Any) -> Codec:
        self._depth += 1
        try:
            codec = self._first(annotation)
        finally:
            self._depth -= 1
        if self._depth >= _SUSPICIOUS_DEPTH:
            self._deep = True
        if isinstance(annotation, type):
            self._fresh.setdefault(annotation, codec)
        return codec

    def _first(self, annotation: Any) -> Codec:
        for family in self._families(annotation):
            codec = family(annotation, self)
            if codec is not None:
                return codec
        # Seldom reached: the table ends with a family that says more
        raise UnsupportedType(f"{show_type(annotation)} has no JSON form")

    def read_in(self, annotation: Any, outer: Any) -> Codec:
        """Return the codec of an annotation inside another, which is named in what it raises."""
        try:
            return self.read(annotation)
        except UnsupportedType as unsupported:
            raise unsupported.inside(f"in {show_type(outer)}") from None

    def check_later(self, check: Callable[[], None]) -> None:
        """Have a check run once the outermost annotation is read: until then, records that refer to each other lack fields."""
        self._checks.append(check)

    def known(self, annotation: Any) -> Codec | None:
        """Return the codec of a class or of something named that was read before, or is being read: it may refer to itself."""
        try:
            return _CODECS.get(annotation) or self._fresh.get(annotation)
        except TypeError:  # a class that cannot be hashed, or has arguments that cannot
            return None

    def learn(self, annotation: Any, codec: Codec) -> None:
        """Note the codec of something named before its parts are read, since they may refer to it."""
        try:
            self._fresh[annotation] = codec
        except TypeError:  # it has arguments that cannot be hashed, and nothing will find it
            return

    def forget(self, annotation: Any) -> None:
        """Take back what was learned: nothing refers to it."""
        if self.known(annotation) is not None:
            self._fresh.pop(annotation, None)

    def _keep(self, complete: bool) -> None:
        """Keep what was read for the process, once all of it is there, and where names mean the same to everyone."""
        self._checks.clear()
        self._deep = False
        if not complete:
            self._fresh.clear()
        elif not self.scope:
            if len(_CODECS) > _MAX_CODECS:
                forget_codecs()
            _CODECS.update(self._fresh)
            self._fresh.clear()


def _check_depth(codec: Codec) -> None:
    """Refuse what validators could not walk.

    Raises:
        UnsupportedType: The schema is nested too deeply.
    """
    depth = 0
    level: list[Any] = [codec_schema(codec)]
    while level:
        depth += 1
        inner = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
        level = [part for part in inner if isinstance(part, (dict, list))]
    if depth > _MAX_SCHEMA_DEPTH:
        raise UnsupportedType(
            f"its schema is nested {depth} levels deep, and at most {_MAX_SCHEMA_DEPTH} can be checked"
        )


def forget_codecs() -> None:
    """Forget what was read in this process, so that it is read anew."""
    _CODECS.clear()
    _CODECS.update(_SCALAR_CODECS)
