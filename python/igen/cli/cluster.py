"""`igen cluster`: load machines of one's own, as a Ray cluster."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.cli.output import print_json, say_next
from igen.cluster.home import CLIENT_PORT, PORT

if TYPE_CHECKING:
    from igen.cluster.home import Cluster


@click.group()
def cluster() -> None:
    """Start and stop a cluster of load machines.

    Ray runs on each of them, as you. It asks for a token and speaks TLS; whoever has both can run any program
    on each of these machines, as you.
    """


@cluster.command()
@click.option(
    "--node", "nodes", metavar="HOST", multiple=True, help="A machine that is to join; may be repeated."
)
@click.option("--port", metavar="PORT", type=click.IntRange(1, 65535), default=PORT, show_default=True,
              help="Port of the head.")  # fmt: skip
@click.option("--client-port", metavar="PORT", type=click.IntRange(1, 65535), default=CLIENT_PORT,
              show_default=True, help="Port of Ray's server for clients.")  # fmt: skip
@click.option(
    "--insecure", is_flag=True,
    help="Neither token nor TLS: whoever reaches one of the machines can run programs on all of them.",
)  # fmt: skip
@p.json_option
@p.quiet_option
def up(
    nodes: tuple[str, ...], port: int, client_port: int, insecure: bool, as_json: bool, quiet: bool
) -> None:
    """Start the head of a cluster on this machine.

    It prints a line for each machine that is to join, which brings token and certificate there by ssh, in
    files that only you can read. The certificate is for the machines that are named. Each of them needs Ray,
    of the same version and for the same Python as here.

    \b
    Examples:
      igen cluster up --node load-b --node load-c
      igen run http --target http://shop.example --users 4000 --agents 3 --fleet auto
      igen cluster down
    """
    from igen.cluster import head

    begun = head.up(nodes, port=port, client_port=client_port, insecure=insecure)
    joining = _joining(begun)
    if as_json:
        print_json({**_described(begun, up=True), "join": joining})
        return
    click.echo(f"The head of your cluster runs on {begun.address}:{begun.port}.")
    if joining:
        click.echo("On this machine, once for each machine that is to join:")
    for line in joining:
        click.echo(f"  {line}")
    if joining and not begun.insecure:
        click.echo("Whoever has the files that they carry can run any program on each of the machines.")
    agents = f"--agents {len(begun.nodes) + 1} --fleet auto"
    say_next("igen cluster status", f"igen run … {agents}", "igen cluster down", quiet=quiet)


@cluster.command()
@p.json_option
def status(as_json: bool) -> None:
    """Tell which machines have joined.

    \b
    Examples:
      igen cluster status
      igen cluster status --json
    """
    from igen.cluster import home

    known = home.read()
    if known is None or not home.is_up():
        if as_json:
            print_json({"up": False})
        else:
            click.echo("No cluster of yours is up on this machine.")
        return
    from igen.fleet.ray import nodes

    there = nodes(known)
    if as_json:
        print_json({**_described(known, up=True), "machines": there})
        return
    click.echo(f"The head of your cluster runs on {known.address}:{known.port}.")
    names = {address: node for node, address in known.nodes.items() if node != address}
    for address in sorted({known.address, *known.nodes.values(), *there}):
        name = f" ({names[address]})" if address in names else ""
        click.echo(f"  {address}{name}  {'joined' if address in there else 'has not joined'}")


@cluster.command()
@p.json_option
def down(as_json: bool) -> None:
    """End your cluster on this machine.

    It prints a line for each machine that may have joined, which ends what runs there.

    \b
    Examples:
      igen cluster down
      igen cluster down --json
    """
    from igen.cluster import head
    from igen.cluster.home import CARRIED

    ended = head.down()
    leaving = [f"ssh {shlex.quote(node)} {CARRIED}/leave" for node in (ended.nodes if ended else ())]
    if as_json:
        print_json({"up": False, "leave": leaving})
        return
    click.echo("Your cluster's head has ended." if ended else "No cluster of yours is up on this machine.")
    for line in leaving:
        click.echo(f"  {line}")


def _joining(begun: Cluster) -> list[str]:
    """The line for each machine that is to join."""
    from igen.cluster.home import CARRIED, folder

    sent = f"tar -cf - -C {shlex.quote(str(folder()))} {CARRIED}"
    return [
        f"{sent} | ssh {shlex.quote(node)} 'tar -xof - && {CARRIED}/join {address}'"
        for node, address in begun.nodes.items()
    ]


def _described(known: Cluster, *, up: bool) -> dict[str, Any]:
    return {
        "up": up,
        "address": f"{known.address}:{known.port}",
        "protected": not known.insecure,
        "nodes": known.nodes,
    }
