"""Which calls does the configuration deny, or ask about? It stands above what policies and the tools' authors say.

MERGED: Which calls are allowed, asked about, denied? The operator's say, in the one grammar of selectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from fcregistry._config.policy import trust
from fcregistry._tools.selectors import Selector, SelectorSubject, did_you_mean, nearest, parse_selectors, subject
from fcregistry.errors import AmbiguousToolError, SelectorError, ToolNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry._config.policy import Trust
    from fcregistry._tools.tool import Tool

# --- execution._approving._configured ---


def with_configured(rulings: Mapping[str, Ruling], tools: Iterable[Tool]) -> Mapping[str, Ruling]:
    """Return what holds of tools, by wire name, where a policy's word is not enough.

    Args:
        rulings: What a policy says.
        tools: The tools.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    operator = trust()
    if operator.is_open:
        return rulings
    decided = dict(rulings)
    for tool in tools:
        ruling = _ruling(operator, tool)
        if ruling is not None and (ruling.verdict == "deny" or not _is_denied(decided.get(tool.name))):
            decided[tool.name] = ruling
    return decided


def _ruling(operator: Trust, tool: Tool) -> Ruling | None:
    about = _known(tool)
    if reason := operator.tool_refusal(about, given=True) or _drift(operator, tool, about.distribution):
        return Ruling("deny", said=reason)
    if reason := operator.asks(about):
        return Ruling("ask", said=reason)
    return None


def _drift(operator: Trust, tool: Tool, distribution: str | None) -> str | None:
    """Return why a tool is not the one that is locked: here the code is loaded, or is held to what is known of it."""
    if distribution is None or not operator.locks:
        return None
    from fcregistry._tools.indexed import record_of  # only where tools are locked

    return operator.record_refusal(distribution, record_of(tool))


