"""Data folders: created atomically, empty or filled by the server's own loader."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from igen.errors import Interrupted
from igen.instances import process
from igen.instances.account import as_account, environment, make_folder, write_for
from igen.instances.instance import Instance
from igen.instances.product import Command, Product

Feed = Callable[[Instance], Iterable[bytes]]
"""Data for an instance, in pieces, in the format of its bulk loader."""


def make(product: Product, instance: Instance, feed: Feed | None, stopped: Callable[[], bool]) -> None:
    """Makes the data folder of an instance that does not run; one without anything in it is replaced.

    Raises `IgenError`, and `Interrupted` when `stopped` becomes true.
    """
    part = instance.folder / "data.part"
    shutil.rmtree(part, ignore_errors=True)
    make_folder(product, part, 0o700)
    try:
        configure(product, instance, part)
        if command := product.initialise(part):
            process.execute(product, command)
        if feed and product.bulk_loader:
            _load(product, product.bulk_loader.load(instance), feed(instance), stopped)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    if instance.data.exists():
        shutil.rmtree(instance.data)
    part.rename(instance.data)


def configure(product: Product, instance: Instance, data: Path) -> None:
    """Write the configuration before `data` is used."""
    for name, text in product.configure(instance, data).items():
        write_for(product, instance.folder / name, text)


def _load(product: Product, command: Command, pieces: Iterable[bytes], stopped: Callable[[], bool]) -> None:
    """Write the pieces to a loader."""
    loader = subprocess.Popen(
        as_account(product, command),
        cwd="/",
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # A session of its own: the terminal's Ctrl-C reaches only this process.
        start_new_session=True,
    )
    with loader:
        assert loader.stdin is not None
        assert loader.stderr is not None
        try:
            for piece in pieces:
                if stopped():
                    raise Interrupted("interrupted: the loaded data was removed")
                loader.stdin.write(piece)
            loader.stdin.close()
        except BrokenPipeError:
            # It is about to say why it went away.
            pass
        except BaseException:
            loader.kill()
            raise
        said = loader.stderr.read().decode(errors="replace")
    if loader.returncode != 0:
        raise process.failed(command, said)
