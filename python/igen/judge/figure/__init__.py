"""Figure: how well a figure is known, and the one question whether it is beyond a limit.

- `against(ends, least, most) -> Side`: above, below, within, or cannot tell.
"""

from igen.judge.figure.against import Side, against

__all__ = ["Side", "against"]
