"""Works a queue off: one study after another, each in a process of its own, one runner a store."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from igen.fleet.interrupts import Interrupts
from igen.own_folder import only_one
from igen.queue.entry import Entry
from igen.queue.folder import Content, QueueFolder
from igen.queue.steps import Refuse, Start, Wait, ended, next_step, refused, started
from igen.queue.study_process import CarryOut, carry_out, goes_on, last_error, run_of
from igen.queue.unseen import as_its_run
from igen.store.access import not_written
from igen.store.active import active_runs
from igen.store.files import make_folder

LOOK_S = 1.0
"""How long at most what was added, or a run that has ended, waits to be seen."""
RUNNER_FOLDER = "runner"

Say = Callable[[str], None]


@dataclass(slots=True, kw_only=True)
class Runner:
    """Works off the queue of a store."""

    queue: QueueFolder
    say: Say
    carry_out: CarryOut = carry_out
    now_unix_s: Callable[[], float] = time.time
    dangers: Callable[[QueueFolder, Entry], Sequence[str]] = lambda _queue, _entry: ()
    """Returns what in a job is not known to be harmless."""
    guarded: bool = False
    """Whether jobs with such dangers are left alone, whoever has added them."""
    _told: set[str] = field(default_factory=set)

    def run(self, *, once: bool) -> bool:
        """Starts what is due until it is interrupted, or with `once` until nothing is due any more.

        The first interrupt stops the running study as Ctrl-C does, the second ends it at once. Returns
        whether it was interrupted. Raises `IgenError` where another runner is at work, and where the store
        cannot be written; `InputError` if other users may have written the next job.
        """
        place = self.queue.path / RUNNER_FOLDER
        try:
            with self.queue.locked():
                make_folder(place, exist_ok=True)
        except OSError as error:
            raise not_written(place, error) from error
        with only_one(place, "working off the queue"), Interrupts() as interrupts:
            while not interrupts.count:
                step = self._begin_next()
                if isinstance(step, Entry):
                    self._carry_out(step, interrupts)
                elif step is None:
                    continue
                elif once and not step.is_busy:
                    return False
                else:
                    select.select([interrupts.descriptor], [], [], step.patience_s)
        return True

    def _begin_next(self) -> Entry | _Pause | None:
        """The entry that was marked as running, or how long to wait; None where something else was done."""
        with self.queue.locked() as content:
            self._tell_damage(content)
            if self._recover(content):
                return _Pause(LOOK_S, is_busy=True)
            content = self.queue.repeat_ended(self.queue.read(), self.now_unix_s())
            match self._next_step(content):
                case Refuse(entry, reason):
                    self.queue.write(refused(entry, reason, self.now_unix_s()))
                    self.say(f"job {entry.job} does not run: {reason}")
                    return None
                case _Pause() as pause:
                    return pause
                case Start(entry):
                    # On the disk before it begins: whatever happens then, it does not begin twice.
                    running = started(entry, self.now_unix_s())
                    self.queue.write(running)
                    return running
                case Wait(until_unix_s):
                    left_s = LOOK_S if until_unix_s is None else until_unix_s - self.now_unix_s()
                    return _Pause(min(LOOK_S, max(0.0, left_s)), is_busy=False)

    def _next_step(self, content: Content) -> Start | Refuse | Wait | _Pause:
        """What is to be done; a study is read only when it would begin, and never beside a run."""
        entries = {entry.job: entry for entry in content.entries}
        while True:
            step = next_step([*entries.values()], self.now_unix_s(), content.damaged)
            if not isinstance(step, Start):
                return step
            if others := active_runs(self.queue.path.parent):
                self._tell(f"waiting for a run that goes on: {', '.join(sorted(others))}")
                return _Pause(LOOK_S, is_busy=True)
            entry = step.entry
            self.queue.check_unshared(entry.job)
            # What it was checked for when it was added may have changed: a link leads elsewhere.
            found = self.dangers(self.queue, entry) if self.guarded or entry.guarded else ()
            if not found:
                return step
            if not self.guarded:
                where = "the console in which it was added may not do that"
                return Refuse(entry, f"{found[0]}: {where}")
            how = "`igen queue run` without --guarded starts it"
            self._tell(f"job {entry.job} is left alone: {found[0]}; {how}")
            entries[entry.job] = replace(entry, state="held")

    def _recover(self, content: Content) -> bool:
        """Mark the jobs of an earlier runner as ended; True if a study of its still goes on."""
        for entry in content.entries:
            if entry.state != "running":
                continue
            folder = self.queue.job_folder(entry.job)
            if goes_on(folder):
                self._tell(f"waiting for job {entry.job}, which outlived the runner that began it")
                return True
            over = as_its_run(self.queue, entry, self.now_unix_s())
            self.queue.write(over)
            self._say_end(over)
        return False

    def _carry_out(self, entry: Entry, interrupts: Interrupts) -> None:
        """Starts the study of a running entry, waits for its end, and writes down how it ended."""
        folder = self.queue.job_folder(entry.job)
        self.say(f"job {entry.job} begins: {entry.study}")
        try:
            exit_code = self.carry_out(entry, self.queue, interrupts)
        except OSError as error:
            where = error.filename or entry.folder
            over = refused(entry, f"cannot be started: {where}: {error.strerror}", self.now_unix_s())
        else:
            over = ended(entry, exit_code, self.now_unix_s(), run=run_of(folder), reason=last_error(folder))
        with self.queue.locked():
            self.queue.write(over)
        self._say_end(over)

    def _say_end(self, over: Entry) -> None:
        what = f": {over.reason}" if over.reason else ""
        self.say(f"job {over.job} {over.state}{f', run {over.run}' if over.run else ''}{what}")

    def _tell_damage(self, content: Content) -> None:
        for damaged in content.damaged.values():
            self._tell(f"warning: {damaged.file} is left alone: {damaged.reason}")

    def _tell(self, text: str) -> None:
        """Says a text once."""
        if text not in self._told:
            self._told.add(text)
            self.say(text)


@dataclass(frozen=True, slots=True)
class _Pause:
    patience_s: float
    is_busy: bool
    """Whether something goes on that has to end first."""