def _is_denied(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling.verdict == "deny"


def _known(tool: Tool) -> SelectorSubject:
    """Return a tool as selectors see it, with every name that it answers to: a view that renames it takes it out of no rule."""
    renamed = () if tool.name == tool.declared_name else (tool.name,)
    return subject(tool)._replace(aliases=(*tool.options.aliases, *renamed))


# --- execution._approving._policy ---

Verdict: TypeAlias = Literal["allow", "ask", "deny", "tool"]

_VERDICTS: Final = ("tool", "allow", "ask", "deny")


class Ruling(NamedTuple):
    """What a policy says of one tool.

    Attributes:
        verdict: `allow`, `ask` or `deny`; `tool`: what its author said.
        rule: The selector that says so; empty for the default.
        said: In words, what in the configuration says so; empty for a policy.
    """

    verdict: Verdict
    rule: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which calls are allowed, asked about, denied. `deny` stands above `ask`, and `ask` above `allow`.

    Each takes selectors, read in their order as everywhere: one with `!` takes away from what stands before it. A tool that a view renamed
    answers to either name.

    Args:
        allow: Tools that run without anybody being asked, also where their author wrote `requires_approval`.
        ask: Tools whose every call is asked about.
        deny: Tools that never run.
        default: What holds for the others: `tool`, what their authors say; `allow`, `ask` or `deny`.
        must_match: Whether a selector that names none of an executor's tools is an error when the executor is made: a misspelt one protects
            nothing. False for a policy that executors of different tools share. A hint such as `destructive=true` may always match nothing.

    Raises:
        SelectorError: One of them is no selector.
        ValueError: There is no such default.
    """

    allow: Sequence[str] = ()
    ask: Sequence[str] = ()
    deny: Sequence[str] = ()
    default: Verdict = "tool"
    must_match: bool = True
    _rules: tuple[tuple[Verdict, tuple[Selector, ...]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.default not in _VERDICTS:
            raise ValueError(f"the default of a policy is one of {', '.join(_VERDICTS)}, not {self.default!r}")
        given: tuple[tuple[Verdict, Sequence[str]], ...] = (
            ("deny", self.deny),
            ("ask", self.ask),
            ("allow", self.allow),
        )
        rules = tuple((verdict, _read(verdict, texts)) for verdict, texts in given)
        for (verdict, _), (_, selectors) in zip(given, rules, strict=True):
            texts = tuple(("!" if each.excludes else "") + each.text for each in selectors)
            object.__setattr__(self, verdict, texts)  # the caller's list may change
        object.__setattr__(self, "_rules", rules)

    def rulings(self, tools: Iterable[Tool]) -> dict[str, Ruling]:
        """Return what it says of each of some tools, by wire name.

        Raises:
            ToolNotFoundError: A selector matches none of them, and must.
            AmbiguousToolError: A plain name that several have.
        """
        cast = _Cast(tools)
        decided = dict.fromkeys(cast.names, Ruling(self.default))
        for verdict, selectors in reversed(self._rules):  # what stands above is said last
            for name, rule in self._chosen(selectors, cast).items():
                decided[name] = Ruling(verdict, rule)
        return decided

    def _chosen(self, selectors: tuple[Selector, ...], cast: _Cast) -> dict[str, str]:
        """Return the wire names that selectors of one list name, each with the selector that names it."""
        chosen: dict[str, str] = {}
        if selectors and selectors[0].excludes:
            chosen = dict.fromkeys(cast.names, f"!{selectors[0].text}")
        for selector in selectors:
            named = cast.named(selector)
            if not named and self.must_match and selector.hint is None:
                raise cast.not_found(selector)
            for name in named:
                if selector.excludes:
                    chosen.pop(name, None)
                else:
                    chosen[name] = selector.text
        return chosen


def _read(verdict: Verdict, texts: Sequence[str]) -> tuple[Selector, ...]:
    try:
        return parse_selectors(texts)
    except SelectorError as error:
        raise SelectorError(f"{verdict} of a policy: {error}") from None
    except TypeError:
        raise SelectorError(f"{verdict} of a policy: give selectors as a list, not {texts!r}") from None


class _Cast:
    """The tools that a policy is about, with the names that each answers to."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._subjects = {name: _subjects(tool) for name, tool in self._tools.items()}

    @property
    def names(self) -> list[str]:
        """The wire names."""
        return list(self._tools)

    def named(self, selector: Selector) -> list[str]:
        """Return the wire names of the tools that a selector names.

        Raises:
            AmbiguousToolError: It is a plain name, and several have it.
        """
        found = [name for name, about in self._subjects.items() if any(map(selector.matches, about))]
        if selector.is_exact and not found:
            found = [name for name, tool in self._tools.items() if any(map(selector.matches, _aliased(tool)))]
        if selector.is_exact and len(found) > 1:
            ids = tuple(sorted(_full_name(self._tools[name]) for name in found))
            raise AmbiguousToolError(
                f"the policy names {selector.text!r}, which may be any of {', '.join(ids)}; name one of these",
                candidates=ids,
            )
        return found

    def not_found(self, selector: Selector) -> ToolNotFoundError:
        """Return the error for a selector that names none of the tools."""
        near = nearest(selector.text, sorted({*self._tools, *(tool.id for tool in self._tools.values())}))
        return ToolNotFoundError(
            f"the policy names {selector.text!r}, and no tool of the executor answers to that{did_you_mean(near)} "
            "(must_match=False, for a policy that executors of different tools share)",
            name=selector.text,
            candidates=near,
        )


def _full_name(tool: Tool) -> str:
    """Return a name that is not ambiguous: the canonical id, or `group.name` for the application's own."""
    return tool.id if ":" in tool.id else f"{tool.group}.{tool.declared_name}"


def _subjects(tool: Tool) -> tuple[SelectorSubject, ...]:
    """Return what selectors look at in a tool: once for each name that it has."""
    about = subject(tool)
    return (about,) if tool.name == tool.declared_name else (about, about._replace(name=tool.name))


def _aliased(tool: Tool) -> list[SelectorSubject]:
    return [subject(tool)._replace(name=alias) for alias in tool.options.aliases]
