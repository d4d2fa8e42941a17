from __future__ import annotations

import numpy as np
import pytest

from tripletree import InvalidTree, Tree


def test_labels_heights_and_support():
    tree = Tree(
        [[0, 1], [3, 2]],
        heights=[1, 3],
        labels=["a", "b c", "it's"],
        support=[0.5, np.nan],
    )
    text = "((a:1.0,'b c':1.0)0.5:2.0,'it''s':3.0);"
    assert tree.to_newick() == text
    again = Tree.from_newick(text)
    assert again.labels == tree.labels
    assert again.heights.tolist() == [1, 3]
    assert again.support[0] == 0.5
    assert np.isnan(again.support[1])
    assert again.children.tolist() == tree.children.tolist()


def test_smallest():
    assert Tree([]).to_newick() == "0;"
    assert Tree.from_newick("0;").n_leaves == 1
    assert Tree.from_newick("a:1;").labels == ("a",)


def test_plain_integers_are_ids():
    tree = Tree.from_newick("((2,0),1);")
    assert tree.labels is None
    assert tree.children.tolist() == [[2, 0], [3, 1]]


def test_other_integers_are_labels():
    assert Tree.from_newick("((3,1),2);").labels == ("3", "1", "2")
    assert Tree.from_newick("(('2','0'),'1');").labels == ("2", "0", "1")
    swapped = Tree([[0, 1]], labels=["1", "0"])
    assert swapped.to_newick() == "('1','0');"
    assert Tree.from_newick(swapped.to_newick()).labels == ("1", "0")


def test_integers_with_leading_zeros_are_labels():
    assert Tree.from_newick("(01,0);").labels == ("01", "0")


def test_byte_order_mark():
    assert Tree.from_newick("\ufeff(a,b);").labels == ("a", "b")


def test_given_labels_fix_the_ids():
    tree = Tree.from_newick("((c,a),b);", labels=["a", "b", "c"])
    assert tree.labels == ("a", "b", "c")
    assert tree.children.tolist() == [[2, 0], [3, 1]]
    with pytest.raises(InvalidTree, match="leaf 'd' is not among"):
        Tree.from_newick("((d,a),b);", labels=["a", "b", "c"])
    with pytest.raises(InvalidTree, match="2 labels for 3 objects"):
        Tree.from_newick("((d,a),b);", labels=["a", "b"])


def test_whitespace_comments_and_names_of_inner_nodes():
    text = " ( ( a [x, y] : 1 , b : 1.0e0 ) clade : 1 ,\n\tc[&R]:2)root:0.5 ; \n"
    tree = Tree.from_newick(text)
    assert tree.labels == ("a", "b", "c")
    assert tree.heights.tolist() == [1, 2]
    assert tree.support is None


def test_underscores_stay():
    assert Tree.from_newick("(Homo_sapiens,b);").labels == ("Homo_sapiens", "b")


def test_strange_labels_survive():
    labels = ["", " ", "(", "a,b", "x:1", ";", "''", "[c]", "ü", "\n", "1e5", "-", "_"]
    tree = Tree.from_newick(
        Tree(
            [[0, 1], *([12 + t, t + 1] for t in range(1, 12))], labels=labels
        ).to_newick()
    )
    assert tree.labels == tuple(labels)


def test_merges_without_lengths_come_by_size():
    tree = Tree.from_newick("(((((a,b),c),d),e),(f,g));")
    assert tree.cut(2).tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert tree.size[7:].tolist() == [2, 2, 3, 4, 5, 7]


def test_heights_are_the_longest_way_down():
    tree = Tree.from_newick("((a:1,b:3):1,c:1);")
    assert tree.heights.tolist() == [3, 4]


def test_merges_come_by_height():
    tree = Tree.from_newick("((a:5,b:5):5,(c:1,d:1):9);")
    assert tree.heights.tolist() == [1, 5, 10]
    assert tree.children.tolist() == [[2, 3], [0, 1], [5, 4]]


def test_negative_heights_keep_their_differences():
    tree = Tree([[0, 1], [3, 2]], heights=[-5, -2])
    assert Tree.from_newick(tree.to_newick()).heights.tolist() == [0, 3]


def test_polytomy_refused_or_resolved():
    text = "(a:2,(b:1,c:1,d:1)0.9:1);"
    with pytest.raises(InvalidTree, match=r"character 5: .* 3 children"):
        Tree.from_newick(text)
    tree = Tree.from_newick(text, resolve_polytomies=True)
    assert tree.children.tolist() == [[1, 2], [4, 3], [0, 5]]
    assert tree.heights.tolist() == [1, 1, 2]
    assert np.isnan(tree.support[[0, 2]]).all()
    assert tree.support[1] == 0.9


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "character 0: expected a name or '\\(', the text ends"),
        (";", "expected a name or '\\(', found ';'"),
        ("(a,b)", "character 5: expected ';', the text ends"),
        ("(a,b", "expected ',' or '\\)', the text ends"),
        ("(a,b));", "character 5: expected ';', found '\\)'"),
        ("(a,b);c;", "character 6: expected the end, found 'c'"),
        ("(a,,b);", "character 3: expected a name or '\\(', found ','"),
        ("(,);", "expected a name"),
        ("(a b);", "expected ',' or '\\)', found 'b'"),
        ("((a,b)(c,d));", "found '\\('"),
        ("(a:x,b:1);", "character 3: expected a branch length, found 'x'"),
        ("(a:,b:1);", "expected a branch length, found ','"),
        ("(a:nan,b:1);", "expected a branch length"),
        ("(a:inf,b:1);", "expected a branch length"),
        ("(a:1_0,b:1);", "expected a branch length"),
        ("(a:-1,b:1);", "branch length -1 is negative"),
        ("(a:1,b);", "character 5: some nodes have a branch length and some"),
        ("(a:1e308,b:1e308):1e308;", "nothing"),
        ("((a:1e308,b:1):1e308,c:1);", "too long"),
        ("((a,b));", "inner node with 1 child"),
        ("(a,a);", r"labels\[1\] = 'a' repeats labels\[0\]"),
        ("('a,b);", "character 1: .* never closed"),
        ("(a[b,c);", "never closed"),
        ("(a]b,c);", "never opened"),
    ],
)
def test_no_newick(text, words):
    if words == "nothing":
        assert Tree.from_newick(text).heights.tolist() == [1e308]
        return
    with pytest.raises(InvalidTree, match=words):
        Tree.from_newick(text)


def test_only_text():
    with pytest.raises(InvalidTree, match="must be a string, not bytes"):
        Tree.from_newick(b"(a,b);")


def test_lengths_can_be_passed_over():
    for text in ("(a:-1,b:1);", "(a:1,b);"):
        assert Tree.from_newick(text, heights=False).heights is None
