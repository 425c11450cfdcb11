"""The command `completion`: the script by which a shell completes commands, tools and options."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from fcregistry.cli._output import say

_BASH: Final = """\
# bash ends a word at each colon and equals sign, but names of tools and models contain them. So the line is sent as typed, in the way of
# fish, and what bash takes for earlier words is removed from the answers.
_fcregistry_completion() {
    local line=${COMP_LINE:0:COMP_POINT} before= kind value
    local word=${line##*[[:space:]]}
    if [[ $COMP_WORDBREAKS == *:* ]]; then
        before=${word##*=}
        before=${before%"${before##*:}"}
    fi
    COMPREPLY=()
    while IFS=, read -r kind value; do
        value=${value%%$'\\t'*}
        case $kind in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                COMPREPLY+=("${value#"$before"}")
                [[ $value == *: ]] && compopt -o nospace ;;
        esac
    done < <(COMP_WORDS=$line COMP_CWORD=$word _FCREGISTRY_COMPLETE=fish_complete "$1" 2>/dev/null)
}
complete -o nosort -F _fcregistry_completion fcregistry 2>/dev/null || complete -F _fcregistry_completion fcregistry
"""


@click.command("completion", short_help="Write the script for completion in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Write the script by which bash, zsh or fish completes commands, tools and their options.

    For bash, add eval "$(fcregistry completion bash)" to ~/.bashrc.

    For zsh, add eval "$(fcregistry completion zsh)" to ~/.zshrc.

    For fish, run once: fcregistry completion fish > ~/.config/fish/completions/fcregistry.fish
    """
    made = None if shell == "bash" else get_completion_class(shell)
    script = made(ctx.find_root().command, {}, "fcregistry", "_FCREGISTRY_COMPLETE").source() if made else _BASH
    say(script.rstrip("\n"))
