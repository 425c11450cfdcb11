"""The command `manifest`: writes or shows files by which tools are listed without importing their package."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from fcregistry._tools.selectors import normalized
from fcregistry.cli._output import complain, counted, json_option, relative_path, remark, say, say_json, table
from fcregistry.discovery import FoundPlugin, Manifest, ManifestProblem, find_plugins, manifest_of
from fcregistry.packaging import BuiltManifest, build_manifests, manifest_differences, search_path, target_distribution


@click.group("manifest", short_help="Write or show the manifests of a package.")
def command() -> None:
    """Write, check or show the manifests of a distribution.

    A manifest says what a plugin ships, so that its tools are listed without importing it.
    """


@command.command("build", short_help="Write the manifests of a plugin's project.")
@click.argument("distribution", required=False, metavar="[DISTRIBUTION]")
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 1 if a manifest is missing or older than the code."
)
@click.pass_context
def build_command(ctx: click.Context, distribution: str | None, check: bool) -> None:
    """Write the manifests of the project in the working folder, or of an editable install of DISTRIBUTION.

    A process of its own imports the plugins.
    """
    with target_distribution(distribution, Path.cwd()) as meant:
        manifests = build_manifests(meant)
    for text in (text for each in manifests for text in each.remarks):
        remark(f"note: {text}")
    stale = [each for each in manifests if not (_check(each) if check else _write(each))]
    ctx.exit(1 if stale else 0)


def _check(built: BuiltManifest) -> bool:
    """Write to stdout whether a manifest is up to date, and return that.

    If it is not, its differences from the code are written too, and advice to stderr.
    """
    lines = manifest_differences(built)
    if not lines:
        say(f"{relative_path(built.path)} is up to date")
        return True
    say("\n  ".join([f"{relative_path(built.path)} differs from the code:", *lines]))
    complain("run: fcregistry manifest build")
    return False


def _write(built: BuiltManifest) -> bool:
    """Write a manifest to its file unless it is up to date, say to stdout which, and return True."""
    if built.written == built.text:
        say(f"{relative_path(built.path)} is up to date")
        return True
    built.write()
    tools = sum(len(each["tools"]) for each in built.content["plugins"])
    say(f"wrote {relative_path(built.path)}: {counted(tools, 'tool')}")
    return True


@command.command("show", short_help="Show the manifests of a distribution.")
@click.argument("distribution", required=False, metavar="[DISTRIBUTION]")
@json_option
@click.pass_context
def show_command(ctx: click.Context, distribution: str | None, as_json: bool) -> None:
    """Show the manifests of an installed DISTRIBUTION, or of the project in the working folder.

    Nothing is imported.

    Exits with 1 if a plugin has no manifest, or one that cannot be used.
    """
    with target_distribution(distribution, Path.cwd()) as meant, search_path(meant.path):
        plugins = [each for each in find_plugins() if each.project == normalized(meant.distribution)]
        found = [(plugin, manifest_of(plugin)) for plugin in plugins]
    if not found:
        raise click.UsageError(f"no distribution {meant.distribution!r} with plugins is installed here")
    if as_json:
        say_json([_json(*each) for each in found])
    else:
        _write_states(found)
    ctx.exit(0 if all(isinstance(each, Manifest) and not each.is_stale for _, each in found) else 1)


def _json(plugin: FoundPlugin, manifest: Manifest | ManifestProblem | None) -> dict[str, object]:
    """Return the manifest of a plugin as a JSON object.

    If `manifest` is a problem or None, `sources` and `tools` are empty; if it is None, `path` is None. A stale manifest has all of them.
    """
    usable = manifest if isinstance(manifest, Manifest) else None
    return {
        "plugin": plugin.label,
        "path": str(manifest.path) if manifest is not None else None,
        "state": _state(manifest),
        "dynamic": usable is not None and usable.dynamic,
        "sources": [str(each) for each in usable.sources] if usable else [],
        "tools": usable.tools if usable else [],
    }


def _write_states(found: Iterable[tuple[FoundPlugin, Manifest | ManifestProblem | None]]) -> None:
    """Write the state of each plugin's manifest to stdout, and advice for a `ManifestProblem`.

    Below is a table of the tools in all other manifests, stale ones too; none if there are no tools.
    """
    rows = []
    for plugin, manifest in found:
        say(f"{plugin.label}: {f'{relative_path(manifest.path)} ' if manifest else ''}{_state(manifest)}")
        if isinstance(manifest, ManifestProblem):
            say(f"    {manifest.advice}")
        if isinstance(manifest, Manifest):
            rows += [(each["name"], each["group"], each["summary"]) for each in manifest.tools]
    if rows:
        table(rows, ("NAME", "GROUP", "SUMMARY"))


def _state(manifest: Manifest | ManifestProblem | None) -> str:
    """Return the state of a plugin's manifest, as the end of a sentence about the plugin or the file.

    Args:
        manifest: The manifest, its problem, or None if there is none.
    """
    if manifest is None:
        return "has no manifest (write it in its project: fcregistry manifest build)"
    if isinstance(manifest, ManifestProblem):
        return f"cannot be used: {manifest.message}"
    if manifest.is_stale:
        return f"is older than the code, and is not used ({', '.join(manifest.changed)} changed)"
    return "is up to date" + (" (its tools depend on the environment)" if manifest.dynamic else "")
