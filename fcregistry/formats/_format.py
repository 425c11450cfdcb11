"""What is a tool called on a provider's wire, where not every name of ours may stand?

A name that fits stays as it is. In any other, each character that may not stand where it stands becomes `_xHH_`, its code in hexadecimal:
`9lives` is `_x39_lives` to Gemini, and `get-weather` is `get_x2d_weather` in Python. No two names become one:

- In a rewritten name `_x` begins nothing else, since an `x` after `_` is rewritten too; and a name that fits, but holds `_xHH_`, is rewritten
  all the same.
- A name that becomes too long is cut, and ends in `_xz` and a hash of it; a name that ends so by itself is rewritten too.

MERGED: Which definitions were made before? Those of the latest tools are kept, since a model is told the same ones in every round.
MERGED: What is a format?
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from fcregistry.errors import DefinitionError
from fcregistry.formats._node import Definition, Dropped, TextDefinition

if TYPE_CHECKING:
    from collections.abc import Hashable

    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.formats._profile import Profile
    from fcregistry.formats._transform import OnRecursion

STRICT_FORMATS: Final = ("anthropic", "bedrock", "openai", "openai-responses")
"""The formats that have a strict mode, for the message to those who ask another one for it."""

# --- formats._names ---

_LIKE_REWRITTEN = re.compile(r"_x[0-9a-f]{2}_|_xz[0-9a-f]{10}\Z")
_HASH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """Which of our names may stand on a provider's wire. All of ours are of ASCII letters, digits, `_` and `-`, up to 64 characters.

    Attributes:
        first: A regular expression of the characters that a name may begin with.
        rest: The same of those that may follow.
        longest: How many characters a name may have; None for any number.
        reserved: Words that are no names.
    """

    first: str
    rest: str
    longest: int | None = None
    reserved: frozenset[str] = frozenset()

    def fits(self, name: str) -> bool:
        """Tell whether a name may stand as it is."""
        is_short = self.longest is None or len(name) <= self.longest
        return is_short and name not in self.reserved and bool(re.fullmatch(f"{self.first}{self.rest}*", name))

    def wire_name(self, name: str) -> str:
        """Return what stands for a name: the same each time, and no other name's."""
        if self.fits(name) and not _LIKE_REWRITTEN.search(name):
            return name
        rewritten = self._rewritten(name)
        if self.longest is None or len(rewritten) <= self.longest:
            return rewritten
        from hashlib import sha256  # rarely needed, and 2 ms

        tail = f"_xz{sha256(name.encode()).hexdigest()[:_HASH]}"
        return rewritten[: self.longest - len(tail)] + tail

    def _rewritten(self, name: str) -> str:
        written = ""
        for character in name:
            fits = re.fullmatch(self.rest if written else self.first, character) is not None
            if not written and name in self.reserved:
                fits = False
            written += (
                character if fits and not (character == "x" and written.endswith("_")) else f"_x{ord(character):02x}_"
            )
        return written


def alphabet_wire_names(names: Iterable[str], alphabets: Iterable[Alphabet]) -> dict[str, str]:
    """Return which name each wire name stands for, for the names that have others in some alphabet."""
    by_wire: dict[str, str] = {}
    listed = list(names)
    for alphabet in alphabets:
        for name in listed:
            wire = alphabet.wire_name(name)
            if wire != name:
                by_wire.setdefault(wire, name)
    return by_wire


# --- formats._kept ---

MOST: Final = 1024
"""How many are kept: more than a model can be told at once, and no more than a megabyte or two."""


