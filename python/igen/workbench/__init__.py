"""What iGen does, for whoever asks: the command line, a notebook, a program. Nothing in here prints.

- `run`, `resume`: measure, and judge what was measured
- `provision`: create and load what a workload needs
- `enqueue`, `stop`, in files of their names: add studies to the queue, end a run that goes on
- `load`, `compare`: recorded runs, judged; `Recorded.report` writes them down

Nothing is imported before it is asked for: those who need a file of it alone need not load the judge.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from igen.workbench.face import compare, load, provision, resume, run
    from igen.workbench.recorded import Recorded

__all__ = ["Recorded", "compare", "load", "provision", "resume", "run"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = "recorded" if name == "Recorded" else "face"
    return getattr(import_module(f"igen.workbench.{file}"), name)
