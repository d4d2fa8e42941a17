"""What the page says in words, for readers who do not know the paper.

Everything here is plain text; page.py makes it safe for HTML.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripletree.clustering.result import Clustering
from tripletree.comparisons.triplets import Triplets

MINUS, SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
METHODS = {
    "adds-al": "average linkage on counted answers: for each pair, how often it was "
    "the near one minus how often the far one",
    "mulk-al": "average linkage on a kernel that compares how two objects were "
    "answered about (MulK)",
    "4k-al": "average linkage on counted answers and a kernel together (4K)",
    "tste-al": "average linkage on a map of the objects made from the answers (t-STE)",
    "cosine-al": "average linkage on given features, not on the answers",
    "climb": "a search for the tree that earns most: whole branches are moved until "
    "no move improves it",
    "complete": "questions that nobody was asked are filled in from a map of the "
    "objects (t-STE), then the tree that earns most is searched for",
}


@dataclass(frozen=True)
class Figure:
    """One figure of the headline: a value, what it is, and how to take it."""

    value: str
    name: str
    note: str


def count(n: float, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{n:,.0f} {one if n == 1 else many}"


def amount(value: float) -> str:
    """A revenue: all digits of an integer, six of a float."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def percent(share: float) -> str:
    """A share as it is spoken of: never rounded up to all, nor down to none."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        text = "99.9"
    if text == "0.0" and share > 0:
        text = "0.1"
    return f"{text}{SPACE}%".replace("-", MINUS)


def figures(result: Clustering) -> list[Figure]:
    """The headline after the answers that agree: unseen answers, bound, revenue."""
    found = []
    if result.method in result.held_out:
        held = result.held_out[result.method]
        folds = len(held.revenues)
        note = (
            f"Each of {folds} parts of the questions was predicted by a tree built "
            f"without it. Guessing gives 50{SPACE}%."
        )
        found.append(Figure(percent(held.accuracy), "of unseen answers right", note))
    if result.gap is not None and result.bound is not None:
        share, bound = result.gap.share, result.bound
        best = "of the best possible revenue"
        if result.gap.is_closed:
            note = "Proven optimal: no tree has a larger revenue."
            found.append(Figure(f"100{SPACE}%", best, note))
        else:
            most = f"No tree can earn more than {amount(bound)}."
            note = f"{most} The best one may earn less."
            found.append(Figure(f"≥{SPACE}{percent(share)}", best, note))
    scaled = f"{result.normalised_revenue:.3f}".replace("-0.000", "0.000")
    note = (
        "Each answer pays if its near pair joins before its far pair; the earlier, the "
        "more. Scaled so that a random tree has about 0, and one that every answer "
        f"likes best has 1, it is {scaled.replace('-', MINUS)}."
    )
    found.append(Figure(amount(result.revenue), "revenue", note))
    return found


def lead(result: Clustering) -> str:
    """The first sentence of the page."""
    read = result.read
    form = (
        "A is closer to B than to C"
        if isinstance(result.comparisons, Triplets)
        else "A and B are closer than C and D"
    )
    made_from = count(read.n_comparisons, "comparison", "comparisons")
    made_from += f" of the form “{form}”"
    if read.n_answers not in (None, read.n_comparisons):
        made_from = f"{count(read.n_answers or 0, 'answer', 'answers')} ({made_from})"
    if read.n_people is not None:
        made_from += f" by {count(read.n_people, 'person', 'people')}"
    return (
        f"A tree of {count(read.n_objects, 'object', 'objects')}, built from "
        f"{made_from}. "
        "Objects that join early were judged alike; objects that join late were judged "
        "different."
    )


def method_text(result: Clustering) -> str:
    """How the tree was made, and why so."""
    how = METHODS.get(result.method, result.method)
    reason = result.reason.rstrip()
    return f"Method {result.method}: {how}. Chosen: {reason}"


def left_out_text(result: Clustering) -> str:
    """What was left out when the answers were read, or nothing."""
    parts = [
        f"{count(n, 'answer', 'answers')} ({reason})"
        for reason, n in result.read.left_out.items()
    ]
    return f"Left out: {', '.join(parts)}." if parts else ""
