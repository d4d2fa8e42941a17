"""Trees as nested JSON: {"id": 2, "height": 2.0, "children": [{"id": 0}, {"id": 1}]}.

A leaf has its "id" and, if the tree has labels, a "label"; an inner node has its "id",
"children" (more than two in a polytomy) and, where known, "height" and "support". The
ids of inner nodes give the order of the merges, so nothing that is shown is lost.
Python's JSON reader is recursive and stops at a depth of about a thousand. What it
cannot read is read here, with a list of open nodes: deep trees, and invalid text, to
say where the error is.
"""

from __future__ import annotations

import json
import math
import re
import sys
from contextlib import suppress
from typing import Any, NoReturn

from tripletree.errors import InvalidTree, refuse_if
from tripletree.tree.text_formats import (
    TreeBuilder,
    nested_text,
    paused_garbage_collection,
)
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


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)  # without NaN and Infinity
PLACE = None  # the key for an object's place in the text; other keys are strings
NUMBERS = ("height", "support")
SCHEMA = 1  # version of the format; a later one would have "schema" at the root
# How the next token may begin; 0 stands for a number, true, false or null.
VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, END = '{["0', '{["0]', '"', '"}', ":", ""
WANTED = {
    VALUE: "a value",
    FIRST_VALUE: "a value or ']'",
    KEY: "a key in double quotes",
    FIRST_KEY: "a key in double quotes or '}'",
    COLON: "':'",
    ",}": "',' or the closing bracket",
    ",]": "',' or the closing bracket",
    END: "the end",
}


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
    return nested_text(
        tree,
        [f'{{{head}"children":[' for head in heads],
        [f'{{"id":{i}}}' for i in range(n)]
        if labels is None
        else [f'{{"id":{i},"label":{json.dumps(x)}}}' for i, x in enumerate(labels)],
        ["]}"] * (n - 1),
    )


def from_json(text: str) -> Tree:
    """Read a tree from nested JSON text.

    Leaves without an "id" are numbered as they occur. Merges are in the order of their
    heights; between equal heights, or without any, in the order of the "id" of inner
    nodes if these are n..2n-2 and grow towards the root, else in the order of sizes.
    Other keys, and other ids of inner nodes, are ignored.

    Parameters
    ----------
    text : str

    Returns
    -------
    Tree

    Raises
    ------
    InvalidTree
        If the text is not JSON or not a tree; the message names the place.

    Examples
    --------
    >>> from_json('{"children": [{"label": "a"}, {"label": "b"}]}').labels
    ('a', 'b')
    """
    refuse_if(
        not isinstance(text, str),
        InvalidTree,
        f"JSON text must be a string, not {type(text).__name__}.",
    )
    with paused_garbage_collection():
        with suppress(ValueError, RecursionError):
            return _build_tree(DECODER.decode(text))
        return _build_tree(_parse(text))


def _build_tree(root: Any) -> Tree:
    """A tree from parsed JSON."""
    builder = TreeBuilder("JSON")
    _add_nodes(root, builder)
    ids = _leaf_ids(builder.leaves)
    labels = [leaf.get("label") for leaf in builder.leaves]
    if all(label is None for label in labels):
        return builder.tree(ids, None)
    names = [""] * len(labels)
    for i, label in zip(ids, labels, strict=True):
        if not isinstance(label, str):
            message = f'leaf {i} has the "label" {_show(label)}: all need a string.'
            raise InvalidTree(message)
        names[i] = label
    return builder.tree(ids, names)


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


def _add_nodes(root: Any, builder: TreeBuilder) -> None:
    """Add the nodes of parsed JSON to the builder, children before parents."""
    refuse_if(
        not isinstance(root, dict),
        InvalidTree,
        "JSON: the tree must be an object with children.",
    )
    version = root.get("schema", SCHEMA)
    refuse_if(
        version is True or version != SCHEMA,
        InvalidTree,
        f'JSON: "schema" is {_show(version)}, and this version of tripletree reads '
        f"trees of schema {SCHEMA}. Use the version that wrote the file, or a later "
        "one, and write the tree as Newick.",
        code="another version",
    )
    refuse_if(
        "schema" in root and "children" not in root,
        InvalidTree,
        'JSON: this has a "schema" but no "children": it is a summary, not a tree. '
        "Read tree.json.",
    )
    # Each node comes before its children, the last child first; read it backwards.
    nodes: list[dict[Any, Any]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        children = node.get("children")
        if children is None:
            continue
        if not isinstance(children, list) or not {*map(type, children)} <= {dict}:
            message = f'{_where(node)}: "children" must be a list of objects.'
            raise InvalidTree(message)
        stack += children
    for node in reversed(nodes):
        children = node.get("children")
        if children is None:
            builder.add_leaf(node)
            continue
        height, support = (_number_of(node, name) for name in NUMBERS)
        builder.add_merge(
            len(children), node.get(PLACE), height, support, node.get("id")
        )


def _where(node: dict[Any, Any]) -> str:
    return f"JSON, character {node.get(PLACE)}"


def _number_of(node: dict[Any, Any], name: str) -> float:
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
    expects = VALUE
    value: Any = None
    at = 0
    end = len(text.rstrip(" \t\n\r"))
    while at < end:
        match = TOKEN.match(text, at)
        if match is None:
            place = at + len(text[at:end]) - len(text[at:end].lstrip(" \t\n\r"))
            _fail(place, expects, text[place : place + 20])
        kind = str(match.lastgroup)
        place, at = match.start(kind), match.end()
        token = text[place:at]
        if kind == "open":  # usually a merge, up to its children
            node = _decode_start(token) if "{" in expects else None
            if node is not None:
                node[PLACE] = place
                stack += [[node, "children"], [node["children"], None]]
                expects = FIRST_VALUE
                continue
            kind, token, at = "mark", "{", place + 1
        sign = token[0] if token[0] in '{}[]:,"' else "0"
        if sign not in expects:
            _fail(place, expects, token)
        if sign in ":,":
            is_key = sign == "," and isinstance(stack[-1][0], dict)
            expects = KEY if is_key else VALUE
            continue
        if token == "{":
            stack.append([{PLACE: place}, None])
            expects = FIRST_KEY
            continue
        if token == "[":
            stack.append([[], None])
            expects = FIRST_VALUE
            continue
        value = stack.pop()[0] if sign in "}]" else _scalar(token, place)
        if kind == "flat":  # usually a leaf
            value[PLACE] = place
        if not stack:
            expects = END
        elif expects in (KEY, FIRST_KEY) and sign == '"':
            stack[-1][1] = value
            expects = COLON
        elif isinstance(stack[-1][0], dict):
            stack[-1][0][stack[-1][1]] = value
            expects = ",}"
        else:
            stack[-1][0].append(value)
            expects = ",]"
    if expects != END:
        _fail(end, expects, "")
    return value


def _decode_start(token: str) -> Any:
    """The object that starts with this text, if the text is valid so far."""
    with suppress(ValueError):
        return DECODER.decode(token + "]}")
    return None


def _scalar(token: str, place: int) -> Any:
    try:
        return DECODER.decode(token)
    except ValueError:
        message = f"JSON, character {place}: {token[:40]!r} is not a JSON value."
        raise InvalidTree(message) from None


def _fail(place: int, expects: str, token: str) -> NoReturn:
    found = f"found {token[:40]!r}" if token else "the text ends"
    message = f"JSON, character {place}: expected {WANTED[expects]}, {found}."
    raise InvalidTree(message)
