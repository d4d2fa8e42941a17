"""Trees in files: round trips, and what is wrong said in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psutil
import pytest

from tripletree import InvalidTree, Tree, UnreadableFile, read_tree, write_tree
from tripletree.errors import TooLarge

TREE = Tree(
    [[0, 1], [3, 4], [5, 2], [7, 6]],
    [1.0, 2.0, 2.5, 4.0],
    ["a", "b b", "c'd", "(e)", "ü"],
)


@pytest.mark.parametrize("name", ["t.nwk", "t.NEWICK", "t.tree", "t.tre", "t.json"])
def test_round_trip(tmp_path, name):
    path = tmp_path / name
    write_tree(TREE, path)
    again = read_tree(path)
    order = [again.labels.index(label) for label in TREE.labels]
    names = np.arange(9)
    names[order] = np.arange(5)
    assert Tree(names[again.children]).is_same_hierarchy(Tree(TREE.children))
    assert np.allclose(again.heights, TREE.heights)


def test_linkage_keeps_no_labels(tmp_path):
    path = tmp_path / "t.npy"
    write_tree(TREE, str(path))
    again = read_tree(str(path))
    assert again.labels is None
    assert again.is_same_hierarchy(Tree(TREE.children))
    assert np.load(path).shape == (4, 4)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("t.nwk", b"((a,b)", "t.nwk"),
        ("t.nwk", b"\xff\xfe(", "UTF-8"),
        ("t.json", b"{", "t.json"),
        ("t.npy", b"abc", "np.save"),
        ("t.npy", b"", "np.save"),
        ("t.csv", b"a,b", "let it end in .nwk"),
    ],
)
def test_what_is_no_tree(tmp_path, name, data, words):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidTree, match=words):
        read_tree(path)


def test_objects_are_never_unpickled(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.array([{}], object), allow_pickle=True)
    with pytest.raises(InvalidTree, match=r"np\.save"):
        read_tree(path)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(UnreadableFile, match="there is no file"):
        read_tree(tmp_path / "none.nwk")
    with pytest.raises(UnreadableFile, match="cannot be written"):
        write_tree(TREE, tmp_path / "none" / "t.nwk")
    half = TREE.with_labels(["a", "b", "c", "d", "\ud800"])
    with pytest.raises(UnreadableFile, match="half a character"):
        write_tree(half, tmp_path / "t.nwk")
    assert list(tmp_path.iterdir()) == []


def test_only_regular_files_of_bounded_size_are_opened(tmp_path, monkeypatch):
    path = tmp_path / "device.nwk"
    path.symlink_to("/dev/null")
    with pytest.raises(UnreadableFile, match="is a pipe or a device"):
        read_tree(path)
    with pytest.raises(UnreadableFile, match=r"'s3://bucket/t.nwk' is an address"):
        read_tree(Path("s3://bucket/t.nwk"))
    large = tmp_path / "large.json"
    write_tree(TREE, large)
    little = type("Memory", (), {"available": 1000})
    monkeypatch.setattr(psutil, "virtual_memory", little)
    with pytest.raises(TooLarge, match=r"the tree in .*large.json' needs"):
        read_tree(large)
