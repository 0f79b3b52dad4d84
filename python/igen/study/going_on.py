"""Checks before a run is resumed: the rest must belong to the same study, release, machine and folder."""

from __future__ import annotations

import os
import socket

from igen.errors import InputError
from igen.store.run import RUN_FILE, RunRecord, boot_here, folder_here
from igen.study.plans import plan_type
from igen.version import VERSION

_WHERE = "resume"


def check_can_go_on(record: RunRecord) -> None:
    """Raise `InputError`. A run in segments ends by its time, and another release may continue it."""
    if not plan_type(record.mode).in_segments:
        _check_is_rest(record)
    _check_place(record)


def _check_is_rest(record: RunRecord) -> None:
    if record.outcome == "complete":
        hint = f"`igen show {record.run}` shows its results; start a new run for more"
        raise InputError(f"{record.run} is complete", where=_WHERE, hint=hint)
    if not record.igen_version:
        text = f"{RUN_FILE} of {record.run} is missing or damaged, so its study is unknown"
        hint = f"`igen show {record.run}` shows its recorded results; start a new run"
        raise InputError(text, where=_WHERE, hint=hint)
    if record.igen_version != VERSION:
        text = f"{record.run} was started by igen {record.igen_version}"
        hint = f"this is {VERSION}, which may generate another load: start a new run"
        raise InputError(text, where=_WHERE, hint=hint)


def _check_place(record: RunRecord) -> None:
    """Raise `InputError` on another machine or in another folder: a target may have other data there."""
    here = socket.gethostname()
    # A new container on the same machine has another name.
    is_same_machine = bool(record.boot) and record.boot == boot_here()
    if record.host and record.host != here and not is_same_machine:
        text = f"{record.run} was measured on {record.host}, and this is {here}"
        hint = "resume it there; give a container that outlives a reboot its own host name"
        raise InputError(text, where=_WHERE, hint=hint)
    folder = folder_here()
    if record.folder and os.path.realpath(record.folder) != folder:
        text = f"{record.run} was started in {record.folder}, and this is {folder or 'no folder'}"
        hint = f"`cd {record.folder}`: its targets may be relative to this folder"
        raise InputError(text, where=_WHERE, hint=hint)
