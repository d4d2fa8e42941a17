"""Trees as nested JSON: {"id": 2, "height": 2.0, "children": [{"id": 0}, {"id": 1}]}.

A leaf has its "id" and, if the tree has labels, a "label"; an inner node has its "id",
"children" and, where known, "height" and "support". The ids of inner nodes are the
order of the merges, so nothing of a tree is lost. Python's own JSON reader recurses and
stops at a depth of about a thousand. What it cannot read is read here, with a list of
open nodes: deep trees, and texts that are wrong, to say where.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

from tripletree.errors import InvalidTree
from tripletree.tree.nested import Builder, bracketed, no_garbage_collection
from tripletree.tree.tree import Tree

STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*+"'
CHILDREN = r'"children"[ \t\n\r]*+:[ \t\n\r]*+\['
TOKEN = re.compile(
    r"[ \t\n\r]*+(?:(?P<flat>\{(?:[^{}\[\]\"]|" + STRING + r")*+\})"
    r"|(?P<open>\{(?:[^{}\[\]\"]|(?!"
    + CHILDREN
    + ")"
    + STRING
    + r")*+"
    + CHILDREN
    + r")"
    r"|(?P<mark>[{}\[\]:,])"
    r"|(?P<string>" + STRING + r")"
    r"|(?P<value>-?[0-9][0-9.eE+-]*|true|false|null))"
)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


DECODER = json.JSONDecoder(parse_constant=_refuse)  # without NaN and Infinity
PLACE = None  # the key for an object's place in the text; other keys are strings
NUMBERS = ("height", "support")


def to_json(tree: Tree) -> str:
    """Nested JSON text of a tree; all of it comes back with :func:`from_json`.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str

    Examples
    --------
    >>> to_json(Tree([[0, 1]], heights=[2.0], labels=["a", "b"]))
    '{"id":2,"height":2.0,"children":[{"id":0,"label":"a"},{"id":1,"label":"b"}]}'
    """
    n, labels = tree.n_leaves, tree.labels
    heads = [f'"id":{node},' for node in range(n, 2 * n - 1)]
    for name, values in zip(NUMBERS, (tree.heights, tree.support), strict=True):
        if values is not None:
            for t, value in enumerate(values.tolist()):
                if not math.isnan(value):
                    heads[t] += f'"{name}":{value!r},'
    return bracketed(
        tree,
        [f'{{{head}"children":[' for head in heads],
        [f'{{"id":{i}}}' for i in range(n)]
        if labels is None
        else [f'{{"id":{i},"label":{json.dumps(x)}}}' for i, x in enumerate(labels)],
        ["]}"] * (n - 1),
    )


def from_json(text: str) -> Tree:
    """Read a tree from nested JSON text.

    Leaves without an "id" are numbered as they come. Merges come in the order of their
    heights; between equal heights, or without any, in the order of the "id" of inner
    nodes if these are n..2n-2 and grow towards the root, else in the order of sizes.
    Other keys, and other ids of inner nodes, are passed over.

    Parameters
    ----------
    text : str

    Returns
    -------
    Tree

    Raises
    ------
    InvalidTree
        If the text is no JSON or no binary tree; the message names the place.

    Examples
    --------
    >>> from_json('{"children": [{"label": "a"}, {"label": "b"}]}').labels
    ('a', 'b')
    """
    if not isinstance(text, str):
        message = f"JSON text must be a string, not {type(text).__name__}."
        raise InvalidTree(message)
    with no_garbage_collection():
        with suppress(ValueError, RecursionError):
            return _tree(DECODER.decode(text))
        return _tree(_parse(text))


def _tree(root: Any) -> Tree:
    """The tree of parsed JSON."""
    builder = Builder()
    leaves: list[dict[Any, Any]] = []
    inner_ids: list[object] = []
    _add_nodes(root, builder, leaves, inner_ids)
    ids = _leaf_ids(leaves)
    labels = [leaf.get("label") for leaf in leaves]
    if all(label is None for label in labels):
        return builder.tree(ids, None, inner_ids)
    names = [""] * len(labels)
    for i, label in zip(ids, labels, strict=True):
        if not isinstance(label, str):
            message = f'leaf {i} has the "label" {_show(label)}: all need a string.'
            raise InvalidTree(message)
        names[i] = label
    return builder.tree(ids, names, inner_ids)


def _leaf_ids(leaves: list[dict[Any, Any]]) -> list[int]:
    n = len(leaves)
    ids = [leaf.get("id") for leaf in leaves]
    if all(i is None for i in ids):
        return list(range(n))
    seen: set[object] = set()
    for i in ids:
        if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < n or i in seen:
            message = f'a leaf has the "id" {_show(i)}: give 0..{n - 1}, each once.'
            raise InvalidTree(message)
        seen.add(i)
    return ids  # type: ignore[return-value]


def _show(value: object) -> str:
    """A value for a message; lists and objects may be too deep to show."""
    is_deep = isinstance(value, list | dict)
    return f"of type {type(value).__name__}" if is_deep else repr(value)[:40]


def _add_nodes(
    root: Any, builder: Builder, leaves: list[dict[Any, Any]], inner_ids: list[object]
) -> None:
    """Add the nodes of parsed JSON to the builder, children before parents."""
    if not isinstance(root, dict):
        message = "JSON: the tree must be an object with children."
        raise InvalidTree(message)
    # Open nodes, each with its other children and the numbers of those finished.
    stack: list[tuple[dict[Any, Any], Iterator[Any], list[int]]] = []
    node: Any = root
    while True:
        if not isinstance(node, dict):
            message = f'{_where(stack[-1][0])}: "children" must be a list of objects.'
            raise InvalidTree(message)
        children = node.get("children")
        number = -1
        if children is None:
            leaves.append(node)
            number = builder.add_leaf()
        elif isinstance(children, list):
            stack.append((node, iter(children), []))
        else:
            message = f'{_where(node)}: "children" must be a list of objects.'
            raise InvalidTree(message)
        while stack:
            parent, others, done = stack[-1]
            if number >= 0:
                done.append(number)
            node = next(others, stack)
            if node is not stack:
                break
            height, support = (_real(parent, name) for name in NUMBERS)
            number = builder.add_merge(done, height, support, _where(parent))
            inner_ids.append(parent.get("id"))
            stack.pop()
        else:
            return


def _where(node: dict[Any, Any]) -> str:
    return f"JSON, character {node.get(PLACE)}"


def _real(node: dict[Any, Any], name: str) -> float:
    value = node.get(name)
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f'{_where(node)}: "{name}" must be a number.'
        raise InvalidTree(message)
    if abs(value) > sys.float_info.max:
        message = f'{_where(node)}: "{name}" is too large a number.'
        raise InvalidTree(message)
    return float(value)


def _parse(text: str) -> Any:
    """A JSON value, without recursion. Each object also holds its own PLACE."""
    # Each open container: [its list or dictionary, the key being filled].
    stack: list[list[Any]] = []
    expects = "value"  # or "key", "colon", "comma", "first key", "first value", "end"
    value: Any = None
    at = 0
    end = len(text.rstrip(" \t\n\r"))
    while at < end:
        match = TOKEN.match(text, at)
        if match is None:
            place = at + len(text[at:end]) - len(text[at:end].lstrip(" \t\n\r"))
            _fail(place, expects, text[place : place + 20])
        place, at = match.start(str(match.lastgroup)), match.end()
        token = text[place:at]
        is_value = expects in ("value", "first value")
        if match.lastgroup == "open":  # most often: a merge, up to its children
            node = _opened(token) if is_value else None
            if node is not None:
                node[PLACE] = place
                stack += [[node, "children"], [node["children"], None]]
                expects = "first value"
                continue
            token, at = "{", place + 1
        if token in ("{", "[") and is_value:
            stack.append([{PLACE: place} if token == "{" else [], None])
            expects = "first key" if token == "{" else "first value"
            continue
        if token[0] == '"' and expects in ("key", "first key"):
            stack[-1][1] = _scalar(token, place)
            expects = "colon"
            continue
        if token == ":" and expects == "colon":
            expects = "value"
            continue
        if token == "," and expects == "comma":
            expects = "key" if isinstance(stack[-1][0], dict) else "value"
            continue
        if token == "}" and stack and expects in ("first key", "comma"):
            if not isinstance(stack[-1][0], dict):
                _fail(place, expects, token)
            value = stack.pop()[0]
        elif token == "]" and stack and expects in ("first value", "comma"):
            if not isinstance(stack[-1][0], list):
                _fail(place, expects, token)
            value = stack.pop()[0]
        elif is_value and match.lastgroup == "flat":  # most often: a leaf
            value = {**_scalar(token, place), PLACE: place}
        elif is_value and token[0] not in "{}[]:,":
            value = _scalar(token, place)
        else:
            _fail(place, expects, token)
        if not stack:
            expects = "end"
            continue
        if isinstance(stack[-1][0], dict):
            stack[-1][0][stack[-1][1]] = value
        else:
            stack[-1][0].append(value)
        expects = "comma"
    if expects != "end":
        _fail(end, expects, "")
    return value


def _opened(token: str) -> dict[Any, Any] | None:
    """The object that begins so, if what is there of it is right."""
    try:
        node: dict[Any, Any] = DECODER.decode(token + "]}")
    except ValueError:
        return None
    return node


def _scalar(token: str, place: int) -> Any:
    try:
        value = DECODER.decode(token)
    except ValueError:
        message = f"JSON, character {place}: {token[:40]!r} is no JSON value."
        raise InvalidTree(message) from None
    return value


def _fail(place: int, expects: str, token: str) -> NoReturn:
    wanted = {
        "value": "a value",
        "first value": "a value or ']'",
        "key": "a key in double quotes",
        "first key": "a key in double quotes or '}'",
        "colon": "':'",
        "comma": "',' or the closing bracket",
        "end": "the end",
    }[expects]
    found = f"found {token[:40]!r}" if token else "the text ends"
    message = f"JSON, character {place}: expected {wanted}, {found}."
    raise InvalidTree(message)
