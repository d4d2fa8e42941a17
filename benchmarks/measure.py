"""Timing in turns, and peaks of memory."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psutil


def in_turns(actions: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The fastest time of each action, in seconds; each runs once unmeasured."""
    for action in actions.values():
        action()
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def memory_growth(action: Callable[[], Any]) -> float:
    """How far the resident memory rose above its start while the action ran, in MB."""
    process = psutil.Process()
    before: int = process.memory_info().rss
    peak, is_done = before, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not is_done.wait(0.001):
            peak = max(peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    result = action()
    is_done.set()
    watcher.join()
    del result
    # The system's own peak is exact, but only where this action set it.
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if highest > peak and highest - peak < 0.05 * peak:
        peak = highest
    return (peak - before) / 1e6


def times_against(
    sizes: Sequence[int],
    make: Callable[[int], Mapping[str, Callable[[], Any]]],
    rounds: int,
) -> dict[str, list[float]]:
    """For each action, its fastest time at each size."""
    found: dict[str, list[float]] = {}
    for size in sizes:
        for name, seconds in in_turns(make(size), rounds).items():
            found.setdefault(name, []).append(seconds)
    return found
