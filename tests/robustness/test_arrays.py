"""Arrays in every form: the same result as for a plain copy, or our own error."""

import numpy as np
import pytest

import tripletree as tt
from tests.robustness.arrays import ARRAYS, same_numbers, wrong_numbers
from tests.robustness.worlds import check_says, plain

FORMS = list(same_numbers(np.arange(6).reshape(3, 2)))
WRONG = list(wrong_numbers(np.arange(6).reshape(3, 2)))
NEVER = (  # what no function may take, because it would have to guess
    *("text", "bytes", "function", "dict", "set", "ragged", "complex", "dates"),
    *("spans", "records", "masked", "strings", "objects of all kinds", "inf", "-inf"),
    *("one dimension more", "0-d"),
)
TAKES_ALL = (  # names of clusters and people: only equality counts
    *("annotators", "groups", "adjusted_rand_index", "aari", "ari_per_level"),
    "clusters",
)
TAKEN = {
    ("support", "objects of all kinds"),  # None: no support is known
    ("n_chosen", "0-d"),  # one number for all rows
    ("sparse_average_linkage", "masked"),  # SciPy has taken the mask away
}
pytestmark = pytest.mark.filterwarnings("ignore:the stored pairs leave:UserWarning")


@pytest.mark.parametrize("name", ARRAYS)
def test_same_numbers_same_result(name):
    call, array = ARRAYS[name]
    expected = plain(call(array.copy()))
    for form, given in same_numbers(array).items():
        if name == "sparse_average_linkage" and form.startswith("big-endian"):
            continue  # SciPy has no such sparse matrices
        before = given.tolist(), given.dtype, given.flags.writeable
        assert plain(call(given)) == expected, form
        assert (given.tolist(), given.dtype, given.flags.writeable) == before, form


@pytest.mark.parametrize("form", WRONG)
@pytest.mark.parametrize("name", ARRAYS)
def test_wrong_numbers(name, form):
    call, array = ARRAYS[name]
    given = wrong_numbers(array)[form]
    before = repr(given)
    try:
        call(given)
    except tt.TripletreeError as error:
        check_says(error)
    else:
        assert form not in NEVER or name in TAKES_ALL or (name, form) in TAKEN
    assert repr(given) == before
