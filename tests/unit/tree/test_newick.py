import numpy as np
import pytest

from tripletree import Tree, caterpillar_tree

LADDER = [1, 2], [[0, 1], [3, 2]]


STRANGE = ["", " ", "(", "a,b", "x:1", ";", "''", "[c]", "ü", "\n", "1e5", "-", "_"]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("0;", None),
        ("a:1;", ["a"]),
        ("((2,0),1);", None),  # plain integers are ids
        ("((3,1),2);", ["3", "1", "2"]),
        ("(('2','0'),'1');", ["2", "0", "1"]),
        (Tree([[0, 1]], labels=["1", "0"]).to_newick(), ["1", "0"]),
        ("(01,0);", ["01", "0"]),
        ("\ufeff(a,b);", ["a", "b"]),
        ("(Homo_sapiens,b);", ["Homo_sapiens", "b"]),
        (caterpillar_tree(13).with_labels(STRANGE).to_newick(), STRANGE),
    ],
)
def test_names_are_ids_or_labels(text, labels):
    assert Tree.from_newick(text).labels == (None if labels is None else tuple(labels))


def test_given_labels_fix_the_ids():
    assert Tree.from_newick("((2,0),1);").children.tolist() == [[2, 0], [3, 1]]
    tree = Tree.from_newick("((c,a),b);", labels=["a", "b", "c"])
    assert (tree.labels, tree.children.tolist()) == (("a", "b", "c"), [[2, 0], [3, 1]])


@pytest.mark.parametrize(
    ("text", "heights", "children"),
    [
        (
            " ( ( a [x, y] : 1 , b : 1.0e0 ) clade : 1 ,\n\tc[&R]:2)root:0.5 ; \n",
            *LADDER,
        ),
        ("((a:1,b:1):1,c:1);", *LADDER),  # the longest path down
        ("((a:5,b:5):5,(c:1,d:1):9);", [1, 5, 10], [[2, 3], [0, 1], [5, 4]]),
        (Tree([[0, 1], [3, 2]], [-2, -1]).to_newick(), [0, 1], LADDER[1]),
        ("(a:1e308,b:1e308):1e308;", [1e308], [[0, 1]]),
        ("((((a,b),c),d),(f,g));", None, [[0, 1], [4, 5], [6, 2], [8, 3], [9, 7]]),
    ],
)
def test_merges_come_by_height_or_size(text, heights, children):
    tree = Tree.from_newick(text)
    assert heights is None or tree.heights.tolist() == heights
    assert tree.children.tolist() == children
    assert tree.support is None


def test_polytomy_kept_or_resolved():
    text = "(a:2.0,(b:1.0,c:1.0,d:1.0)0.9:1.0);"
    tree = Tree.from_newick(text)
    assert (tree.collapsed.tolist(), tree.to_newick()) == ([True, False, False], text)
    resolved = Tree.from_newick(text, resolve_polytomies=True)
    assert resolved.collapsed is None
    for found in (tree, resolved):
        assert found.children.tolist() == [[1, 2], [4, 3], [0, 5]]
        assert found.heights.tolist() == [1, 1, 2]
        assert np.isnan(found.support[[0, 2]]).all()
        assert found.support[1] == 0.9


def test_lengths_can_be_ignored():
    for text in ("(a:-1,b:1);", "(a:1,b);"):
        assert Tree.from_newick(text, heights=False).heights is None
