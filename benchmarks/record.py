"""What a case measures: printed at once, and kept for results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

entries: list[dict[str, Any]] = []


def note(text: str) -> None:
    """A sentence beside the figures."""
    print(f"  {text}", flush=True)
    entries.append({"kind": "note", "text": text})


def times(title: str, seconds: Mapping[str, float]) -> None:
    """Times, each also as a multiple of tripletree's first one."""
    ours = [value for name, value in seconds.items() if name.startswith("tripletree")]
    base = ours[0] if ours else next(iter(seconds.values()))
    print(f"  {title}")
    rows = []
    for name, value in seconds.items():
        print(f"    {name:<44} {value:9.4f} s   x {value / base:.2f}", flush=True)
        rows.append({"name": name, "seconds": value, "ratio": value / base})
    entries.append({"kind": "times", "title": title, "rows": rows})


def figures(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table of any figures, the first column a name."""
    print(f"  {title}")
    texts = [[shown(value) for value in row] for row in (columns, *rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for first, *others in texts:
        line = "  ".join(
            f"{text:>{width}}" for text, width in zip(others, widths[1:], strict=True)
        )
        print(f"    {first:<{widths[0]}}  {line}", flush=True)
    entries.append({"kind": "figures", "title": title, "rows": texts})


def scaling(
    title: str, of: str, sizes: Sequence[int], seconds: Mapping[str, Sequence[float]]
) -> None:
    """Times against sizes, with exponents fitted on logarithms by least squares.

    A peer may have fewer times than there are sizes: the last ones took too long.
    """
    print(f"  {title}, against {of}")
    series = []
    for name, values in seconds.items():
        exponent = fitted_exponent(sizes[: len(values)], values)
        pairs = zip(sizes, values, strict=False)
        texts = ", ".join(f"{size:.3g}: {value:.4f} s" for size, value in pairs)
        print(f"    {name}\n      {texts}; exponent {exponent:.2f}", flush=True)
        series.append(
            {
                "name": name,
                "sizes": [*sizes[: len(values)]],
                "seconds": [*values],
                "exponent": exponent,
            }
        )
    entries.append({"kind": "scaling", "title": title, "of": of, "series": series})


def fitted_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log seconds against log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def has(module: str) -> bool:
    """Whether a peer is installed; if not, it says so."""
    if find_spec(module) is not None:
        return True
    note(f"{module} is not installed, so it is not measured (group bench)")
    return False


def shown(value: Any) -> str:
    """A figure as text."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return str(value)
