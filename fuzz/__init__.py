"""Fuzz targets: libFuzzer mutates real inputs of each parser and keeps what reaches new code."""
