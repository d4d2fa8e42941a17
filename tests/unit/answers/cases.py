"""Files of answers of every form, and the options to read them with."""

from __future__ import annotations

import numpy as np

import tripletree as tt
from tests import definitions

CASES = {
    "triplets": ("head,winner,loser\nowl,hawk,carp\nowl,hawk,cod\nowl,carp,hawk\n", {}),
    "integers": ("i,j,k\n3,1,20\n3,1,20\n1,20,3\n-7,1,3\n", {}),
    "choice": (
        "center,left,right,answer\na,b,c,left\na,b,c,same\na,b,c,c\nz,y,x,\n",
        {},
    ),
    "odd": ("first,second,third,odd\na,b,c,a\na,b,c,b\nb,c,d,right\nb,c,d,tie\n", {}),
    "odd of two": ("first,second,odd\na,b,c\na,c,b\n", {}),
    "central by number": (
        "first,second,third,central\na,b,c,1\na,b,c,3\nb,c,d,2\nb,c,d,tie\n",
        {},
    ),
    "labels or numbers": (
        "first,second,third,odd\n1,2,3,1\n2,3,1,3\n2,1,3,tie\n",
        {},
    ),
    "numbers beside other numbers": (
        "first,second,third,odd,c\n7,8,9,1,\n10,8,9,3,\n1,2,3,1,x\n",
        {"drop": {"c": "x"}},
    ),
    "quadruplets": ("i,j,k,l,weight\na,b,c,d,2\na,b,c,d,3\nd,b,a,c,0\n", {}),
    "large weights": ("i,j,k,weight\na,b,c,4611686018427387\na,b,c,1\n", {}),
    "float weights": ("i,j,k,weight\na,b,c,2.5\na,b,d,3\nd,b,a,0.25\n", {}),
    "filters": (
        "i,j,k,rt,worker\na,b,c,1.0,w1\na,b,d,0.2,w2\nd,b,a,3,w'3\\\nd,a,b,2,\n",
        {"min_response_time": 0.5, "drop": {"worker": ["w'3\\", None]}},
    ),
    "keep": ("i,j,k,ok\na,b,c,yes\na,b,d,no\nd,b,a,yes\n", {"keep": {"ok": True}}),
    "degenerate": ("i,j,k\na,b,c\na,a,c\n", {"drop_degenerate": True}),
    "quotes": ('i;j;k\n"a;""x";b\\n;c\n\'q;"b\\n";c\n"two\nlines";é;c\n', {}),
    "no header": ("3,1,2\n1,2,3\n", {}),
    "items": ("i,j,k\na,b,c\n", {"items": ["c", "x", "a", "b"]}),
    "natural order": ("i,j,k\nimg10,img2,img1\nimg10,img1,img9\n", {}),
}


def check_sums(sums, answers):
    """The same objects, sums and similarity as those of the answers in memory."""
    assert sums.labels == answers.labels
    expected = definitions.pair_sums(answers)
    found = {}
    rows = zip(sums.pairs.tolist(), sums.near.tolist(), sums.far.tolist(), strict=True)
    for (i, j), near, far in rows:
        pair = sums.labels[i], sums.labels[j]
        # Ties and dropped rows leave pairs at 0.
        if near or far or pair in expected:
            found[pair] = [near, far]
    assert found == expected
    similarity = tt.adds_similarity(answers, sparse=True)
    assert sums.similarity.dtype == similarity.dtype
    assert (sums.similarity != similarity).nnz == 0


def check_score(path, options, engine=None):
    """The same revenue, counts and rows left out as those of the answers in memory."""
    answers = tt.read_comparisons(path, **options)
    tree = tt.random_tree(answers.n_objects, rng=np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(answers.n_objects)
    labels = [answers.labels[at] for at in order]
    tree = tt.Tree(tree.children, labels=labels)
    options = {name: given for name, given in options.items() if name != "items"}
    answers = tt.read_comparisons(path, items=labels, **options)
    found = tt.score(tree, path, engine=engine, **options)
    assert found.notes == answers.notes
    assert found.revenue == tt.revenue(tree, answers)
    assert found.satisfaction == tt.satisfaction(tree, answers)
    assert found.n_comparisons == found.satisfaction.total
    assert type(found.revenue) is type(tt.revenue(tree, answers))
