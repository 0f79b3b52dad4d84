"""Compare: what is asked of two systems, the one answer to each question, and what differs between them.

- `compare.compare(systems, terms) -> Comparison(ratios, differences, findings, observations)`.
- `overall.overall_ratios(systems, terms)`: one ratio for each test of a study.
- `threshold_answers`: crossed, held, or not to be told, from each level's interval.
- `history`: runs of one workload over time, and where they change.
"""
