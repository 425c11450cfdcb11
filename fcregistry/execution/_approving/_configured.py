"""Which calls does the configuration deny, or ask about? It stands above what policies and the tools' authors say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._config.policy import trust
from fcregistry._tools.selectors import subject
from fcregistry.execution._approving._policy import Ruling

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fcregistry._config.policy import Trust
    from fcregistry._tools.selectors import Subject
    from fcregistry._tools.tool import Tool


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
    from fcregistry._tools.record import record_of  # only where tools are locked

    return operator.record_refusal(distribution, record_of(tool))


def _is_denied(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling.verdict == "deny"


def _known(tool: Tool) -> Subject:
    """Return a tool as selectors see it, with every name that it answers to: a view that renames it takes it out of no rule."""
    renamed = () if tool.name == tool.declared_name else (tool.name,)
    return subject(tool)._replace(aliases=(*tool.options.aliases, *renamed))
