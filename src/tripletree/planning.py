"""How many answers a study needs: tried on simulated objects with a known tree.

Trees are made as `cluster` makes them, from answers about the paper's planted model:
eight clusters, in pairs of pairs, under as much noise as signal allows (delta / sigma =
1.5), some of the answers wrong. What counts is the number of answers *per object*: with
10 % wrong, 40 of them give an agreement (AARI) of 0.79, 0.78 and 0.77 with 48, 96 and
192 objects, 80 of them 0.84, 0.85 and 0.84. So larger studies are tried out with fewer
objects and as many answers for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import tripletree as tt
from tripletree._checks import check_callable, check_int, check_number
from tripletree._progress import OnProgress, ignore

PER_OBJECT = (10, 20, 40, 80, 160, 320)
MOST_TRIED = 128  # objects
N_RUNS = 3
N_EMBEDDINGS = 3
GOOD = 0.8  # AARI: most objects in the right cluster on every level
N_LEVELS = 3
FEWEST = 16  # objects: two in each of eight clusters


@dataclass(frozen=True)
class StudyPlan:
    """How many answers to collect about some objects; print it for a table.

    Attributes
    ----------
    n_objects : int
    n_tried : int
        The number of objects it was tried with.
    share_wrong : float
    n_answers : tuple of int
        The numbers of answers that were tried, scaled to n_objects.
    agreement, spread : tuple of float
        Mean and standard deviation of the AARI with the true tree.
    recommended : int
        The smallest of them with a good agreement; the largest if none has.
    """

    n_objects: int
    n_tried: int
    share_wrong: float
    n_answers: tuple[int, ...]
    agreement: tuple[float, ...]
    spread: tuple[float, ...]
    recommended: int

    @property
    def is_enough(self) -> bool:
        """Whether the recommended number gives a good agreement."""
        return self.agreement[self.n_answers.index(self.recommended)] >= GOOD

    def __str__(self) -> str:
        lines = [
            f"{self.n_objects} objects, {self.share_wrong:.0%} of the answers wrong:",
            "",
            "     answers  per object  agreement with the true tree (AARI: 1 perfect, "
            "0 chance)",
        ]
        for m, mean, spread in zip(
            self.n_answers, self.agreement, self.spread, strict=True
        ):
            mark = "->" if m == self.recommended else "  "
            lines.append(
                f"{mark} {m:9,}  {m / self.n_objects:10.0f}  {mean:.2f} +- {spread:.2f}"
            )
        advice = (
            f"Even {self.recommended:,} answers do not give an agreement of {GOOD} "
            "here: fewer objects or more careful answers help more than numbers."
        )
        if self.is_enough:
            advice = (
                f"Collect about {self.recommended:,} answers to random triplets, or "
                f"{-(-self.recommended // 2):,} odd ones out: from there on the "
                f"agreement is {GOOD} or more."
            )
        return "\n".join(
            [
                *lines,
                "",
                advice,
                f"Tried {N_RUNS} times with {self.n_tried} simulated objects in 8 "
                "clusters (the paper's planted model). Your objects may be easier or "
                "harder: collect some answers, look at the learning curve of "
                "`tripletree report`, then go on.",
                "An odd one out or a most central one of three counts as two answers, "
                "a choice of 4 from a grid of 12 as 32.",
            ]
        )


def plan_study(
    n_objects: int,
    *,
    share_wrong: float = 0.1,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> StudyPlan:
    """Say how many answers to collect about so many objects, by trying it out.

    Parameters
    ----------
    n_objects : int
        16 or more. With fewer, ask every question: n (n - 1) (n - 2) / 2 triplets.
    share_wrong : float, default 0.1
        The share of wrong answers to expect, below 0.5. People differ from themselves
        in about one of ten comparisons, and more if objects are much alike.
    seed : int, default 0
    progress : callable, optional
        Called with a `Progress`: the trials finished, of all.

    Returns
    -------
    StudyPlan

    Raises
    ------
    InvalidOption
        If a number is outside its range.

    Notes
    -----
    Some ten seconds. Every trial makes a tree by `completed_similarity` and
    `maximise_revenue`, with less effort than `cluster`.

    Examples
    --------
    >>> plan = plan_study(16, share_wrong=0.0)
    >>> plan.n_answers
    (160, 320, 640, 1280)
    """
    n = check_int("n_objects", n_objects, FEWEST, 10**9)
    wrong = check_number("share_wrong", share_wrong, 0, 0.499)
    seed = check_int("seed", seed, 0, 2**31)
    check_callable("progress", progress)
    tell = progress or ignore
    n_tried = min(MOST_TRIED, n // 2**N_LEVELS * 2**N_LEVELS)
    most = (n_tried - 1) * (n_tried - 2) // 2
    numbers = [number for number in PER_OBJECT if number <= most]
    found = np.empty((len(numbers), N_RUNS))
    for at, per_object in enumerate(numbers):
        for run in range(N_RUNS):
            tell(tt.Progress("trials", at * N_RUNS + run, found.size))
            found[at, run] = _agreement(n_tried, per_object, wrong, seed + run)
    means = found.mean(axis=1)
    good = np.flatnonzero(means >= GOOD)
    answers = tuple(number * n for number in numbers)
    return StudyPlan(
        n,
        n_tried,
        wrong,
        answers,
        tuple(means.tolist()),
        tuple(found.std(axis=1).tolist()),
        answers[int(good[0]) if len(good) else -1],
    )


def _agreement(n: int, per_object: int, wrong: float, seed: int) -> float:
    """How well one simulated study finds its tree again."""
    rng = np.random.default_rng(seed)
    model = tt.planted(n // 2**N_LEVELS, N_LEVELS, rng=rng)
    answers = tt.sample_triplets(model.similarity, per_object * n, flip=wrong, rng=rng)
    s = tt.completed_similarity(answers, n_embeddings=N_EMBEDDINGS, seed=seed)
    tree = tt.maximise_revenue(s, n_restarts=0, seed=seed).tree
    return float(tt.aari(tree, model.labels))
