"""iGen, the benchmark workbench: plans studies, watches the load, judges and reports."""

__version__ = "0.1.0"
