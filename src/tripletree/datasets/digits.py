"""Comparisons over scikit-learn's digits, for examples that need no network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tripletree._checks import check_int, check_number
from tripletree.comparisons.sampling import sample_triplets
from tripletree.datasets.data_sets import ComparisonSet, Origin, comparison_set
from tripletree.errors import DataUnavailable

DIGITS = Origin(
    name="digits",
    citation=(
        "E. Alpaydin and C. Kaynak. Optical recognition of handwritten digits. UCI "
        "Machine Learning Repository, 1998; as part of scikit-learn."
    ),
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    page="https://archive.ics.uci.edu/dataset/80",
)


def load_digits_example(
    n_questions: int = 100_000, *, share_wrong: float = 0.05, seed: int = 0
) -> ComparisonSet:
    """Made-up answers about the 1,797 images of digits that come with scikit-learn.

    Random questions "is this image closer to that one or to the other?" are answered
    by the cosine of the images. Needs scikit-learn, and no network.

    Parameters
    ----------
    n_questions : int, default 100000
        How many questions to ask; those whose two cosines are equal have no answer.
    share_wrong : float, default 0.05
        The probability that an answer is turned round.
    seed : int, default 0

    Returns
    -------
    ComparisonSet
        With ``.classes``, the digit of each image; labels are "digit number".

    Raises
    ------
    DataUnavailable
        If scikit-learn is not installed.
    InvalidOption
        If an option is outside its range.

    Examples
    --------
    >>> load_digits_example(5000)
    ComparisonSet('digits', 5000 answers, Triplets(5000 rows, 1797 objects))
    """
    n_questions = check_int("n_questions", n_questions, 0, 10**9)
    share_wrong = check_number("share_wrong", share_wrong, 0, 1)
    seed = check_int("seed", seed, 0, 2**63)
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        message = (
            "the digits come with scikit-learn, which is not installed: "
            "pip install scikit-learn."
        )
        raise DataUnavailable(message) from None
    images = load_digits()
    answers = sample_triplets(
        features=images.data,
        n_questions=n_questions,
        flip=share_wrong,
        rng=np.random.default_rng(seed),
    )
    classes = tuple(str(digit) for digit in images.target)
    labels = tuple(f"{digit} {at}" for at, digit in enumerate(classes))
    return comparison_set(
        DIGITS, replace(answers, labels=labels), len(answers), classes
    )
