"""Is the manifest that stands in a project what its code says now? If not, how does it differ, in words?"""

from __future__ import annotations

from collections.abc import Iterator

from fcregistry.discovery._manifest import ManifestContent, ManifestPlugin, drift, read_text
from fcregistry.packaging._building import BuiltManifest


def differences(built: BuiltManifest) -> list[str]:
    """Return, a line each, how what stands at a manifest's place differs from what has to stand there; nothing if it is up to date.

    Args:
        built: The manifest as the code would have it. The tools of a dynamic plugin are a hint, and may differ.
    """
    if built.standing is None:
        return ["it is not there"]
    if built.standing == built.text:
        return []
    try:
        standing = read_text(built.standing)
    except ValueError as error:
        return [str(error)]
    return list(_differences(standing, built.content))


def _differences(old: ManifestContent, new: ManifestContent) -> Iterator[str]:
    if old["distribution"] != new["distribution"]:
        yield f"it is of {old['distribution']}, and the distribution is {new['distribution']}"
    before, after = ({each["entry_point"]: each for each in content["plugins"]} for content in (old, new))
    for name in sorted({*before, *after}):
        if name not in after:
            yield f"the entry point {name} is gone"
        elif name not in before:
            yield f"the entry point {name} is not in it"
        else:
            yield from _plugin_differences(name, before[name], after[name])
    for source in sorted({*old["sources"], *new["sources"]}):
        if old["sources"].get(source) != new["sources"].get(source):
            yield f"{source} has changed"


def _plugin_differences(name: str, old: ManifestPlugin, new: ManifestPlugin) -> Iterator[str]:
    if old["value"] != new["value"]:
        yield f"the entry point {name} names {new['value']}, not {old['value']}"
    if old["dynamic"] != new["dynamic"]:
        yield f"the tools of the entry point {name} depend on the environment{' no more' * old['dynamic']}"
    if new["dynamic"]:
        return
    lines = drift(old, new)
    yield from lines
    if not lines and old["tools"] != new["tools"]:
        yield f"a tool of the entry point {name} stands in another place, or has another digest"
