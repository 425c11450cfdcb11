"""All web tools at once."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from fcregistry.execution import Toolset

from fcregistry_web._access import WebAccess
from fcregistry_web._download import LONGEST, download_tool
from fcregistry_web._fetch import fetch_tool
from fcregistry_web._search import SearchProvider, search_tool

if TYPE_CHECKING:
    from fcregistry_files import Root


def web_tools(
    access: WebAccess | None = None,
    *,
    search: SearchProvider | None = None,
    root: Root | str | os.PathLike[str] | None = None,
) -> Toolset:
    """Return `fetch_url`, and `web_search` and `download_file` if they are configured.

    Args:
        access: What `fetch_url` and `download_file` may reach, and their limits. By default, all hosts on the public internet.
            A download may take 300 seconds, or the `timeout` if that is longer.
        search: Where `web_search` looks. Without it, there is no `web_search`.
        root: The folder of `download_file`. Without it, there is no `download_file`.

    Raises:
        DefinitionError: An argument is not valid.
        MissingDependencyError: `root` is given, and fcregistry-files is not installed.
        OSError: The folder cannot be opened.
    """
    tools = [fetch_tool(access)]
    if search is not None:
        tools.append(search_tool(search))
    if root is not None:
        access = access if access is not None else WebAccess()
        tools.append(download_tool(root, replace(access, timeout=max(access.timeout, LONGEST))))
    return Toolset(tools)
