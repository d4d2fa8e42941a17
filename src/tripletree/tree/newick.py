"""Trees as Newick text: ((a:1,b:1)0.9:1,'it''s c':2);

Leaf names are labels; names with special characters are quoted, and a quote inside is
doubled. A number after a closing parenthesis is the support of that merge (other names
there are ignored, as are [comments]). Branch lengths are differences of heights, so the
order of two merges of equal height is lost (nested JSON keeps it).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from tripletree._checks import check_flag, check_labels
from tripletree.errors import InvalidTree, refuse_if
from tripletree.tree.text_formats import (
    TreeBuilder,
    nested_text,
    paused_garbage_collection,
)
from tripletree.tree.tree import Tree

# Without underscore, which many programs read as a blank in unquoted names.
PLAIN = re.compile(r"[A-Za-z0-9.+\-|/#@%&*!?<>=~^$\\]+")
INTEGER = re.compile(r"0|[1-9][0-9]{0,9}")
TOKEN = re.compile(
    r"\s*(?:(?P<mark>[(),:;])"
    r"|'(?P<quoted>(?:[^']|'')*)'"
    r"|(?P<comment>\[[^\]]*\])"
    r"|(?P<name>[^\s()\[\],:;']+)"
    r"|(?P<wrong>\S))"
)
# The kinds of tokens that may come next: marks, names, quoted names, the end.
NODE, LENGTH, END = "(nq", "n", "$"
WANTED = {
    "(": "a name or '('",
    ")": "',' or ')'",
    ";": "';'",
    "n": "a branch length",
    "$": "the end",
}


def to_newick(tree: Tree) -> str:
    """Newick text of a tree, with its labels, heights and support if it has them.

    Objects without labels are written as their ids. Leaves have height 0, or that of
    the lowest merge if it is below 0: Newick keeps differences of heights only. It does
    not keep the order of merges of equal height, nor any order without heights: a cut
    between two such merges can differ in the tree that is read back.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str

    Examples
    --------
    >>> tree = Tree([[0, 1], [3, 2]], heights=[1, 3], labels=["a", "b c", "it's"])
    >>> to_newick(tree)
    "((a:1.0,'b c':1.0):2.0,'it''s':3.0);"
    """
    n = tree.n_leaves
    names = range(n) if tree.labels is None else [_quoted(x) for x in tree.labels]
    lengths = [""] * (2 * n - 1)
    if tree.heights is not None and n > 1:
        floor = min(0.0, float(tree.heights[0]))
        heights = [floor] * n + tree.heights.tolist()
        parent = tree.shown[tree.parent].tolist()
        for node in range(2 * n - 2):
            lengths[node] = f":{heights[parent[node]] - heights[node]!r}"
    support = [""] * (n - 1)
    if tree.support is not None:
        support = ["" if math.isnan(x) else repr(x) for x in tree.support.tolist()]
    leaves = [f"{name}{length}" for name, length in zip(names, lengths, strict=False)]
    closing = [f"){x}{length}" for x, length in zip(support, lengths[n:], strict=True)]
    return nested_text(tree, ["("] * (n - 1), leaves, closing) + ";"


def _quoted(label: str) -> str:
    # A label that looks like an id is quoted, so that plain integers are always ids.
    if PLAIN.fullmatch(label) and not INTEGER.fullmatch(label):
        return label
    return "'" + label.replace("'", "''") + "'"


def from_newick(
    text: str,
    *,
    heights: bool = True,
    labels: Sequence[str] | None = None,
    resolve_polytomies: bool = False,
) -> Tree:
    """Read a tree from Newick text.

    Parameters
    ----------
    text : str
        One tree. Underscores in names stay underscores.
    heights : bool, default True
        Whether to turn branch lengths into heights: the height of a node is its longest
        path down to a leaf (in an ultrametric tree, all paths are equal). If lengths
        are negative, or missing for some nodes, the tree can only be read with False.
    labels : sequence of str, optional
        The labels in the order of object ids. By default, unquoted names that are
        exactly the integers 0..n-1 are ids, and other names are labels, numbered as
        they occur.
    resolve_polytomies : bool, default False
        More than two children are joined from left to right, at the same height. By
        default these merges are collapsed, so that the tree has polytomies as the text
        has; True makes a binary tree.

    Returns
    -------
    Tree
        Merges in the order of heights, or of sizes if there are no lengths; ties in the
        order in which the text closes them.

    Raises
    ------
    InvalidTree
        If the text is not a tree; the message names the place in the text.

    Examples
    --------
    >>> tree = from_newick("((a:1,b:1)0.9:1,'it''s c':2);")
    >>> tree.labels, tree.heights.tolist(), tree.support.tolist()
    (('a', 'b', "it's c"), [1.0, 2.0], [0.9, nan])
    """
    refuse_if(
        not isinstance(text, str),
        InvalidTree,
        f"Newick text must be a string, not {type(text).__name__}.",
    )
    builder = TreeBuilder(
        "Newick", check_flag("resolve_polytomies", resolve_polytomies)
    )
    wants_heights = check_flag("heights", heights)
    with paused_garbage_collection():
        _read(text, builder, wants_heights)
    ids, names = _leaf_ids(builder.leaves, labels)
    return builder.tree(ids, names)


@dataclass(slots=True)
class _Node:
    """What was read of a node: its place, height and branch length."""

    at: int
    height: float
    length: float = math.nan


def _read(text: str, builder: TreeBuilder, wants_heights: bool) -> None:
    """One pass over the tokens, with a list of siblings for each open parenthesis."""
    siblings: list[list[_Node]] = [[]]
    starts: list[int] = []
    has_lengths = False  # whether the first node that a merge joins has one
    expects, ends = NODE, ";"
    for kind, value, at in _tokens(text):
        if kind not in expects:
            _fail(expects, kind, value, at)
        if kind == "(":
            siblings.append([])
            starts.append(at)
            ends = ",)"
        elif kind == ",":
            expects = NODE
        elif kind == ":":
            expects = LENGTH
        elif kind == ";":
            expects = END
        elif kind == ")":
            start = starts.pop()
            nodes = siblings.pop()
            height = math.nan
            if wants_heights:
                if not builder.pairs:
                    has_lengths = not math.isnan(nodes[0].length)
                height = _height(nodes, has_lengths, start)
            builder.add_merge(len(nodes), start, height)
            siblings[-1].append(_Node(start, height))
            ends = ",)" if starts else ";"
            expects = "nq:" + ends
        elif expects == NODE:
            builder.add_leaf((value, kind))
            siblings[-1].append(_Node(at, 0.0))
            expects = ":" + ends
        elif expects == LENGTH:
            siblings[-1][-1].length = _length(value, at, wants_heights)
            expects = ends
        elif kind != END:  # the name of a merge
            builder.support[-1] = _number(value)
            expects = ":" + ends


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """The kind, text and place of each token."""
    begin = 1 if text[:1] == "\ufeff" else 0
    for match in TOKEN.finditer(text, begin, len(text.rstrip())):
        group = str(match.lastgroup)
        value, at = match[group], match.start(group)
        if group == "mark":
            yield value, value, at
        elif group == "name":
            yield "n", value, at
        elif group == "quoted":
            yield "q", value.replace("''", "'"), at
        elif group == "wrong":
            message = (
                f"Newick, character {at}: {text[at : at + 20]!r} has an opening quote "
                "or bracket that is never closed, or a closing one that was never "
                "opened."
            )
            raise InvalidTree(message)
    yield END, "", len(text)


def _height(nodes: list[_Node], has_lengths: bool, start: int) -> float:
    """The height of the merge of these nodes: its longest path down to a leaf."""
    others = [node.at for node in nodes if has_lengths == math.isnan(node.length)]
    if others:
        message = (
            f"Newick, character {others[0]}: some nodes have a branch length and some "
            "do not. Give all, or read the hierarchy alone with "
            "from_newick(..., heights=False)."
        )
        raise InvalidTree(message)
    height = max(node.height + node.length for node in nodes)
    if math.isinf(height):
        message = f"Newick, character {start}: branch lengths are too long."
        raise InvalidTree(message)
    return height


def _length(text: str, at: int, wants_heights: bool) -> float:
    length = _number(text)
    if math.isnan(length):
        _fail(LENGTH, "n", text, at)
    if wants_heights and length < 0:
        message = (
            f"Newick, character {at}: branch length {text} is negative, so the "
            "nodes have no heights. from_newick(..., heights=False) reads the "
            "hierarchy alone."
        )
        raise InvalidTree(message)
    return length


def _fail(expects: str, kind: str, value: str, at: int) -> NoReturn:
    wanted = next(words for sign, words in WANTED.items() if sign in expects)
    found = "the text ends" if kind == END else f"found {value[:40]!r}"
    message = f"Newick, character {at}: expected {wanted}, {found}."
    raise InvalidTree(message)


def _number(text: str) -> float:
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _leaf_ids(
    leaves: list[tuple[str, str]], labels: Sequence[str] | None
) -> tuple[Sequence[int], Sequence[str] | None]:
    """The object id of each leaf in order of appearance, and the labels by id."""
    n, names = len(leaves), [name for name, _ in leaves]
    if labels is not None:
        wanted = check_labels(labels, n, InvalidTree)
        assert wanted is not None
        check_labels(names, n, InvalidTree)
        ids = {label: i for i, label in enumerate(wanted)}
        others = [name for name in names if name not in ids]
        refuse_if(
            len(others) > 0,
            InvalidTree,
            f"leaf {''.join(others[:1])[:80]!r} is not among the given labels: names "
            "and labels must be the same set.",
        )
        return [ids[name] for name in names], wanted
    if all(kind == "n" and INTEGER.fullmatch(name) for name, kind in leaves):
        numbers = [int(name) for name in names]
        if sorted(numbers) == list(range(n)):
            return numbers, None
    return range(n), names
