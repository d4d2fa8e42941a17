"""What comparisons, and functions that make them, refuse, and in which words."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.strategies import rng
from tests.unit.comparisons.test_combining import FULL
from tests.unit.comparisons.test_comparisons import ROWS, WORKERS
from tests.unit.comparisons.test_sampling import LINE, SAMPLERS
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    Quadruplets,
    TooLarge,
    Triplets,
    cblearn_triplets,
    concatenate,
    drop_duplicates,
    grid_choices,
    majority_vote,
    most_central,
    odd_one_out,
    pairs_of_pairs,
    rankings,
    rooted_triples,
    sample_quadruplets,
    swap_near_far,
)
from tripletree.comparisons.answer_checks import (
    as_ids,
    as_responses,
    as_weights,
    from_tensor,
)

FIELDS = {
    Triplets: {"rows": ROWS, "n_objects": 3},
    Quadruplets: {"rows": [[0, 1, 1, 2]] * 4, "n_objects": 3},
}
WRONG_FIELDS = [
    *(
        (Triplets, {"rows": rows, "n_objects": 100}, InvalidComparisons, words)
        for rows, words in [
            (
                [[0, 1, 2], [4, 100, 3]],
                r"triplets\[1\] = \(4, 100, 3\): object 100 is outside 0..99 "
                r"\(n_objects=100\). If indices start at 1, subtract 1.",
            ),
            ([[0, 1, 101]], r"object 101 is outside 0..99 .* Set n_objects"),
            ([[0, -1, 2]], r"triplets\[0\] = \(0, -1, 2\): object -1 is outside"),
            ([[0, 1, 2**40]], "object 1099511627776 is outside"),
            ([[0, 1, 2**32 + 1]], "object 4294967297 is outside"),
            (
                [[0, 1, 0]],
                r"triplets\[0\] = \(0, 1, 0\): the three objects must differ",
            ),
            ([[0, 0, 1]], "must differ"),
            ([[0, 1, 1]], "must differ"),
            ([[0, 1]], r"shape \(1, 2\) .* give \(m, 3\)"),
            ([[0, 1, 2, 3]], r"shape \(1, 4\)"),
            ([0, 1, 2], r"shape \(3,\)"),
            (np.empty((5, 0), int), r"shape \(5, 0\)"),
            (np.empty((0, 5), int), r"shape \(0, 5\)"),
            (5, r"shape \(\)"),
            ([[0, 1, 2], [0, 1]], "rectangular"),
            ([[0.0, 1.0, 2.0]], "dtype float64: give .* integers, object ids 0..99"),
            ([[0, 1, np.nan]], "NaN"),
            ([["a", "b", "c"]], "dtype <U1: .* for names"),
            ([[True, False, True]], "dtype bool"),
            (None, "shape"),
            (np.ma.masked_array([[0, 1, 2]], mask=[[0, 0, 1]]), "masked array"),
        ]
    ),
    *(
        (Quadruplets, {"rows": rows, "n_objects": 5}, InvalidComparisons, words)
        for rows, words in [
            ([[0, 0, 1, 2]], "each pair needs two objects, and the pairs must differ"),
            ([[0, 1, 2, 2]], "each pair needs two objects"),
            ([[0, 1, 0, 1]], "the pairs must differ"),
            ([[0, 1, 1, 0]], r"quadruplets\[0\] = \(0, 1, 1, 0\)"),
            ([[0, 1, 2, 9]], "object 9 is outside 0..4"),
        ]
    ),
    *(
        (Triplets, {"weights": weights}, InvalidComparisons, words)
        for weights, words in [
            ([1], r"shape \(1,\)"),
            ([[1], [2], [3], [4]], r"shape \(4, 1\)"),
            ([1, -1, 1, 1], r"weights\[1\] = -1 of triplets: .* swap near and far"),
            ([1.0, np.nan, 1, 1], r"weights\[1\] = nan"),
            ([1.0, np.inf, 1, 1], r"weights\[1\] = inf"),
            (["a", "b", "c", "d"], "dtype"),
            ([1j, 1, 1, 1], "dtype complex128"),
            ([2**62, 2**62, 0, 0], r"add up to more than 2\^62"),
            ([1, 1e308, 1, 1], r"weights\[1\] = 1e\+308 .* from 0 to 1e200"),
            (np.array([2**63, 2**63, 0, 0], np.uint64), r"add up to more than 2\^62"),
        ]
    ),
    *(
        (Triplets, {"annotators": x, "annotator_names": y}, InvalidComparisons, words)
        for x, y, words in [
            (
                ["a"],
                None,
                r"annotators of triplets have shape \(1,\): .* of the 4 rows",
            ),
            ("abcd", None, r"shape \(\)"),
            ([["a"], ["b"], ["c"], ["d"]], None, r"shape \(4, 1\)"),
            ([["a"], ["b"], ["c", "d"], []], None, r"annotators\[0\] = \['a'\]"),
            (["a", None, "b", "c"], None, r"annotators\[1\] = None .*'unknown'"),
            (["a", "b", np.nan, "c"], None, r"annotators\[2\] = nan"),
            ([1.5, 1.5, 2, 2], None, r"annotators\[0\] = 1.5"),
            (np.array([True, False, True, False]), None, r"annotators\[0\] = True"),
            (np.array([b"a"] * 4), None, r"annotators\[0\] = b'a'"),
            (np.ma.masked_array([1, 2, 3, 4]), None, "masked array"),
            (None, ["a"], "annotator_names of triplets without annotators"),
            ([0, 1, 2, 0], ["a", "b"], r"annotators\[2\] = 2 .* 0 to 1. If they start"),
            ([0, -1, 1, 0], ["a", "b"], r"annotators\[1\] = -1"),
            ([0, 2**70, 1, 0], ["a", "b"], "dtype object"),
            (WORKERS, ["ann", "eve"], "give integer positions"),
            ([0, 1, 1, 0], ["a", "a"], "'a' repeats annotator_names"),
            ([0, 1, 1, 0], "ab", "of type str: give a list of names"),
            ([0, 1, 1, 0], 2, "of type int"),
        ]
    ),
    *(
        (kind, {"trials": trials}, InvalidComparisons, words)
        for kind in (Triplets, Quadruplets)
        for trials, words in [
            *[
                (trials, r"trials of .* give an integer for each")
                for trials in (
                    [0, 0, 1],
                    [[0], [0], [1], [1]],
                    [0.0, 0.0, 1.0, 1.0],
                    ["a", "a", "b", "b"],
                    [0, 0, 1, None],
                    3,
                    "0011",
                )
            ],
            ([[0], [0, 0], [1], [1]], "trials of .*: not a rectang"),
            (np.ma.masked_equal([0, 0, 1, 1], 1), "mask"),
        ]
    ),
    # Numbers that start again for each person do not number the answers.
    (
        Triplets,
        {"annotators": [0, 0, 1, 1], "trials": [1, 2, 1, 2]},
        InvalidComparisons,
        r"row 0 has .* number the answers of",
    ),
    *(
        (Triplets, *case)
        for case in [
            ({"labels": ["a", "b"]}, InvalidComparisons, "2 labels for 3 objects"),
            ({"dropped": 3}, InvalidComparisons, "dropped of triplets is of type int"),
            *[
                (
                    {"dropped": {"late": x}},
                    InvalidOption,
                    r"dropped\['late'\] of triplets =",
                )
                for x in (-1, 1.5, "2", None)
            ],
            *[
                ({"notes": x}, InvalidComparisons, r"notes of triplets = .*of texts")
                for x in ("text", [1], None, 3)
            ],
            *[
                (
                    {"n_objects": x},
                    InvalidOption,
                    "n_objects = .*: give an integer from 1",
                )
                for x in (0, -1, 2.0, "3", None, True, 2**31)
            ],
        ]
    ),
]

TWICE = [[0, 1, 2], [1, 2, 0], [0, 1, 1]]
WRONG_ANSWERS = [
    *(
        (odd_one_out, (shown, odd, 5), {}, words)
        for shown, odd, words in [
            (
                [[0, 1, 2], [3, 4, 9]],
                [0, 3],
                r"shown\[1, 2\] = 9: objects run from 0 to 4",
            ),
            (
                [[0, 1, 5]],
                [0],
                r"shown\[0, 2\] = 5: .* 0 to 4 \(n_objects=5\). If indices start",
            ),
            ([[0, -1, 2]], [0], r"shown\[0, 1\] = -1: objects run"),
            ([[0, 1, 1]], [0], r"shown\[0\] = \(0, 1, 1\): an object occurs twice"),
            ([[0, 1]], [0], r"shape \(1, 2\): give at least 3 objects"),
            ([0, 1, 2], [0], r"shape \(3,\)"),
            ([[0, 1, 2], [0, 1]], [0, 0], "not a rectangular array"),
            ([[0.5, 1, 2]], [0], "shown .* dtype float64"),
            ([["a", "b", "c"]], ["a"], "dtype <U1: give .* integers.* for names"),
            (np.ma.masked_array([[0, 1, 2]]), [0], "masked array"),
            (
                [[0, 1, 2]],
                [3],
                r"odd\[0\] = 3 is not one of the objects shown, \(0, 1, 2\)",
            ),
            ([[2, 3, 4]], [0], "give the chosen object itself, not its column; -1 for"),
            ([[0, 1, 2]], [-2], r"odd\[0\] = -2"),
            (
                [[0, 1, 2]],
                np.array([2**64 - 1], np.uint64),
                r"odd\[0\] = 18446744073709551615",
            ),
            (
                np.array([[0, 1, 2**64 - 1]], np.uint64),
                [0],
                r"shown\[0, 2\] = 18446744073709551615",
            ),
            ([[0, 1, 2]], [0, 1], r"odd of shape \(2,\) .* each of the 1 answers"),
            ([[0, 1, 2]], [np.nan], r"odd .* dtype float64.*NaN\), put -1"),
            ([[0, 1, 2]], 0, r"odd of shape \(\)"),
        ]
    ),
    *(
        (rankings, (rows, 5), {"n_chosen": n_chosen}, words)
        for rows, n_chosen, words in [
            ([[0, 1, 2]], 3, r"n_chosen\[0\] = 3: give a number from 0 up to"),
            ([[0, 1, 2], [0, 1, -1]], 2, r"n_chosen\[1\] = 2"),
            ([[0, -1, 1]], 1, r"n_chosen\[0\] = 1"),
            ([[0, 1, 2]], -1, "= -1: give"),
            ([[0, 1, 2]], [1, 1], r"n_chosen of shape \(2,\)"),
            ([[0, 1, 2]], 1.0, "n_chosen .* dtype float64"),
            ([[0, 1, 2]], None, "n_chosen .* dtype object"),
            ([[-1, 1, 2]], 1, "Only candidates may be missing"),
            ([[0, 1, 0]], 1, "an object occurs twice"),
            ([[0]], 0, "at least 2 objects"),
        ]
    ),
    *(
        (grid_choices, ([[0, 1, 2, -1]], is_chosen, 5), {}, words)
        for is_chosen, words in [
            ([[True]], r"is_chosen of shape \(1, 1\) .* of shape \(1, 3\)"),
            ([[True, False, True, False]], r"shape \(1, 4\)"),
            ([[1, 2, 0]], r"is_chosen\[0, 1\] = 2: give True or False"),
            ([[1, 0, 1]], r"is_chosen\[0, 2\] = 1: .* False where no object is shown"),
            ([[1.0, 0.0, 0.0]], "dtype float64"),
            ([[1], [0, 1]], "is_chosen: not a rectangular"),
        ]
    ),
    *(
        (convert, (rows, responses, 5), {}, words)
        for convert, rows in (
            (cblearn_triplets, [[0, 1, 2], [1, 2, 0]]),
            (pairs_of_pairs, [[0, 1, 2, 3], [1, 2, 0, 3]]),
        )
        for responses, words in [
            ([1], r"responses of shape \(1,\)"),
            ([1, 0.5], r"responses\[1\] = 0.5: give True or False"),
            ([1, np.nan], r"responses\[1\] = nan.* Drop missing answers"),
            ([np.inf, 1], r"responses\[0\] = inf"),
            (["left", "right"], "dtype <U5"),
            ([None, 1], "dtype object"),
            ([2**60, 1], r"responses\[0\] = 1152921504606846976"),
            ([[1], [1, 2]], "responses: not a rectangular"),
        ]
    ),
    *(
        (convert, (*given, 5), options, words)
        for convert, given, options, words in [
            (most_central, ([[0, 1, 2]], [3]), {}, r"central\[0\] = 3 is not one"),
            # Rows are named as given, not by their place among the decided ones.
            (cblearn_triplets, (TWICE, [0, 0, 1]), {}, r"rows\[2\] = \(0, 1, 1\)"),
            (rooted_triples, (TWICE,), {}, r"rows\[2\] = \(0, 1, 1\)"),
            (
                cblearn_triplets,
                ([[0, 1, 2]], [2**40]),
                {"weights": [2**40]},
                r"exceed 2\^62",
            ),
            (
                cblearn_triplets,
                ([[0, 1, 2]], [2]),
                {"weights": [1e200]},
                "weights run from 0 to 1e200",
            ),
            (
                odd_one_out,
                ([[0, 1, 2]], [0]),
                {"annotators": [1, 2]},
                r"annotators of answers have shape \(2,\).* 1 rows",
            ),
            (
                odd_one_out,
                ([[0, 1, 2]], [0]),
                {"weights": [1, 2]},
                r"weights of answers of shape \(2,\)",
            ),
        ]
    ),
    *(
        (convert, (given,), {}, words)
        for convert, given, words in [
            (as_ids, np.array([[0.5, 1, 2]]), "integer object ids"),
            (as_ids, np.array([["a", "b", "c"]]), "integer object ids"),
            (as_ids, np.array([[1e300, 1, 2]]), "integer object ids"),
            (as_ids, np.array([[True] * 3]), "integer object ids"),
            (as_weights, [0.0, 0.0], "zero for all"),
            (as_responses, [0, 1.0], "0 is undecided"),
            (from_tensor, csr_array((3, 8)), r"\(3, 8\): give the tensor"),
        ]
    ),
]

MANY = np.zeros((77_937, 1))
WRONG_SAMPLES = [
    *(
        ({"similarity": LINE} | options, InvalidOption, words)
        for options, words in [
            ({}, "neither of n_questions and probability given"),
            ({"n_questions": 1, "probability": 0.5}, "both of n_questions and prob"),
            ({"n_questions": 1.5}, "n_questions = 1.5: give an integer"),
            ({"n_questions": -1}, "n_questions = -1: give an integer"),
            ({"probability": 1.5}, "probability = 1.5: give a number from 0 to 1"),
            ({"probability": "1"}, "probability = '1': give a number"),
            ({"n_questions": 1, "flip": -0.1}, "flip = -0.1: give a number"),
            ({"n_questions": 1, "flip": np.nan}, "flip = nan: give a number"),
            ({"n_questions": 1, "flip": None}, "flip = None: give a number"),
            ({"n_questions": 1, "features": LINE}, "both of similarity and features"),
            ({"n_questions": 1, "rng": 3}, "rng is of type int"),
            ({"n_questions": 1000}, "different questions about 6 objects"),
        ]
    ),
    ({"n_questions": 1}, InvalidOption, "neither of similarity and features"),
    *(
        ({"n_questions": 1} | options, InvalidSimilarity, words)
        for options, words in [
            (
                {"similarity": np.zeros((3, 4))},
                r"\(3, 4\)\. Vectors .* features=vectors",
            ),
            ({"similarity": np.zeros(3)}, r"not ndarray of shape \(3,\)"),
            ({"similarity": [[0, 1], [1]]}, "a similarity: not a rectangular array"),
            ({"similarity": [["a"]]}, "real numbers are needed, .* <U1"),
            ({"similarity": [[0, 1, 2], [1, 0, 3], [2, 4, 0]]}, r"y\[1, 2\] = 3 and"),
            ({"similarity": [[0, np.nan], [np.nan, 0]]}, r"similarity\[0, 1\] = nan"),
            ({"similarity": np.ma.masked_equal(LINE, 1)}, "masked array"),
            (
                {"similarity": np.eye(200)[::-1] * np.arange(200)},
                r"y\[0, 199\] = 199.0 and",
            ),
            ({"features": [[1, 2], [np.inf, 3]]}, r"features\[1, 0\] = inf"),
            ({"features": np.zeros((0, 3))}, r"shape \(0, 3\)"),
        ]
    ),
]

WRONG = [
    *((kind, (), FIELDS[kind] | fields, *why) for kind, fields, *why in WRONG_FIELDS),
    *(
        (convert, given, options, InvalidComparisons, words)
        for convert, given, options, words in WRONG_ANSWERS
    ),
    *(
        (sample, (), {"rng": rng()} | options, *why)
        for sample in SAMPLERS
        for options, *why in WRONG_SAMPLES
    ),
    (
        rankings,
        ([[0, 1, 2]], 5),
        {"n_chosen": 1, "ordered": "yes"},
        InvalidOption,
        "ordered = 'yes'",
    ),
    (
        sample_quadruplets,
        (),
        {"features": MANY, "n_questions": 5, "rng": rng()},
        TooLarge,
        r"4.61e\+18 questions about 77937 objects",
    ),
    *(
        (concatenate, (parts,), {}, error, words)
        for parts, error, words in [
            ([], InvalidComparisons, "nothing to concatenate"),
            (7, InvalidComparisons, "nothing to concatenate: give a list"),
            ([1], InvalidComparisons, "not int"),
            (
                [FULL, Quadruplets([], 3)],
                InvalidComparisons,
                "Triplets and Quadruplets",
            ),
            ([FULL, Triplets([], 4)], Mismatch, "about 3 and about 4 objects"),
            (
                [FULL, Triplets([], 3, labels=list("axc"))],
                Mismatch,
                "object 1 is 'b' in the first and 'x'",
            ),
            (
                [FULL, Triplets(ROWS, 3)],
                Mismatch,
                "part 1 does not say who gave its answ",
            ),
        ]
    ),
    *(
        (function, ([[0, 1, 2]],), {}, InvalidComparisons, "not list")
        for function in (swap_near_far, drop_duplicates, majority_vote)
    ),
    # Also selections of columns: in another order they would be other answers.
    *(
        (Triplets(ROWS, 3, weights).__getitem__, (index,), {}, InvalidOption, words)
        for weights in (None, [1, 2, 3, 4])
        for index in (
            *(0, [5], (0, 0), "a", np.ones(2, bool), None, 1.5),
            (slice(None), [0, 2, 1]),
            (slice(None), slice(None, None, -1)),
        )
        for words in ["give a slice, a mask of 4 booleans"]
    ),
]


@pytest.mark.parametrize(("function", "given", "options", "error", "words"), WRONG)
def test_what_is_refused(function, given, options, error, words):
    with pytest.raises(error, match=words):
        function(*given, **options)


@pytest.mark.parametrize(
    ("convert", "given", "options", "words"),
    [
        (odd_one_out, ([[*range(5)]], [0], 5), {}, "convert them in parts"),
        (rankings, ([[*range(6)]], 6), {"n_chosen": 5}, "10 triplets of 1 a"),
    ],
)
def test_too_many_rows(memory, convert, given, options, words):
    memory.available = 99
    with pytest.raises(TooLarge, match=words):
        convert(*given, **options)
