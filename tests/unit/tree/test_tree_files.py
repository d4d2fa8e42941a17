"""Trees in files: round trips, and what is wrong said in words."""

import io
from pathlib import Path

import numpy as np
import pytest

from tripletree import InvalidTree, Tree, UnreadableFile, read_tree, write_tree
from tripletree.errors import TooLarge

SAVED = io.BytesIO()
np.save(SAVED, np.array([{}], object), allow_pickle=True)
PICKLED = SAVED.getvalue()
TREE = Tree(
    [[0, 1], [3, 4], [5, 2], [7, 6]],
    [1.0, 2.0, 2.5, 4.0],
    ["a", "b b", "c'd", "(e)", "ü"],
)


@pytest.mark.parametrize(
    "name", ["t.nwk", "t.NEWICK", "t.tree", "t.tre", "t.json", "t.npy"]
)
def test_round_trip(tmp_path, name):
    path = tmp_path / name
    write_tree(TREE, str(path))
    again = read_tree(path)
    assert (again.labels is None) == (name == "t.npy")
    own = again if again.labels is None else again.in_order_of(TREE.labels)
    assert own.is_same_hierarchy(TREE)
    assert np.allclose(again.heights, TREE.heights)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("t.nwk", b"((a,b)", "t.nwk"),
        ("t.nwk", b"\xff\xfe(", "UTF-8"),
        ("t.json", b"{", "t.json"),
        ("t.npy", b"abc", "np.save"),
        ("t.npy", b"", "np.save"),
        ("t.npy", PICKLED, "np.save"),  # objects are never unpickled
        ("t.csv", b"a,b", "let it end in .nwk"),
    ],
)
def test_what_is_no_tree(tmp_path, name, data, words):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidTree, match=words):
        read_tree(path)


@pytest.mark.posix
def test_files_that_cannot_be_read_or_written(tmp_path, memory):
    device, large = tmp_path / "device.nwk", tmp_path / "large.json"
    device.symlink_to("/dev/null")
    write_tree(TREE, large)
    for path, words in (
        (tmp_path / "none.nwk", "there is no file"),
        (device, "is a pipe or a device"),
        (Path("s3://bucket/t.nwk"), "'s3://bucket/t.nwk' is an address"),
    ):
        with pytest.raises(UnreadableFile, match=words):
            read_tree(path)
    half = TREE.with_labels(["a", "b", "c", "d", "\ud800"])
    for tree, path, words in (
        (TREE, tmp_path / "none" / "t.nwk", "cannot be written"),
        (half, tmp_path / "t.nwk", "half a character"),
    ):
        with pytest.raises(UnreadableFile, match=words):
            write_tree(tree, path)
    assert {*tmp_path.iterdir()} == {device, large}
    memory.available = 1000
    with pytest.raises(TooLarge, match=r"the tree in .*large.json' needs"):
        read_tree(large)
