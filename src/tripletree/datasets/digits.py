"""Comparisons over scikit-learn's digits, for examples that need no network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

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

N_IMAGES = 1797


def load_digits_example(
    n_questions: int = 100_000,
    *,
    n_images: int = N_IMAGES,
    share_wrong: float = 0.05,
    seed: int = 0,
) -> ComparisonSet:
    """Made-up answers about the 1,797 images of digits that come with scikit-learn.

    Random questions "is this image closer to that one or to the other?" are answered
    by the cosine of the images. Needs scikit-learn, and no network.

    Parameters
    ----------
    n_questions : int, default 100000
        How many questions to ask; those whose two cosines are equal have no answer.
    n_images : int, default 1797
        About the first so many images only.
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
    pictures, digits = digit_images(n_images)
    answers = sample_triplets(
        features=pictures.reshape(len(pictures), -1),
        n_questions=n_questions,
        flip=share_wrong,
        rng=np.random.default_rng(seed),
    )
    classes = tuple(str(digit) for digit in digits)
    labels = tuple(f"{digit} {at}" for at, digit in enumerate(classes))
    return comparison_set(
        DIGITS, replace(answers, labels=labels), len(answers), classes
    )


def digit_images(
    n_images: int = N_IMAGES,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The images of the digits, (n, 8, 8) from 0 (white) to 16, and which they show."""
    n_images = check_int("n_images", n_images, 3, N_IMAGES)
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        message = (
            "the digits come with scikit-learn, which is not installed: "
            "pip install scikit-learn."
        )
        raise DataUnavailable(message) from None
    found = load_digits()
    return found.images[:n_images], found.target[:n_images].astype(np.int64)
