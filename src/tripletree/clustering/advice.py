"""One recommendation: are more answers needed, or something else?

Four things speak about it, and each alone can mislead. The *learning curve* says
whether more answers would raise the accuracy, but a flat curve does not mean that the
tree is certain: single joins may still change with every draw of the answers. The
*stability* of the joins says that, but it cannot reach 1 where people disagree. The
*noise ceiling* says how much can be predicted at all. And the *number of comparisons*
says something where nothing else is known. So they are weighed in one place, in this
order, and no other text of a result gives advice.
"""

from __future__ import annotations

from tripletree._checks import counted
from tripletree.clustering.result import LEAST_STABILITY
from tripletree.evaluation.holdout import HeldOut, LearningCurve
from tripletree.evaluation.noise import NoiseCeiling
from tripletree.evaluation.support import Support
from tripletree.evaluation.tree_fit import TreeFit

FEW_PER_OBJECT, ENOUGH_PER_OBJECT = 40, 80  # comparisons, see planning.py
MOST_JOINS = 0.75  # of the joins: if fewer are stable, the tree is not certain
NOISY = 0.6  # an accuracy that is too low to be of use, even if it is the best possible
MUCH_KEPT = 0.9  # of what points predict: then a tree is good enough


def advise(
    n_objects: int,
    n_comparisons: int | float,
    n_different: int | float,
    held_out: HeldOut | None,
    is_chance: bool,
    noise: NoiseCeiling | None,
    support: Support | None,
    curve: LearningCurve | None,
    tree_fit: TreeFit | None,
) -> str:
    """What to do about the answers, in a sentence or two; empty if all is well.

    n_different: comparisons, without answers to the same question.
    """
    n_joins = n_objects - 1
    if n_joins < 2:
        return ""
    if support is not None and not support.is_enough:
        support = None
    n_stable = n_joins
    if support is not None:
        n_stable = int((support.stability >= LEAST_STABILITY).sum())
    stable = f"{n_stable:,} of {n_joins:,} joins are stable"
    is_unstable = n_stable < MOST_JOINS * n_joins
    gain = None if curve is None else curve.gain
    is_known = support is not None and gain is not None
    if noise is not None and noise.high <= NOISY:
        return (
            "people answer the same question so differently that no prediction is "
            f"right in more than {noise.high:.0%} of the cases: clearer questions, or "
            "objects that differ more, help more than further answers."
        )
    if _is_few(n_objects, n_different) and (is_unstable or is_chance or not is_known):
        what = "comparison" if n_different == n_comparisons else "different comparison"
        return _more_than(n_objects, counted(n_different, what), is_chance)
    if curve is not None and gain is not None and curve.is_rising:
        text = f"ask more random questions: the last doubling gained {gain:.1%} of "
        text += "unseen answers"
        return f"{text}." if support is None else f"{text}, and {stable} so far."
    if is_chance:
        return (
            "do not rely on this tree: ask more random questions, see whether some "
            "people answer unlike all others, or try another method."
        )
    missing = _what_is_missing(held_out, noise, tree_fit)
    if is_unstable:
        text = f"rely on the stable clusters alone: {stable}. More random questions "
        text += "would settle more of them"
        if gain is None:
            return f"{text}."
        text += ", but hardly raise the accuracy (the last doubling gained "
        return f"{text}{max(gain, 0.0):.1%}).{missing}"
    if gain is None:
        return ""
    gained = f"the last doubling gained {max(gain, 0.0):.1%} of unseen answers"
    if support is None:
        return (
            f"more answers of this kind would hardly raise the accuracy: {gained}. "
            f"Whether the joins are settled is not known.{missing}"
        )
    return f"no more answers of this kind are needed: {gained}, and {stable}.{missing}"


def _is_few(n: int, m: int | float) -> bool:
    return m < min(FEW_PER_OBJECT * n, n * n / 4)


def _more_than(n: int, shown: str, is_chance: bool) -> str:
    """What to do if so many comparisons are too few for n objects."""
    enough = min(ENOUGH_PER_OBJECT * n, n * n)
    verb = "is" if shown.endswith("comparison") else "are"
    trust = "" if is_chance else "trust large clusters more than small ones, and "
    return (
        f"{shown} {verb} few for {n:,} objects: {trust}ask more random questions "
        f"if you can (about {enough:,} were enough in simulations; see the command "
        "tripletree plan)."
    )


def _what_is_missing(
    held_out: HeldOut | None, noise: NoiseCeiling | None, fit: TreeFit | None
) -> str:
    """What could raise the accuracy if more answers cannot."""
    kept = None if fit is None or fit.is_better is not False else fit.kept
    if fit is not None and kept is not None and kept < MUCH_KEPT:
        return (
            " A tree misses part of what people see: look at points in "
            f"{fit.n_dimensions} dimensions, too."
        )
    if noise is not None and held_out is not None and held_out.accuracy >= noise.low:
        return " The tree predicts about as much as such answers allow."
    return ""
