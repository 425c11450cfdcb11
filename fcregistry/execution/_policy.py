"""Policies: which calls run, which need approval and which are denied.

The operator names tools by selectors. The configuration overrides a policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from fcregistry._tools.selectors import Selector, SelectorSubject, did_you_mean, nearest, parse_selectors
from fcregistry._tools.tool import subject
from fcregistry.errors import AmbiguousToolError, SelectorError, ToolNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry._config.policy import Trust
    from fcregistry._tools.tool import Tool

Verdict: TypeAlias = Literal["allow", "ask", "deny", "tool"]

_VERDICTS: Final = ("tool", "allow", "ask", "deny")


class Ruling(NamedTuple):
    """What a policy says of one tool.

    Attributes:
        verdict: `allow`, `ask` or `deny`; `tool`: what its author declared.
        rule: The selector that says so; empty for the default.
        reason: What in the configuration says so, in words; empty for a policy.
    """

    verdict: Verdict
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which calls run, which need approval and which are denied.

    `deny` overrides `ask`, and `ask` overrides `allow`. Each is a list of selectors, applied in order: a selector after `!` removes tools that
    earlier selectors chose. Selectors match a renamed tool by its old and by its new name.

    Args:
        allow: Tools that run without approval, even if their author declared `requires_approval`.
        ask: Tools of which every call needs approval.
        deny: Tools that never run.
        default: What applies to all other tools: `tool` for what their authors declared, or `allow`, `ask` or `deny`.
        must_match: Whether making an executor fails if a selector matches none of its tools, since a misspelt selector protects nothing.
            Give False for a policy that executors of different tools share. A hint such as `destructive=true` may always match nothing.

    Raises:
        SelectorError: An item of a list is not a selector.
        ValueError: `default` is none of these words.
    """

    allow: Sequence[str] = ()
    ask: Sequence[str] = ()
    deny: Sequence[str] = ()
    default: Verdict = "tool"
    must_match: bool = True
    _rules: tuple[tuple[Verdict, tuple[Selector, ...]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.default not in _VERDICTS:
            raise ValueError(f"the default of a policy must be one of {', '.join(_VERDICTS)}, not {self.default!r}")
        given: tuple[tuple[Verdict, Sequence[str]], ...] = (
            ("deny", self.deny),
            ("ask", self.ask),
            ("allow", self.allow),
        )
        rules = tuple((verdict, _parse_texts(verdict, texts)) for verdict, texts in given)
        for (verdict, _), (_, selectors) in zip(given, rules, strict=True):
            texts = tuple(("!" if each.excludes else "") + each.text for each in selectors)
            object.__setattr__(self, verdict, texts)  # the caller's list may change
        object.__setattr__(self, "_rules", rules)

    def rulings(self, tools: Iterable[Tool]) -> dict[str, Ruling]:
        """Return a ruling for each of some tools, by wire name.

        Args:
            tools: The tools.

        Raises:
            ToolNotFoundError: A selector matches none of them, and must.
            AmbiguousToolError: A plain name that several have.
        """
        known = _PolicyTools(tools)
        decided = dict.fromkeys(known.names, Ruling(self.default))
        for verdict, selectors in reversed(self._rules):  # `deny` last, since it overrides the others
            for name, rule in self._chosen(selectors, known).items():
                decided[name] = Ruling(verdict, rule)
        return decided

    def _chosen(self, selectors: tuple[Selector, ...], known: _PolicyTools) -> dict[str, str]:
        """Return the wire names that the selectors of one list match, each with the selector that matches it."""
        chosen: dict[str, str] = {}
        if selectors and selectors[0].excludes:
            chosen = dict.fromkeys(known.names, f"!{selectors[0].text}")
        for selector in selectors:
            matched = known.matches(selector)
            if not matched and self.must_match and selector.hint is None:
                raise known.not_found(selector)
            for name in matched:
                if selector.excludes:
                    chosen.pop(name, None)
                else:
                    chosen[name] = selector.text
        return chosen


def _parse_texts(verdict: Verdict, texts: Sequence[str]) -> tuple[Selector, ...]:
    try:
        return parse_selectors(texts)
    except SelectorError as error:
        raise SelectorError(f"{verdict} of a policy: {error}") from None
    except TypeError:
        raise SelectorError(f"{verdict} of a policy: give selectors as a list, not {texts!r}") from None


class _PolicyTools:
    """The tools that a policy is about, with the names that each answers to."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._subjects = {name: _subjects(tool) for name, tool in self._tools.items()}

    @property
    def names(self) -> list[str]:
        """The wire names."""
        return list(self._tools)

    def matches(self, selector: Selector) -> list[str]:
        """Return the wire names of the tools that a selector matches.

        Raises:
            AmbiguousToolError: It is a plain name, and several have it.
        """
        for each in filter(None, (selector, selector.in_any_group())):
            found = [name for name, about in self._subjects.items() if any(map(each.matches, about))]
            if found:
                break
        if selector.is_exact and not found:
            found = [name for name, tool in self._tools.items() if any(map(selector.matches, _alias_subjects(tool)))]
        if selector.is_exact and len(found) > 1:
            ids = tuple(sorted(_full_name(self._tools[name]) for name in found))
            raise AmbiguousToolError(
                f"the policy names {selector.text!r}, which may be any of {', '.join(ids)}; name one of these",
                candidates=ids,
            )
        return found

    def not_found(self, selector: Selector) -> ToolNotFoundError:
        """Return the error for a selector that matches no tool."""
        is_plain = not {":", "."} & set(selector.text)
        near = nearest(selector.text, sorted(tool.name if is_plain else tool.id for tool in self._tools.values()))
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
    """Return a tool as selectors see it, once for each of its names."""
    about = subject(tool)
    return (about,) if tool.name == tool.declared_name else (about, about._replace(name=tool.name))


def _alias_subjects(tool: Tool) -> list[SelectorSubject]:
    return [subject(tool)._replace(name=alias) for alias in tool.options.aliases]


# --- The configuration, which comes before any policy ---


def apply_configuration(operator: Trust, rulings: Mapping[str, Ruling], tools: Iterable[Tool]) -> Mapping[str, Ruling]:
    """Return rulings about tools, by wire name, as the configuration changes them.

    Args:
        operator: The rules of the configuration.
        rulings: Those of a policy.
        tools: The tools.
    """
    if operator.is_open:
        return rulings
    decided = dict(rulings)
    for tool in tools:
        ruling = _configured_ruling(operator, tool)
        if ruling is not None and (ruling.verdict == "deny" or not _is_denied(decided.get(tool.name))):
            decided[tool.name] = ruling
    return decided


def _configured_ruling(operator: Trust, tool: Tool) -> Ruling | None:
    about = _subject_with_aliases(tool)
    reason = operator.tool_refusal(about, given=True, entry_point=tool.origin.entry_point)
    if reason := reason or _lock_refusal(operator, tool, about.distribution):
        return Ruling("deny", reason=reason)
    if reason := operator.asks(about):
        return Ruling("ask", reason=reason)
    return None


def _lock_refusal(operator: Trust, tool: Tool, distribution: str | None) -> str | None:
    """Return why a tool is not the one that is locked; None if it is, or if no tool is locked."""
    if distribution is None or not operator.locks:
        return None
    from fcregistry._tools.indexed import record_of  # only where tools are locked

    return operator.record_refusal(distribution, record_of(tool))


def _is_denied(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling.verdict == "deny"


def _subject_with_aliases(tool: Tool) -> SelectorSubject:
    """Return a tool as selectors see it, with all its names.

    A view that renames it does not exempt it from a rule.
    """
    renamed = () if tool.name == tool.declared_name else (tool.name,)
    return subject(tool)._replace(aliases=(*tool.options.aliases, *renamed))
