"""What functions of trees refuse, and in which words."""

import numpy as np
import pytest

from tripletree import (
    InvalidOption,
    InvalidTree,
    Tree,
    all_trees,
    caterpillar_tree,
    common_ancestors,
    random_tree,
)

FIVE = Tree([[0, 1], [3, 4], [5, 2], [7, 6]], [1.0, 2.0, 2.5, 4.0], list("abcde"))
BARE = FIVE.with_heights(None)

WRONG = [
    *(
        (Tree, [children], {}, InvalidTree, words)
        for children, words in [
            ([[0, 1, 2]], r"shape \(1, 3\)"),
            (np.empty((5, 0), int), r"shape \(5, 0\)"),
            (np.empty((0, 5), int), r"shape \(0, 5\)"),
            ([0, 1], r"shape \(2,\)"),
            ([[0, 1], [2]], "rectangular"),
            ([[0.0, 1.0]], "dtype float64"),
            ([["a", "b"]], "dtype <U1"),
            ([[0, 3], [2, 1]], r"children\[0, 1\] = 3: merge t makes node 3 \+ t"),
            ([[0, 1], [2, 4]], r"children\[1, 1\] = 4: .* leaves 0..2 and nodes"),
            ([[0, -1]], r"children\[0, 1\] = -1"),
            ([[0, 1], [0, 3]], "node 0 is joined twice and node 2 never"),
            ([[0, 0]], "node 0 is joined twice and node 1 never"),
            (
                np.array([[2**63, 0]], np.uint64),
                r"children\[0, 0\] = 9223372036854775808",
            ),
        ]
    ),
    *(
        (Tree, [FIVE.children], fields, InvalidTree, words)
        for fields, words in [
            (
                {"heights": [1, 2, 3]},
                r"shape \(3,\) .*: give one number for each of the 4",
            ),
            ({"heights": [-1.7e308, 0, 0, 1.7e308]}, "too large for floats"),
            ({"heights": [1, 2, np.nan, 3]}, r"heights\[2\] = nan"),
            ({"heights": [1, 2, np.inf, 3]}, r"heights\[2\] = inf"),
            (
                {"heights": [1, 3, 2, 4]},
                r"heights\[2\] = 2.0 is below the height before",
            ),
            ({"heights": [0, 0, 0, 10**400]}, "dtype object: give one number for each"),
            ({"heights": "high"}, r"heights of shape \(\) .*: give one number"),
            ({"support": [1, 2, np.inf, 3]}, r"support\[2\] = inf"),
            ({"labels": ["a", "b"]}, "2 labels for 5 objects"),
            ({"labels": list("abcda")}, r"labels\[4\] = 'a' repeats labels\[0\]"),
            ({"labels": "abcde"}, "one label for each of the 5"),
            ({"labels": set("abcde")}, "in their order"),
            ({"labels": 5}, "of type int"),
        ]
    ),
    *(
        (method, [FIVE, value], {}, InvalidOption, f"integer from {lowest} to {most}")
        for method, lowest, most, values in (
            (Tree.leaves, 0, 8, [-1, 9, 1.0, "a", None]),
            (Tree.cut, 1, 5, [0, 6, -1, 2.0, True, "2", None]),
        )
        for value in values
    ),
    (FIVE.is_same_hierarchy, [None], {}, InvalidTree, "a Tree, not NoneType"),
    (FIVE.with_heights, [[9, 1, 3, 4]], {}, InvalidTree, r"\[0\] = 9.0: node 5 is hi"),
    (FIVE.cut_at, ["1.0"], {}, InvalidOption, "give a number"),
    (BARE.cut_at, [1.0], {}, InvalidTree, "no heights: use cut"),
    (caterpillar_tree(10_000).to_text, [], {}, InvalidOption, "characters"),
    (random_tree, [5], {"rng": 3}, InvalidOption, "rng is of type int"),
    (
        lambda n: next(all_trees(n)),
        [9],
        {},
        InvalidOption,
        "_leaves = 9: .* from 1 to 8",
    ),
    *(
        (common_ancestors, [BARE, pairs], {}, InvalidOption, words)
        for pairs, words in [
            ([[0, 5]], r"pairs\[0, 1\] = 5: leaves are 0..4"),
            ([[0, 1], [-1, 0]], r"pairs\[1, 0\] = -1"),
            ([[0, 1, 2]], r"shape \(1, 3\)"),
            ([[0.0, 1.0]], "dtype float64"),
            ([[0], [1, 2]], "not a rectangular array"),
            (np.empty((0, 5), int), r"shape \(0, 5\)"),
            (np.empty((5, 0), int), r"shape \(5, 0\)"),
        ]
    ),
    (BARE.to_linkage, [], {"by": "height"}, InvalidTree, "no heights"),
    (BARE.to_linkage, [], {"by": "depth"}, InvalidOption, "choose"),
    *(
        (Tree.from_linkage, [matrix], {}, InvalidTree, words)
        for matrix, words in [
            ([[0, 1, 1]], r"shape \(1, 3\)"),
            ("abc", "shape"),
            ([[0, 1, 10**400, 2]], "give numbers of shape"),
            ([[0, 1.5, 1, 2]], r"matrix\[0, 1\] = 1.5"),
            ([[0, np.nan, 1, 2]], r"matrix\[0, 1\] = nan"),
            ([[0, 1, np.nan, 2]], r"heights\[0\] = nan"),
            ([[0, 1, 1, 3]], r"matrix\[0, 3\] = 3: .* 2 leaves"),
            ([[0, 0, 1, 2]], "joined twice"),
            ([[0, 1, 2, 2], [2, 3, 1, 3]], "higher than its parent"),
        ]
    ),
    *(
        (Tree.from_newick, [text], {}, InvalidTree, words)
        for text, words in [
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
            ("((a:1e308,b:1):1e308,c:1);", "too long"),
            ("((a,b));", "inner node with 1 child"),
            ("(a,a);", r"labels\[1\] = 'a' repeats labels\[0\]"),
            ("('a,b);", "character 1: .* never closed"),
            ("(a[b,c);", "never closed"),
            ("(a]b,c);", "never opened"),
            (b"(a,b);", "must be a string, not bytes"),
        ]
    ),
    *(
        (Tree.from_newick, ["((d,a),b);"], {"labels": labels}, InvalidTree, words)
        for labels, words in (
            (["a", "b", "c"], "leaf 'd' is not among"),
            (["a", "b"], "2 labels for 3 objects"),
        )
    ),
    *(
        (Tree.from_json, [text], {}, InvalidTree, words)
        for text, words in [
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
            ("{'id':0}", "not a JSON value"),
            ('{"id":00}', "not a JSON value"),
            ('{"children":[{"id":0},1]}', '"children" must be a list of objects'),
            ('{"children":{"id":0}}', '"children" must be a list of objects'),
            ('{"children":[{"id":0}]}', "inner node with 1 child"),
            ('{"children":[]}', "inner node with 0 child"),
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
            ('{"children":[{"x":NaN},{}]}', "not a JSON value"),
            ('{"children":[{"x":-Infinity},{}]}', "not a JSON value"),
            ('{"children":[{},{}],"height":' + "9" * 5000 + "}", "JSON"),
            ('{"children":[{},{}],"height":1e}', "not a JSON value"),
            ('{"children":[{},{}]}\x00', "expected the end"),
            ('{"a":"\\q"}', "not a JSON value"),
            ('{"label":' + "[" * 100_000 + "]" * 100_000 + "}", "of type list"),
            ('{"id":' + "[" * 100_000 + "]" * 100_000 + "}", "of type list"),
            (
                '{"height":1,"children":[{"height":2,"children":[{},{}]},{}]}',
                "higher than its parent",
            ),
            ('{"height":1,"children":[{"children":[{},{}]},{}]}', "some do not"),
            (
                '{"children":[{"height":"x","children":[{},{}]},{}]}',
                'JSON, character 13: "height" must be',
            ),
            ('{"id":0}{' + "a" * 100 + "}", r"character 8: .*found '\{a{39}'\.$"),
            (
                '{"schema": 1, "newick": "(a,b);", "clusters": {"a": 1}}',
                r"a summary, not a tree. Read tree.json",
            ),
            ({"id": 0}, "must be a string"),
            ('{,"children":[1]}', "JSON, character"),
            ('{"id":1"children":[1]}', "JSON, character"),
            ('{"id":1,,"children":[1]}', "JSON, character"),
            ('{"id":01,"children":[1]}', "JSON, character"),
            ('{"id":,"children":[1]}', "JSON, character"),
            ('{"children":[1,]}', "JSON, character"),
            ('{"children":[1}', "JSON, character"),
            ('{"children":[1]]', "JSON, character"),
            ('["a":{"children":[1]}]', "JSON, character"),
            ('{{"children":[1]}:1}', "JSON, character"),
            ('{"a" {"children":[1]}}', "JSON, character"),
        ]
    ),
]


@pytest.mark.parametrize(("function", "given", "options", "error", "words"), WRONG)
def test_what_is_refused(function, given, options, error, words):
    with pytest.raises(error, match=words):
        function(*given, **options)
