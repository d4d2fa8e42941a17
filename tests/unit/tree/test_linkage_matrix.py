import pytest

from tripletree import Tree, caterpillar_tree

CHILDREN = [[0, 1], [3, 4], [5, 2], [7, 6]]


@pytest.mark.parametrize(
    ("children", "heights", "by", "column"),
    [
        (CHILDREN, [1, 2, 2.5, 4], None, [1, 2, 2.5, 4]),
        ([[0, 1], [2, 3]], [-4, -1], None, [0, 3]),  # raised
        ([[0, 1], [4, 2], [3, 5]], None, None, [1, 2, 3]),
        ([[0, 1], [4, 2], [3, 5]], [1, 1, 2], "rank", [1, 2, 3]),
        ([[0, 1], [4, 2], [3, 5]], None, "size", [2, 3, 4]),
        ([[0, 1], [5, 2], [3, 4], [6, 7]], None, "size", [2, 2, 3, 5]),
        ([], None, None, []),
    ],
)
def test_columns(children, heights, by, column):
    tree = Tree(children, heights)
    matrix = tree.to_linkage(by=by)
    assert (matrix.shape, matrix[:, 2].tolist()) == ((len(children), 4), column)
    again = Tree.from_linkage(matrix)
    assert again.is_same_hierarchy(tree)
    assert again.heights.tolist() == column
    assert matrix[:, 3].tolist() == again.size[again.n_leaves :].tolist()
    assert (matrix[:, 0] < matrix[:, 1]).all()


def test_inversions_can_be_read_without_heights():
    matrix = [[0, 1, 2, 2], [2, 3, 1, 3]]
    assert Tree.from_linkage(matrix, heights=False).is_same_hierarchy(
        caterpillar_tree(3)
    )
