"""What iGen does, for whoever asks: the command line, a notebook, a program. Nothing in here prints.

- `run`, `resume`: measure, and judge what was measured
- `provision`: create and load what a workload needs
- `enqueue`, `stop`, in files of their names: add studies to the queue, end a run that goes on
- `load`, `compare`: recorded runs, judged; `Recorded.report` writes them down
"""

from igen.workbench.face import compare, load, provision, resume, run
from igen.workbench.recorded import Recorded

__all__ = ["Recorded", "compare", "load", "provision", "resume", "run"]
