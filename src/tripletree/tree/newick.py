"""Trees as Newick text: ((a:1,b:1)0.9:1,'it''s c':2);

Leaf names are labels; a name that is not plain is quoted, with a quote inside doubled.
A number after a closing parenthesis is the support of that merge (other names there
are passed over, as are [comments]). Branch lengths are differences of heights: which of
two merges of equal height came first is not kept (nested JSON keeps it).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tripletree._checks import check_flag, check_labels
from tripletree.errors import InvalidTree
from tripletree.tree.nested import Builder, bracketed, no_garbage_collection
from tripletree.tree.tree import Tree

# No underscore: in a name without quotes, many programs read it as a blank.
PLAIN = re.compile(r"[A-Za-z0-9.+\-|/#@%&*!?<>=~^$\\]+")
INTEGER = re.compile(r"0|[1-9][0-9]{0,9}")
TOKEN = re.compile(
    r"\s*(?:(?P<mark>[(),:;])"
    r"|'(?P<quoted>(?:[^']|'')*)'"
    r"|(?P<comment>\[[^\]]*\])"
    r"|(?P<name>[^\s()\[\],:;']+))"
)

Token = tuple[str, str, int]  # kind, text, place


def to_newick(tree: Tree) -> str:
    """Newick text of a tree, with its labels, heights and support as far as it has any.

    Objects without labels are written as their ids. Leaves stand at height 0, or at
    the lowest merge if that is below 0: Newick keeps differences of heights only. It
    does not keep the order among merges of equal height, nor any order without heights:
    a cut between two such merges can differ in the tree that is read back.

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
        parent = tree.parent.tolist()
        for node in range(2 * n - 2):
            lengths[node] = f":{heights[parent[node]] - heights[node]!r}"
    support = [""] * (n - 1)
    if tree.support is not None:
        support = ["" if math.isnan(x) else repr(x) for x in tree.support.tolist()]
    return (
        bracketed(
            tree,
            ["("] * (n - 1),
            [f"{name}{length}" for name, length in zip(names, lengths, strict=False)],
            [f"){x}{length}" for x, length in zip(support, lengths[n:], strict=True)],
        )
        + ";"
    )


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
        Whether to turn branch lengths into heights: the height of a node is the
        longest way down to a leaf (for an ultrametric tree, every way). With lengths
        that are missing for some nodes or negative, only False can read the tree.
    labels : sequence of str, optional
        The labels in the order of object ids. By default, unquoted names that are
        exactly the integers 0..n-1 are ids, and other names are labels numbered as
        they come.
    resolve_polytomies : bool, default False
        Whether to join more than two children from left to right at one height.

    Returns
    -------
    Tree
        Merges in the order of heights, or of sizes if there are no lengths; equal ones
        in the order in which the text closes them.

    Raises
    ------
    InvalidTree
        If the text is no binary tree; the message names the place in the text.

    Examples
    --------
    >>> tree = from_newick("((a:1,b:1)0.9:1,'it''s c':2);")
    >>> tree.labels, tree.heights.tolist(), tree.support.tolist()
    (('a', 'b', "it's c"), [1.0, 2.0], [0.9, nan])
    """
    if not isinstance(text, str):
        message = f"Newick text must be a string, not {type(text).__name__}."
        raise InvalidTree(message)
    builder = Builder(check_flag("resolve_polytomies", resolve_polytomies))
    reader = _Reader(text, builder, check_flag("heights", heights))
    with no_garbage_collection():
        reader.read()
    ids, names = _leaf_ids(reader.names, reader.quoted, labels)
    return builder.tree(ids, names)


@dataclass(slots=True)
class _Node:
    """What was read of a node: its number, height, branch length and place."""

    number: int
    height: float
    at: int
    length: float = math.nan


class _Reader:
    """One pass over the tokens, with a list of siblings for each open parenthesis."""

    def __init__(self, text: str, builder: Builder, heights: bool) -> None:
        self.text = text
        self.builder = builder
        self.wants_heights = heights
        self.has_lengths: bool | None = None
        self.names: list[str] = []
        self.quoted: list[bool] = []

    def read(self) -> None:
        tokens = self._tokens()
        siblings: list[list[_Node]] = [[]]
        starts: list[int] = []
        kind, value, at = next(tokens)
        while True:
            if kind == "(":
                siblings.append([])
                starts.append(at)
                kind, value, at = next(tokens)
                continue
            # A leaf, or the end of an inner node; then marks that follow a node.
            if kind in ("name", "quoted"):
                node = _Node(self.builder.add_leaf(), 0.0, at)
                self.names.append(value)
                self.quoted.append(kind == "quoted")
                kind, value, at = next(tokens)
            else:
                self._expect(False, "a name or '('", kind, value, at)
            while True:
                if kind == ":":
                    kind, value, at = self._read_length(node, tokens)
                siblings[-1].append(node)
                if kind == "," and starts:
                    kind, value, at = next(tokens)
                    break
                self._expect(
                    kind == ")" if starts else kind == ";",
                    "',' or ')'" if starts else "';'",
                    kind,
                    value,
                    at,
                )
                if kind == ";":
                    kind, value, at = next(tokens)
                    self._expect(kind == "end", "the end", kind, value, at)
                    return
                support = math.nan
                start = starts.pop()
                kind, value, at = next(tokens)
                if kind in ("name", "quoted"):
                    support = _number(value)
                    kind, value, at = next(tokens)
                node = self._close(siblings.pop(), support, start)

    def _tokens(self) -> Iterator[Token]:
        at, text = 1 if self.text[:1] == "\ufeff" else 0, self.text
        end = len(text.rstrip())
        while at < end:
            match = TOKEN.match(text, at)
            if match is None:
                place = at + len(text[at:end]) - len(text[at:end].lstrip())
                message = (
                    f"Newick, character {place}: {text[place : place + 20]!r} has an "
                    "opening quote or bracket that is never closed, or a closing one "
                    "that was never opened."
                )
                raise InvalidTree(message)
            at = match.end()
            group = str(match.lastgroup)
            value, place = match[group], match.start(group)
            if group == "mark":
                yield value, value, place
            elif group == "quoted":
                yield group, value.replace("''", "'"), place
            elif group == "name":
                yield group, value, place
        while True:
            yield "end", "", len(text)

    def _read_length(self, node: _Node, tokens: Iterator[Token]) -> Token:
        kind, value, at = next(tokens)
        node.length = _number(value) if kind == "name" else math.nan
        self._expect(math.isfinite(node.length), "a branch length", kind, value, at)
        if self.wants_heights and node.length < 0:
            message = (
                f"Newick, character {at}: branch length {value} is negative, so the "
                "nodes have no heights. from_newick(..., heights=False) reads the "
                "hierarchy alone."
            )
            raise InvalidTree(message)
        return next(tokens)

    def _close(self, nodes: list[_Node], support: float, start: int) -> _Node:
        height = math.nan
        if self.wants_heights:
            for node in nodes:
                has_length = not math.isnan(node.length)
                if self.has_lengths is None:
                    self.has_lengths = has_length
                if self.has_lengths != has_length:
                    message = (
                        f"Newick, character {node.at}: some nodes have a branch length "
                        "and some have none. Give all, or read the hierarchy alone "
                        "with from_newick(..., heights=False)."
                    )
                    raise InvalidTree(message)
            height = max(node.height + node.length for node in nodes)
            if math.isinf(height):
                message = f"Newick, character {start}: branch lengths are too long."
                raise InvalidTree(message)
        where = f"Newick, character {start}"
        number = self.builder.add_merge(
            [node.number for node in nodes], height, support, where
        )
        return _Node(number, height, start)

    def _expect(
        self, is_right: bool, expected: str, kind: str, value: str, at: int
    ) -> None:
        if is_right:
            return
        found = "the text ends" if kind == "end" else f"found {value[:40]!r}"
        message = f"Newick, character {at}: expected {expected}, {found}."
        raise InvalidTree(message)


def _number(text: str) -> float:
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _leaf_ids(
    names: list[str], quoted: list[bool], labels: Sequence[str] | None
) -> tuple[Sequence[int], Sequence[str] | None]:
    """The object id of each leaf in order of appearance, and the labels by id."""
    n = len(names)
    if labels is not None:
        wanted = check_labels(labels, n, InvalidTree)
        assert wanted is not None
        check_labels(names, n, InvalidTree)
        ids = {label: i for i, label in enumerate(wanted)}
        for name in names:
            if name not in ids:
                message = (
                    f"leaf {name[:80]!r} is not among the given labels: names and "
                    "labels must be the same set."
                )
                raise InvalidTree(message)
        return [ids[name] for name in names], wanted
    if not any(quoted) and all(INTEGER.fullmatch(name) for name in names):
        numbers = [int(name) for name in names]
        if sorted(numbers) == list(range(n)):
            return numbers, None
    return range(n), names
