"""`igen completion`: completion of commands, workloads and runs in a shell."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes words in a shell.

    \b
    Examples:
      igen completion bash > /etc/bash_completion.d/igen
      igen completion fish > ~/.config/fish/completions/igen.fish
    """
    from click.shell_completion import get_completion_class

    root = context.find_root()
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(root.command, {}, "igen", "_IGEN_COMPLETE").source())
