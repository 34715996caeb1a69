"""What all tests share."""

import os
from collections.abc import Generator
from typing import Any

import pytest

NO_SKIPS = os.environ.get("ENVBOUNTY_NO_SKIPS") == "1"


def _fail_instead(report: Any) -> None:
    """In CI everything a test may need is there, so a skipped test is one that would rot unseen."""
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped when ENVBOUNTY_NO_SKIPS=1: {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    _fail_instead(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    _fail_instead(report)
    return report
