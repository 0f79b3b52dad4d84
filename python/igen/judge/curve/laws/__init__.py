"""Scaling laws in competition: what a measured curve says of other loads, and what it cannot say.

- `curve.curve_of(system) -> ScalingCurve`: throughput and response time over the users of a closed load.
- `choose.fitted_laws(curve) -> list[FittedLaw]`: each law with its errors at levels that it had not seen.
- `predict.predict_users(curve, users, extrapolate=False) -> Prediction`: with a band; refused outside of what
  was measured, and where the laws cannot tell.
- `predict.predict_limit(curve, limit_s, extrapolate=False) -> UsersWithin`: how many users a response-time
  limit allows.
"""
