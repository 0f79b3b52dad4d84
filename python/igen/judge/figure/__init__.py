"""Figure: how well a figure is known, and the one question whether it is beyond a limit.

- `against.against(ends, least, most) -> Side`: above, below, within, or cannot tell.
- `estimate.Estimate`, `interval.Quotient`: a mean, a ratio, each with its interval; both are asked `against`.
"""