class KeptDefinitions:
    """Definitions with the schemas in them, as bytes that hold nothing else alive. Whoever takes one out gets a copy. Thread-safe.

    Args:
        most: How many are kept; one more, and all are forgotten.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int = MOST) -> None:
        self._kept: dict[Hashable, tuple[ref[Tool], bool, bytes, tuple[Dropped, ...]]] = {}
        self._most = most

    def get(self, tool: Tool, how: Hashable) -> tuple[Definition | TextDefinition, dict[str, Any]] | None:
        """Return the definition of a tool, and the schema in it; None if it is not kept.

        Args:
            tool: The tool.
            how: How it was rendered.
        """
        kept = self._kept.get((id(tool), how))
        if kept is None or kept[0]() is not tool:  # an id is given to another once a tool is gone
            return None
        _, is_text, written, dropped = kept
        made, schema = marshal.loads(written)
        return (TextDefinition(made, dropped) if is_text else Definition(made, dropped)), schema

    def put(self, tool: Tool, how: Hashable, made: Definition | TextDefinition, schema: dict[str, Any]) -> None:
        """Keep a definition, if it is nothing but JSON."""
        is_text = isinstance(made, TextDefinition)
        plain = str(made) if isinstance(made, TextDefinition) else dict(made)
        try:
            written = marshal.dumps((plain, schema))
        except ValueError:  # of types that only others know
            return
        if len(self._kept) >= self._most:
            self._kept.clear()
        self._kept[id(tool), how] = (ref(tool), is_text, written, made.dropped)


# --- formats._core ---

_KEPT: Final = KeptDefinitions()


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderInput:
    """What a format makes its definition of.

    Attributes:
        tool: The tool.
        name: What it is called on the wire.
        text: What a model is told of it; may be empty.
        parameters: The schema of its parameters, as the provider takes it.
        strict: Whether the provider is to hold the model to it.
    """

    tool: Tool
    name: str
    text: str
    parameters: dict[str, Any]
    strict: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """A wire shape, or a text, in which tools are described.

    Attributes:
        name: What it is asked for by.
        source: The specification or provider page it follows.
        render: Makes the definition of one tool.
        join: Makes what is sent of the rendered tools; a list by default.
        profile: Which schemas it takes; None for all of JSON Schema, which are said as they are.
        strict_profile: Which it takes in its strict mode; None where it has no such mode.
        alphabet: Which names it takes; None where it takes all of ours.
        parse: Reads the calls of a model's message; None where the format has no messages of its own.
        report: Makes the messages that tell the model of results; None likewise.
    """

    name: str
    source: str
    render: Callable[[RenderInput], dict[str, Any] | TextDefinition]
    join: Callable[[list[Any]], Any] = list
    profile: Profile | None = None
    strict_profile: Profile | None = None
    alphabet: Alphabet | None = None
    parse: Callable[[Any], list[ToolCall]] | None = None
    report: Callable[[Sequence[ToolResult]], list[dict[str, Any]]] | None = None

    def describe(self, tools: Iterable[Tool], *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Render tools, in the order given.

        Args:
            tools: The tools.
            strict: Whether the provider is to hold the model to the schemas, in its strict mode.
            recursion: What to do with a type that refers to itself, where the provider does not take that: `refuse`, or `cut` it off.

        Raises:
            DefinitionError: The format has no strict mode, a tool cannot be said in it, or they are too many for one request.
            TypeError: One is no `Tool`: a function, say, or a name.
        """
        self._profile(strict)  # that there is none is said once, and not of every tool
        rendered, errors = [], []
        for tool in tools:
            try:
                rendered.append(self._render(tool, strict, recursion))
            except DefinitionError as error:
                errors.append(error)
        if errors:
            raise errors[0] if len(errors) == 1 else _together(errors)
        self._check_limits([schema for _, schema in rendered], strict)
        return self.join([definition for definition, _ in rendered])

    def describe_one(
        self, tool: Tool, *, strict: bool = False, recursion: OnRecursion = "refuse"
    ) -> Definition | TextDefinition:
        """Render one tool; see `describe`.

        Raises:
            DefinitionError: The format has no strict mode, or the tool cannot be said in it; says every path, and what to do.
        """
        return self._render(tool, strict, recursion)[0]

    def _render(
        self, tool: Tool, strict: bool, recursion: OnRecursion
    ) -> tuple[Definition | TextDefinition, dict[str, Any]]:
        """Return the definition of a tool, and the schema in it."""
        if recursion not in ("refuse", "cut"):
            raise ValueError(f"recursion is 'refuse' or 'cut', not {recursion!r}")
        how = (self, strict, recursion)
        kept = _KEPT.get(tool, how)
        if kept is None:
            kept = self._rendered(tool, strict, recursion)
            _KEPT.put(tool, how, *kept)
        return kept

    def _rendered(
        self, tool: Tool, strict: bool, recursion: OnRecursion
    ) -> tuple[Definition | TextDefinition, dict[str, Any]]:
        from fcregistry._tools.tool import Tool  # these two are not needed to read calls and report results
        from fcregistry.formats._rewrite import Unsayable
        from fcregistry.formats._transform import transformed

        if not isinstance(tool, Tool):
            raise TypeError(
                f"{tool!r:.80} is no Tool: Tool.from_function(…) makes one of a function, and registry.get(…) returns one by its name"
            )
        profile, schema = self._profile(strict), tool.parameters
        name = self.alphabet.wire_name(tool.name) if self.alphabet else tool.name
        try:
            parameters, dropped = (schema, ()) if profile is None else transformed(schema, profile, recursion)
            made = self.render(
                RenderInput(tool=tool, name=name, text=tool_description(tool), parameters=parameters, strict=strict)
            )
        except Unsayable as unsayable:
            raise self._refusal(tool, strict, unsayable.problems) from None
        except RecursionError:
            raise self._refusal(tool, strict, ("$: is nested too deeply",)) from None
        if isinstance(made, TextDefinition):
            return TextDefinition(made, (*dropped, *made.dropped)), parameters
        return Definition(made, dropped), parameters

    def _refusal(self, tool: Tool, strict: bool, problems: tuple[str, ...]) -> DefinitionError:
        mode = " with strict=True" if strict else ""
        return DefinitionError(f"the tool {tool.id} cannot be described in the format {self.name!r}{mode}:", problems)

    def _check_limits(self, schemas: list[dict[str, Any]], strict: bool) -> None:
        """Look whether the schemas of one request are too many.

        Raises:
            DefinitionError: They are.
        """
        from fcregistry.formats._profile import excesses_together  # as above

        profile = self._profile(strict)
        problems = excesses_together(schemas, profile) if profile is not None else []
        if problems:
            headline = f"these tools cannot be described together in the format {self.name!r} with strict=True:"
            raise DefinitionError(headline, tuple(problems))

    def _profile(self, strict: bool) -> Profile | None:
        if not strict:
            return self.profile
        if self.strict_profile is None:
            raise DefinitionError(
                f"the format {self.name!r} has no strict mode; these have one: {', '.join(STRICT_FORMATS)}"
            )
        return self.strict_profile


def _together(errors: list[DefinitionError]) -> DefinitionError:
    """Return one error of several tools."""
    headlines = [str(error).split("\n", 1)[0].removesuffix(":") for error in errors]
    problems = [f"{headline}: {'; '.join(error.problems)}" for headline, error in zip(headlines, errors, strict=True)]
    return DefinitionError(f"{len(errors)} tools cannot be described:", tuple(problems))


def tool_description(tool: Tool) -> str:
    """Return what a model is told of a tool: its description, and whether it is deprecated."""
    deprecated = tool.options.deprecated
    if not deprecated:
        return tool.description
    notice = "Deprecated." if deprecated is True else f"Deprecated: {deprecated}"
    return f"{tool.description}\n\n{notice}".strip()
