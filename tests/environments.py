"""Environments of processes that tests start."""

from __future__ import annotations

import os


def unmeasured(**settings):
    """Of a process that Ctrl-C stops anywhere: locks of coverage would stay locked."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    return {**own, **settings}
