"""How is a model given thousands of tools, and sees ten?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fcregistry._tools.tool import Toolset
from fcregistry.agents._arrangement import Arrangement, lazy_groups
from fcregistry.agents._gateways import Gateway, GroupGateway, gateway_of, gateways_of
from fcregistry.errors import DuplicateToolError
from fcregistry.execution._settings import toolset_of

if TYPE_CHECKING:
    from fcregistry._registry import Registry
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._settings import ToolLike


class OnDemand(Toolset):
    """Tools that a model sees when it asks for them; until then it sees gateways to them.

    It is a toolset of both, frozen, which conversations share, and is given wherever tools are: to an `Executor`, or to an agent. The gateways are
    tools as others are: policies, approvals, hooks and logs know them by their names.

        FunctionCall(llm, tools=OnDemand(["acme-*:*"]))                         # search_tools and load_tools
        FunctionCall(llm, tools=OnDemand(["acme-*:*"], groups=["search"]))      # get_search_methods, and all that is not in search

    Args:
        tools: What a model may come to see, as for `Executor`. Nothing beyond it can be found or loaded.
        groups: Lazy groups: names, or globs over names. Each is one gateway, `get_GROUP_methods`, which shows the tools of the group and of the
            groups below; one of these that is lazy itself has its own gateway, which the outer one shows.
        search: Whether tools that are in no lazy group wait behind `search_tools` and `load_tools`, which find and load any tool; by default where
            no groups are given.
        shown: Those of the tools that wait behind nothing.
        registry: Where names are looked up; the process's by default.

    Raises:
        GroupNotFoundError: None of the tools is in a group of that name.
        ToolNotFoundError, AmbiguousToolError, DefinitionError: As for `Executor`.
        DuplicateToolError: Two of the tools have one name, or one has the name of a gateway.
    """

    __slots__ = ("_arrangement", "_gateways")

    def __init__(
        self,
        tools: ToolLike | Iterable[ToolLike],
        *,
        groups: Iterable[str] = (),
        search: bool | None = None,
        shown: ToolLike | Iterable[ToolLike] = (),
        registry: Registry | None = None,
    ) -> None:
        always = toolset_of(shown, registry)
        offered = Toolset([*toolset_of(tools, registry).values(), *always.values()])
        lazy = lazy_groups(groups, {tool.group for tool in offered.values()})
        self._arrangement = Arrangement(offered, lazy, not lazy if search is None else search, set(always))
        gateways = gateways_of(self._arrangement)
        _check_names(gateways, offered)
        super().__init__([*offered.values(), *gateways])
        self._gateways = Toolset(gateways)

    @property
    def tools(self) -> Toolset:
        """All the tools, without the gateways."""
        return self._arrangement.tools

    @property
    def gateways(self) -> Toolset:
        """The gateways."""
        return self._gateways

    def __repr__(self) -> str:
        names = ", ".join(self.gateways) or "no gateways"
        return f"<OnDemand {len(self.tools)} tools behind {names}>"


def _check_names(gateways: list[Tool], tools: Toolset) -> None:
    """See that every gateway has a name of its own.

    Raises:
        DuplicateToolError: Some have not; names each, and what to do.
    """
    taken: dict[str, str] = {name: f"{tool.id} ({tool.origin})" for name, tool in tools.items()}
    clashes = []
    for gateway in gateways:
        said = _said(gateway_of(gateway))
        if gateway.name in taken:
            clashes.append(f"{gateway.name!r} is {taken[gateway.name]} and {said}")
        taken[gateway.name] = said
    if clashes:
        raise DuplicateToolError(
            f"a gateway has the name of another tool: {'; '.join(clashes)}. Leave one out, or use .renamed({{…}}) on the toolset"
        )


def _said(gateway: Gateway | None) -> str:
    return (
        f"the gateway of the group {gateway.group}" if isinstance(gateway, GroupGateway) else "a gateway of the search"
    )
