from __future__ import annotations

import gc
import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import trees
from tripletree import InvalidTree, Tree
from tripletree.tree.nested_json import _parse, _tree, from_json, to_json


def test_fields():
    tree = Tree(
        [[0, 1], [3, 2]],
        heights=[-1, 3],
        labels=["a", '"b"\n', "c"],
        support=[np.nan, 0.5],
    )
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
    again = Tree.from_json(tree.to_json())
    assert again.children.tolist() == tree.children.tolist()
    assert again.labels == tree.labels
    assert again.heights.tolist() == [-1, 3]
    assert again.support[1] == 0.5


def test_smallest():
    assert Tree([]).to_json() == '{"id":0}'
    assert Tree.from_json('{"id":0}').n_leaves == 1
    assert Tree.from_json("{}").n_leaves == 1


def test_spaces_order_and_other_keys():
    text = """
    {"children": [ {"label" : "a", "more": [1, {"x": [true, null]}, "}"] },
                   {"children": [{"label":"b"}, {"label":"c"}], "height": 1e0}],
     "height": 2, "note": {}}
    """
    tree = Tree.from_json(text)
    assert tree.labels == ("a", "b", "c")
    assert tree.heights.tolist() == [1, 2]


def test_the_largest_heights_survive():
    heights = [1.1e308, 1.7976931348623157e308]
    tree = Tree([[0, 1], [3, 2]], heights)
    assert Tree.from_json(tree.to_json()).heights.tolist() == heights
    below = Tree([[0, 1], [3, 2]], [-heights[1], -heights[0]])
    assert Tree.from_json(below.to_json()).heights.tolist() == below.heights.tolist()


def test_cuts_survive_equal_heights():
    """Two merges at height 1: the cut into three undoes the later one."""
    for children in ([[0, 1], [2, 3], [4, 5]], [[2, 3], [0, 1], [5, 4]]):
        for heights in ([1, 1, 2], None):
            tree = Tree(children, heights)
            again = Tree.from_json(tree.to_json())
            assert again.children.tolist() == children
            assert again.cut(3).tolist() == tree.cut(3).tolist()


@pytest.mark.parametrize(
    ("root", "left", "right", "pairs"),
    [
        (6, 4, 5, [[0, 1], [2, 3], [4, 5]]),
        (6, 5, 4, [[2, 3], [0, 1], [5, 4]]),
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


def test_heights_come_before_inner_ids():
    text = (
        '{"id":6,"height":3,"children":[{"id":4,"height":2,"children":[{},{}]},'
        '{"id":5,"height":1,"children":[{},{}]}]}'
    )
    assert Tree.from_json(text).children.tolist() == [[2, 3], [0, 1], [5, 4]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "character 0: expected a value, the text ends"),
        ("[]", "must be an object"),
        ("3", "must be an object"),
        ("{", "expected a key in double quotes or '}', the text ends"),
        ('{"id":0}}', "character 8: expected the end, found '}'"),
        ('{"children":[{"id":0},{"id":1}]', "expected ',' or the closing bracket"),
        ('{"children":[{"id":0}{"id":1}]}', "expected ',' or the closing bracket"),
        ('{"children":[{"id":0},]}', "expected a value, found"),
        ('{"children":[{"id":0},{"id":1}],}', "expected a key in double quotes"),
        ('{"children" [1]}', "expected ':'"),
        ("{'id':0}", "no JSON value"),
        ('{"id":00}', "no JSON value"),
        ('{"children":[{"id":0},1]}', '"children" must be a list of objects'),
        ('{"children":{"id":0}}', '"children" must be a list of objects'),
        ('{"children":[{"id":0}]}', "inner node with 1 child"),
        ('{"children":[]}', "inner node with 0 child"),
        ('{"children":[{},{},{}]}', "3 children"),
        ('{"children":[{"id":0},{"id":0}]}', '"id" 0: give 0..1'),
        ('{"children":[{"id":0},{"id":2}]}', '"id" 2'),
        ('{"children":[{"id":0},{}]}', '"id" None'),
        ('{"children":[{"id":0},{"id":true}]}', '"id" True'),
        ('{"children":[{"label":"a"},{"label":3}]}', '"label" 3'),
        ('{"children":[{"label":"a"},{}]}', '"label" None'),
        ('{"children":[{},{}],"height":"x"}', '"height" must be a number'),
        ('{"children":[{},{}],"height":true}', '"height" must be a number'),
        ('{"children":[{},{}],"height":1e999}', "too large a number"),
        ('{"children":[{},{}],"height":-1e999}', "too large a number"),
        ('{"children":[{},{}],"height":1' + 309 * "0" + "}", "too large a number"),
        ('{"children":[{},{}],"height":NaN}', "expected a value"),
        ('{"children":[{"x":NaN},{}]}', "no JSON value"),
        ('{"children":[{"x":-Infinity},{}]}', "no JSON value"),
        ('{"children":[{},{}],"height":' + "9" * 5000 + "}", "JSON"),
        ('{"children":[{},{}],"height":1e}', "no JSON value"),
        ('{"children":[{},{}]}\x00', "expected the end"),
        ('{"a":"\\q"}', "no JSON value"),
        ('{"label":' + "[" * 100_000 + "]" * 100_000 + "}", "of type list"),
        ('{"id":' + "[" * 100_000 + "]" * 100_000 + "}", "of type list"),
    ],
)
def test_no_tree(text, words):
    with pytest.raises(InvalidTree, match=words):
        Tree.from_json(text)


