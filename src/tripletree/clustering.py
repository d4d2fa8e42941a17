"""What `cluster` returns: a tree, and what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tripletree.evaluation.holdout import HeldOut
from tripletree.revenue.bounds import Gap
from tripletree.revenue.value import Satisfaction
from tripletree.tree.tree import Tree

FEW_PER_OBJECT, ENOUGH_PER_OBJECT = 40, 80  # answers, see planning.py


@dataclass(frozen=True, eq=False)
class Clustering:
    """A tree made from comparisons, and what is known about it.

    ``print`` shows it in a few lines.

    Attributes
    ----------
    tree : Tree
    method : str
        The method that made it.
    reason : str
        Why this method.
    revenue : int or float
        Of the comparisons, under the tree.
    normalised_revenue : float
        The revenue over the most that so many answers can earn at all, n - 2 each:
        between -1 and 1, about 0 for a random tree.
    satisfaction : Satisfaction or None
        How many comparisons the tree satisfies, ties and violates; None for pair sums.
    gap : Gap or None
        How far the revenue can be from the largest possible; None if finding out takes
        long. For 17 to 100 objects the bound is the better the faster the machine.
    held_out : mapping of str to HeldOut
        What each method that was tried earns on answers it has not seen, with fewer
        restarts and embeddings than the tree itself was made with.
    warnings : tuple of str
        What leaves parts of the tree to chance.
    advice : str
        What to do if the answers are few; empty otherwise.
    seconds : float
        The time spent.
    """

    tree: Tree
    method: str
    reason: str
    revenue: int | float
    normalised_revenue: float
    satisfaction: Satisfaction | None
    gap: Gap | None
    held_out: Mapping[str, HeldOut]
    warnings: tuple[str, ...]
    advice: str
    seconds: float

    @property
    def bound(self) -> int | float | None:
        """No tree earns more; None if it is not known, or only estimated."""
        return None if self.gap is None or self.gap.is_estimate else self.gap.bound

    @property
    def held_out_revenue(self) -> int | float | None:
        """What the method earns on answers it has not seen; None if not tried."""
        found = self.held_out.get(self.method)
        return None if found is None else found.revenue

    def __str__(self) -> str:
        lines = [
            f"Tree of {self.tree.n_leaves} objects by {self.method}: {self.reason}",
            f"revenue {self.revenue:.9g} (normalised {self.normalised_revenue:.4f})",
        ]
        if self.satisfaction is not None:
            counts = self.satisfaction
            total = max(sum(vars(counts).values()), 1e-300)
            lines[1] += (
                f"; {counts.satisfied / total:.1%} of the answers satisfied, "
                f"{counts.tied / total:.1%} tied (the pairs meet in clusters of one "
                "size)"
            )
        if self.gap is not None and self.gap.is_closed:
            lines.append("no tree earns more: this is proved")
        elif self.gap is not None and self.bound is not None:
            lines.append(
                f"no tree earns more than {self.bound:.9g}: this one earns at least "
                f"{self.gap.share:.1%} of the best"
            )
        if self.method in self.held_out:
            found = self.held_out[self.method]
            lines.append(
                f"on answers not seen: revenue {found.revenue:.9g}, "
                f"{found.accuracy:.1%} satisfied (a tie counts half)"
            )
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [self.advice] if self.advice else []
        return "\n".join(lines)


def advice(n: int, m: int | float) -> str:
    """One sentence for those whose m answers about n objects are too few."""
    if n < 3 or m >= min(FEW_PER_OBJECT * n, n * n / 4):
        return ""
    enough = min(ENOUGH_PER_OBJECT * n, n * n)
    answers = "answer is" if m == 1 else "answers are"
    return (
        f"{m} {answers} few for {n} objects: trust large clusters more than small "
        f"ones, and ask more random questions if you can (about {enough} were enough "
        "on made-up objects; `tripletree plan` tells more)."
    )
