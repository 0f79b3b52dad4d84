"""Checks as JUnit's XML, which build pipelines show as tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from igen.printed import printed
from igen.report.checks import Check
from igen.report.printers.terminal import clean


def print_junit(checks: Sequence[Check], name: str) -> str:
    """A suite of one test case for each check; what is undecided is skipped, with its words."""
    tally = Counter(check.outcome for check in checks)
    counts = {
        "tests": str(len(checks)),
        "failures": str(tally["failed"]),
        "errors": "0",
        "skipped": str(tally["undecided"]),
    }
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": clean(name), **counts})
    for check in checks:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": clean(check.group or name), "name": clean(check.name)}
        )
        text = clean(printed(check.text))
        if check.outcome == "passed":
            if text:
                ElementTree.SubElement(case, "system-out").text = text
            continue
        tag = "failure" if check.outcome == "failed" else "skipped"
        ElementTree.SubElement(case, tag, {"message": text})
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"
