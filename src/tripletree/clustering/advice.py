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
from tripletree.comparisons.summary import FEW_PER_OBJECT
from tripletree.evaluation.holdout import HeldOut, LearningCurve
from tripletree.evaluation.noise import CLOSE, NoiseCeiling
from tripletree.evaluation.support import Support
from tripletree.evaluation.tree_fit import TreeFit
from tripletree.objective.flat import LEAST_STABILITY as RELIABLE

ENOUGH_PER_OBJECT = 80  # comparisons, see planning.py
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

    n_different: questions, or comparisons if it is not known how many questions there
    are. support: None if there are too few replicates.
    """
    n_joins = n_objects - 1
    if n_joins < 2:
        return ""
    n_stable = n_joins
    if support is not None:
        n_stable = int((support.stability >= LEAST_STABILITY).sum())
    verb = "is" if n_stable == 1 else "are"
    stable = f"{n_stable:,} of {n_joins:,} joins {verb} stable"
    is_unstable = n_stable < MOST_JOINS * n_joins
    gain = None if curve is None else curve.gain
    gained = raised = ""
    if gain is not None:
        gained, raised = last_doubling(gain, "the accuracy"), last_doubling(gain, "it")
    if noise is not None and noise.high <= NOISY:
        return (
            "people answer the same question so differently that no prediction is "
            f"right in more than {noise.high:.0%} of the cases: clearer questions, or "
            "objects that differ more, help more than further answers."
        )
    is_certain = not is_unstable and support is not None and gain is not None
    is_few = n_different < min(FEW_PER_OBJECT * n_objects, n_objects**2 / 4)
    if is_few and (is_chance or not is_certain):
        what = "comparison" if n_different == n_comparisons else "question"
        verb = "is" if n_different == 1 else "are"
        trust = "" if is_chance else f"{_reliable(support)}, and "
        enough = min(ENOUGH_PER_OBJECT * n_objects, n_objects**2)
        return (
            f"{counted(n_different, what)} {verb} few for {n_objects:,} objects: "
            f"{trust}ask more random questions if you can (about {enough:,} were "
            "enough in simulations; see the command tripletree plan)."
        )
    if curve is not None and curve.is_rising:
        so_far = "" if support is None else f", and {stable} so far"
        return f"ask more random questions: {gained}{so_far}."
    if is_chance:
        return (
            "do not rely on this tree: ask more random questions, see whether some "
            "people answer unlike all others, or try another method."
        )
    missing = _what_is_missing(held_out, noise, tree_fit)
    if is_unstable:
        hardly = f", but would hardly raise the accuracy: {raised}" if raised else ""
        return (
            f"{_reliable(support)}. {stable} ({LEAST_STABILITY:.0%} or more). More "
            f"answers may settle more of them{hardly}.{missing if gained else ''}"
        )
    if not gained:
        return ""
    if support is None:
        return (
            f"more answers of this kind would hardly raise the accuracy: {raised}. "
            f"Whether the joins are settled is not known.{missing}"
        )
    return f"no more answers of this kind are needed: {gained}, and {stable}.{missing}"


def last_doubling(gain: float, what: str) -> str:
    """What twice as many answers did to the accuracy, which is called `what`."""
    points = f"{100 * abs(gain):.1f}"
    if points == "0.0":
        return f"the last doubling of the answers did not change {what}"
    verb = "lowered" if gain < 0 else "raised"
    return (
        f"the last doubling of the answers {verb} {what} by {points} percentage points"
    )


def _reliable(support: Support | None) -> str:
    """Which clusters to rely on: those that mostly came back from other answers.

    The cluster of all objects, which every tree has, does not count.
    """
    if support is None:
        return "trust large clusters more than small ones"
    least = f"a stability of {RELIABLE:.0%} or more"
    if (support.stability[:-1] >= RELIABLE - 1e-9).any():
        return f"rely only on clusters with {least}"
    return f"rely on no cluster yet: none has {least}"


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
    if noise is None or held_out is None:
        return ""
    # A wide interval says little about how much is missing.
    is_reached = noise.low <= held_out.accuracy >= noise.high - CLOSE
    return " The tree predicts about as much as such answers allow." * is_reached
