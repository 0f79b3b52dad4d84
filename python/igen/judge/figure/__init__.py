"""Figure: how well a figure is known, and the one question whether it is beyond a limit.

- `figure.Figure`: a number with its interval, standard error and bounds of disturbance. Its question
  `against(least, most)` has four answers: above, below, within, cannot tell.
- `interval`: figures from runs: means, ratios of independent runs and of pairs.
"""
