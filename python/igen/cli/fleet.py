"""`igen fleet`: private load machines, as a Ray cluster."""

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
def fleet() -> None:
    """Start and stop a cluster of load machines.

    A cluster runs Ray under your account on each machine. It is protected by a token and TLS. Anybody who has
    both can run any program on these machines under your account.
    """


@fleet.command()
@click.option(
    "--node",
    "nodes",
    metavar="HOST",
    multiple=True,
    help="A machine that joins the cluster; may be repeated.",
)
@click.option("--port", metavar="PORT", type=click.IntRange(1, 65535), default=PORT, show_default=True,
              help="Port of the head.")  # fmt: skip
@click.option("--client-port", metavar="PORT", type=click.IntRange(1, 65535), default=CLIENT_PORT,
              show_default=True, help="Port for clients of Ray.")  # fmt: skip
@click.option(
    "--insecure", is_flag=True,
    help="Do not use a token and TLS: anybody who reaches one machine can run programs on all machines.",
)  # fmt: skip
@p.json_option
@p.quiet_option
def up(
    nodes: tuple[str, ...], port: int, client_port: int, insecure: bool, as_json: bool, quiet: bool
) -> None:
    """Start the head of a cluster on this machine.

    Prints a command for each machine that joins; it copies token and certificate there by ssh, into files
    that only you can read. The certificate is valid for the named machines. Each machine needs the same
    versions of Ray and Python as this machine.

    \b
    Examples:
      igen fleet up --node load-b --node load-c
      igen run http --target http://shop.example --users 4000 --agents 3 --fleet auto
      igen fleet down
    """
    from igen.cluster import head

    begun = head.up(nodes, port=port, client_port=client_port, insecure=insecure)
    joining = _joining(begun)
    if as_json:
        print_json({**_described(begun, up=True), "join": joining})
        return
    click.echo(f"The head of your cluster is running on {begun.address}:{begun.port}.")
    if joining:
        click.echo("Run on this machine, once for each machine that joins:")
    for line in joining:
        click.echo(f"  {line}")
    if joining and not begun.insecure:
        click.echo("Keep the copied files secret: anyone who has them can run programs on these machines.")
    agents = f"--agents {len(begun.nodes) + 1} --fleet auto"
    say_next("igen fleet status", f"igen run … {agents}", "igen fleet down", quiet=quiet)


@fleet.command()
@p.json_option
def status(as_json: bool) -> None:
    """List the machines that have joined.

    \b
    Examples:
      igen fleet status
      igen fleet status --json
    """
    from igen.cluster import home

    known = home.read()
    if known is None or not home.is_up():
        if as_json:
            print_json({"up": False})
        else:
            click.echo("Your cluster is not running on this machine.")
        return
    from igen.fleet.ray import nodes

    there = nodes(known)
    if as_json:
        print_json({**_described(known, up=True), "machines": there})
        return
    click.echo(f"The head of your cluster is running on {known.address}:{known.port}.")
    names = {address: node for node, address in known.nodes.items() if node != address}
    for address in sorted({known.address, *known.nodes.values(), *there}):
        name = f" ({names[address]})" if address in names else ""
        click.echo(f"  {address}{name}  {'joined' if address in there else 'has not joined'}")


@fleet.command()
@p.json_option
def down(as_json: bool) -> None:
    """Stop the cluster on this machine.

    Prints a command for each other machine, which stops the cluster there.

    \b
    Examples:
      igen fleet down
      igen fleet down --json
    """
    from igen.cluster import head
    from igen.cluster.home import CARRIED

    ended = head.down()
    leaving = [f"ssh {shlex.quote(node)} {CARRIED}/leave" for node in (ended.nodes if ended else ())]
    if as_json:
        print_json({"up": False, "leave": leaving})
        return
    click.echo(
        "The head of your cluster was stopped." if ended else "Your cluster is not running on this machine."
    )
    for line in leaving:
        click.echo(f"  {line}")


def _joining(begun: Cluster) -> list[str]:
    """Yield the command for each machine that joins."""
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
