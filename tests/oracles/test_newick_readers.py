"""Our Newick text under other people's rules: scikit-bio's reader, and iTOL's."""

import io
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from skbio import TreeNode

from tests import definitions
from tests.strategies import seeds, trees
from tripletree import Tree

# scikit-bio strips labels, miscounts quotes that follow quotes, and takes a quoted
# label of one sign, such as ',', for the sign itself, as DendroPy does; ours keep all.
characters = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
strange = ["it's", "a b", "Homo_sapiens", "(x,y)", "[c]", "a:1;", '"', "ü", "0.5"]


@st.composite
def dressed_trees(draw):
    """Trees with lengths, support, and labels that need quotes."""
    tree = draw(trees(min_leaves=2, max_leaves=8))
    n = tree.n_leaves
    rng = np.random.default_rng(draw(seeds))
    texts = st.text(characters, min_size=1).filter(
        lambda x: "''" not in x and x.strip("'") == x and x not in {*"(),:;"}
    )
    words = st.one_of(st.sampled_from(strange), texts)
    labels = draw(st.lists(words, min_size=n, max_size=n, unique=True))
    support = rng.integers(0, 101, n - 1) / 100
    heights = np.cumsum(rng.integers(1, 9, n - 1)) / 8
    return Tree(tree.children, heights, labels, support)


def read(text):
    return TreeNode.read(io.StringIO(text), format="newick")


def clades(tree):
    """Support by the labels of each inner node, and the depth of each leaf."""
    n = tree.n_leaves
    below = definitions.clusters(tree)
    named = [frozenset(tree.labels[leaf] for leaf in c) for c in below]
    return dict(zip(named[n:], tree.support.tolist(), strict=True))


@given(dressed_trees())
def test_scikit_bio_reads_names_lengths_and_support(tree):
    found = read(tree.to_newick())
    tips = list(found.tips())
    assert sorted(tip.name for tip in tips) == sorted(tree.labels)
    root = float(tree.heights[-1])
    for tip in tips:
        way = [tip, *tip.ancestors()][:-1]
        assert sum(node.length for node in way) == pytest.approx(root)
    support = {
        frozenset(tip.name for tip in node.tips()): float(node.name)
        for node in found.non_tips(include_self=True)
    }
    assert support == clades(tree)


@given(dressed_trees())
def test_text_keeps_the_rules_of_itol(tree):
    """No blank outside quotes, no special character in a bare name, plain numbers."""
    text = tree.to_newick()
    assert text.endswith(";")
    bare = re.sub(r"'(?:[^']|'')*'", "q", text[:-1])
    assert re.fullmatch(r"[^\s'\[\];]*", bare)
    assert bare.count("(") == bare.count(")") == tree.n_leaves - 1
    for length in re.findall(r":([^,()]*)", bare):
        assert float(length) >= 0
    for support in re.findall(r"\)([^:,()]*)", bare):
        assert 0 <= float(support) <= 1
    for name in re.findall(r"[(,]([^(:,)]+)", bare):
        assert name == "q" or re.fullmatch(r"[^\s()\[\],:;'_]+", name)
