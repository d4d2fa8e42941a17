import gc
import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tripletree import InvalidTree, Tree, random_tree
from tripletree.tree import nested_json

LARGE = [1.1e308, 1.7976931348623157e308]


def test_fields():
    tree = Tree([[0, 1], [3, 2]], [-1, 3], ["a", '"b"\n', "c"], support=[np.nan, 0.5])
    assert json.loads(tree.to_json()) == {
        "id": 4,
        "height": 3.0,
        "support": 0.5,
        "children": [
            {
                "id": 3,
                "height": -1.0,
                "children": [{"id": 0, "label": "a"}, {"id": 1, "label": '"b"\n'}],
            },
            {"id": 2, "label": "c"},
        ],
    }
    assert (Tree([]).to_json(), Tree.from_json("{}").n_leaves) == ('{"id":0}', 1)


def test_spaces_order_and_other_keys():
    text = """
    {"children": [ {"label" : "a", "more": [1, {"x": [true, null]}, "}"] },
                   {"children": [{"label":"b"}, {"label":"c"}], "height": 1e0}],
     "height": 2, "note": {}}
    """
    tree = Tree.from_json(text)
    assert (tree.labels, tree.heights.tolist()) == (("a", "b", "c"), [1, 2])


@pytest.mark.parametrize(
    ("children", "heights"),
    [
        ([[0, 1], [3, 2]], LARGE),
        ([[0, 1], [3, 2]], [-LARGE[1], -LARGE[0]]),
        ([[0, 1], [2, 3], [4, 5]], [1, 1, 2]),  # the order of equal heights is kept
        ([[2, 3], [0, 1], [5, 4]], [1, 1, 2]),
        ([[2, 3], [0, 1], [5, 4]], None),
    ],
)
def test_nothing_is_lost(children, heights):
    again = Tree.from_json(Tree(children, heights).to_json())
    assert again.children.tolist() == children
    assert heights is None or again.heights.tolist() == heights


@pytest.mark.parametrize(
    ("root", "left", "right", "pairs"),
    [
        (6, 4, 5, [[0, 1], [2, 3], [4, 5]]),
        (6, 5, 4, [[2, 3], [0, 1], [5, 4]]),
        ('6,"height":3', '4,"height":2', '5,"height":1', [[2, 3], [0, 1], [5, 4]]),
        (4, 6, 5, [[0, 1], [2, 3], [4, 5]]),  # the root is no child
        (6, 5, 5, [[0, 1], [2, 3], [4, 5]]),  # twice the same
        (7, 5, 4, [[0, 1], [2, 3], [4, 5]]),  # no node 7
        ('"root"', 5, 4, [[0, 1], [2, 3], [4, 5]]),
        ("6.0", 5, 4, [[0, 1], [2, 3], [4, 5]]),
        ("[6]", 5, 4, [[0, 1], [2, 3], [4, 5]]),
        ("null", 5, 4, [[0, 1], [2, 3], [4, 5]]),
        ("true", 5, 4, [[0, 1], [2, 3], [4, 5]]),
    ],
)
def test_inner_ids_order_merges_if_they_can(root, left, right, pairs):
    text = (
        f'{{"id":{root},"children":[{{"id":{left},"children":[{{}},{{}}]}},'
        f'{{"id":{right},"children":[{{}},{{}}]}}]}}'
    )
    assert Tree.from_json(text).children.tolist() == pairs


def test_garbage_is_collected_again():
    for text in ('{"children":[{},{}]}', '{"children":[{},{}'):
        with suppress(InvalidTree):
            Tree.from_json(text)
        assert gc.isenabled()
    gc.disable()
    try:
        Tree.from_json("{}")
        assert not gc.isenabled()
    finally:
        gc.enable()


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["children", "id", '"children":[', "a"]), inner, max_size=3
        )
    ),
    max_leaves=30,
)


def without_places(value):
    """What was read, without the places of objects in the text."""
    if isinstance(value, dict):
        return {k: without_places(v) for k, v in value.items() if k is not None}
    if isinstance(value, list):
        return [without_places(item) for item in value]
    return value


@given(
    values.flatmap(
        lambda value: st.builds(
            json.dumps,
            st.just(value),
            indent=st.sampled_from([None, 0, 2, "\t\n"]),
            ensure_ascii=st.booleans(),
        )
    )
    | st.sampled_from(
        [
            '{"children":[],"children":[{"id":0}]}',
            '{"children":1,"children":[2],"id":3}',
            '{"chil\\u0064ren":[1]}',
            '{"a":"\\"children\\":[","children":[1]}',
            ' { "id" : 1 , "children" : [ 2 ] , "a" : { } } ',
            '{"a":{"children":[{"b":[]}]}}',
        ]
    )
)
def test_deep_texts_are_read_as_python_reads_others(text):
    assert without_places(nested_json._parse(text)) == json.loads(text)


def test_deep_trees_are_read_like_others():
    """Beside a list that is too deep for Python's own reader."""
    tree = random_tree(50, rng=np.random.default_rng(0)).with_labels(range(100, 150))
    text = tree.with_support(np.linspace(0, 1, 49)).to_json()
    deep = f'{text[:-1]},"more":{"[" * 10**5}{"]" * 10**5}}}'
    assert Tree.from_json(deep).to_json() == Tree.from_json(text).to_json() == text


@pytest.mark.parametrize("version", ["2", "0", '"2"', "true", "null", "[]"])
def test_trees_of_another_version_are_refused(version):
    text = f'{{"schema":{version},"children":[{{"id":0}},{{"id":1}}]}}'
    with pytest.raises(InvalidTree, match="reads trees of schema 1") as caught:
        Tree.from_json(text)
    assert caught.value.code == "another version"
    assert Tree.from_json(text.replace(version, "1", 1)).n_leaves == 2
