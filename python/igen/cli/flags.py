"""Places of errors as options of the command line."""

from __future__ import annotations

from igen.ask.asked import options_by_path
from igen.errors import IgenError


def in_terms_of_flags(error: IgenError) -> IgenError:
    """Return the error, with the option instead of the field of the job as its place."""
    path = error.where.partition("[")[0]
    group = path.partition(".")[0]
    options = options_by_path()
    if path in options:
        error.where = options[path]
    elif group in options:
        # The whole place of a parameter: errors number the items of a scenario's lists.
        error.where = f"--set {error.where.partition('.')[2]}" if group == "params" else options[group]
    return error