def test_inversion_is_refused():
    text = '{"height":1,"children":[{"height":2,"children":[{},{}]},{}]}'
    with pytest.raises(InvalidTree, match="higher than its parent"):
        Tree.from_json(text)


def test_some_heights_are_refused():
    text = '{"height":1,"children":[{"children":[{},{}]},{}]}'
    with pytest.raises(InvalidTree, match="some have none"):
        Tree.from_json(text)


def test_only_text():
    with pytest.raises(InvalidTree, match="must be a string"):
        Tree.from_json({"id": 0})


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


def test_python_reads_what_it_can(monkeypatch):
    monkeypatch.setattr("tripletree.tree.nested_json._parse", None)
    assert Tree.from_json('{"children":[{},{}]}').n_leaves == 2


def test_the_place_of_an_inner_node_is_told():
    text = '{"children":[{"height":"x","children":[{},{}]},{}]}'
    with pytest.raises(InvalidTree, match='JSON, character 13: "height" must be'):
        Tree.from_json(text)
    with pytest.raises(InvalidTree, match=r"character 8: .*found '\{a{39}'\.$"):
        Tree.from_json('{"id":0}{' + "a" * 100 + "}")


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


@given(values, st.sampled_from([None, 0, 2, "\t\n"]), st.booleans())
def test_deep_texts_are_read_as_python_reads_others(value, indent, is_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert without_places(_parse(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"children":[],"children":[{"id":0}]}',
        '{"children":1,"children":[2],"id":3}',
        '{"chil\\u0064ren":[1]}',
        '{"a":"\\"children\\":[","children":[1]}',
        ' { "id" : 1 , "children" : [ 2 ] , "a" : { } } ',
        '{"a":{"children":[{"b":[]}]}}',
    ],
)
def test_objects_with_children_in_every_place(text):
    assert without_places(_parse(text)) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{,"children":[1]}',
        '{"id":1"children":[1]}',
        '{"id":1,,"children":[1]}',
        '{"id":01,"children":[1]}',
        '{"id":,"children":[1]}',
        '{"children":[1,]}',
        '{"children":[1}',
        '{"children":[1]]',
        '["a":{"children":[1]}]',
        '{{"children":[1]}:1}',
        '{"a" {"children":[1]}}',
    ],
)
def test_wrong_objects_with_children(text):
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    with pytest.raises(InvalidTree, match="JSON, character"):
        _parse(text)


@given(trees())
def test_deep_trees_are_read_like_others(tree):
    text = to_json(tree)
    assert _tree(_parse(text)).to_json() == from_json(text).to_json() == text


@pytest.mark.parametrize("version", ["2", "0", '"2"', "true", "null", "[]"])
def test_trees_of_another_version_are_refused(version):
    text = f'{{"schema":{version},"children":[{{"id":0}},{{"id":1}}]}}'
    with pytest.raises(InvalidTree, match="reads trees of schema 1") as caught:
        Tree.from_json(text)
    assert caught.value.code == "another version"
    assert Tree.from_json(text.replace(version, "1", 1)).n_leaves == 2


def test_a_summary_is_not_a_tree_of_one_leaf():
    with pytest.raises(InvalidTree, match=r"a summary, not a tree. Read tree.json"):
        Tree.from_json('{"schema": 1, "newick": "(a,b);", "clusters": {"a": 1}}')
