"""Readers and parsers, given any bytes: nothing but errors of the package comes out.

The same targets are fuzzed by hand for longer: ``python -m tests.fuzz``. What that
found is in FOUND.
"""

import io
import zipfile

import pytest
from hypothesis import given, settings, strategies as st

import tripletree as tt
from tests.fuzz.targets import seeds, targets
from tests.robustness.worlds import check_says

TARGETS = targets()
ON_DUCKDB = "csv tsv txt gz jsonl parquet items pairs export zip".split()
PIECES = {
    "newick": [b"(", b")", b",", b";", b":", b"'", b"[", b"]", b"1e999", b"nan", b"0"],
    "json": [b"{", b"}", b"[", b"]", b'"children":', b'"id":', b"1e999", b"null", b","],
    "csv": [
        b",",
        b'"',
        b"\r\n",
        b"\n",
        b"\0",
        b"NA",
        b"1e999",
        b"\xff",
        b"\xef\xbb\xbf",
    ],
    "jsonl": [b"{", b"}", b'"i":', b"null", b"\n", b"[", b"1e999", b'"', b"\\ud800"],
}


def npy(header: str) -> bytes:
    """An NPY file of a header alone."""
    return b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n"


def npz(*, in_list: bool) -> bytes:
    """An archive with a name that is no UTF-8 in its list, or before its array."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("rows.npy", npy("{}"))
    data = bytearray(file.getvalue())
    central = data.index(b"PK\x01\x02")
    data[central + 9] |= 0x08  # says that names are UTF-8
    at = central + 46 if in_list else 30
    data[at : at + 8] = b"\xff" * 8
    return bytes(data)


SHAPE = "{{'descr': '<f8', 'fortran_order': False, 'shape': {}"
FOUND = {
    "npy, a header cut within a bracket": ("npy", npy(SHAPE.format("(3,"))),
    "npy, larger than all memory": ("npy", npy(SHAPE.format("(999999999999, 4), }"))),
    "npy, a header cut within a text": ("npy", npy("{'descr': '''<f8")),
    "npy, a header of Python 2": ("npy", npy(SHAPE.format("(3L, 4L), }"))),
    "npy, an archive": ("npy", b"PK\x05\x06" + bytes(18)),
    "npz, a name in the list": ("npz", npz(in_list=True)),
    "npz, a name before the array": ("npz", npz(in_list=False)),
    "linkage, a signalling NaN": (
        "linkage",
        b"\x01\x00\x00\x00\x00\x00\xf0\x7f" + bytes(24),
    ),
}


@st.composite
def mutated(draw, name):
    """A well-formed input with some bytes changed, cut out, doubled or put in."""
    data = bytearray(draw(st.sampled_from(seeds(name))))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.binary(max_size=4) | st.sampled_from(PIECES.get(name, [b"\0"])))
        span = draw(st.integers(0, 12))
        kind = draw(st.sampled_from(["put in", "replace", "cut", "double"]))
        end, new = {
            "put in": (at, piece),
            "replace": (at + len(piece), piece),
            "cut": (at + span, b""),
            "double": (at, data[at : at + span] * 2),
        }[kind]
        data[at:end] = new
    return bytes(data)


INPUTS = {  # and how many examples of them if each takes long
    "mutated": (mutated, 40),
    "any bytes": (lambda _: st.binary(max_size=200), 20),
}


@pytest.mark.parametrize("case", FOUND)
def test_found_by_fuzzing(case):
    name, data = FOUND[case]
    with pytest.raises(tt.TripletreeError):
        TARGETS[name](data)


def test_inputs_do_not_depend_on_the_time(monkeypatch):
    """Or else mutations of packed ones would not be those of the run before."""
    before = {name: seeds(name) for name in TARGETS}
    monkeypatch.setattr("time.time", lambda: 10**9)
    assert {name: seeds(name) for name in TARGETS} == before


@pytest.mark.parametrize("name", TARGETS)
def test_well_formed(name):
    for data in seeds(name):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("kind", INPUTS)
def test_nothing_but_our_errors_comes_out(name, kind):
    inputs, n_examples = INPUTS[kind]

    @settings(max_examples=n_examples if name in ON_DUCKDB else 8 * n_examples)
    @given(inputs(name))
    def read_or_refuse(data):
        try:
            TARGETS[name](data)
        except tt.TripletreeError as error:
            check_says(error)

    read_or_refuse()
