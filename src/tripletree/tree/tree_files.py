"""Reading and writing trees in files; the ending of the name says what kind."""

from __future__ import annotations

import io
import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tripletree._checks import check_fits
from tripletree._files import check_name, check_readable, write_whole
from tripletree.errors import InvalidTree, UnreadableFile, refuse_if
from tripletree.tree.tree import Tree, check_tree

KINDS = dict.fromkeys((".nwk", ".newick", ".tree", ".tre"), "newick")
KINDS |= {".json": "json", ".npy": "linkage"}
ENDINGS = ".nwk (also .newick, .tree, .tre), .json or .npy (a SciPy linkage matrix)"
BYTES_PER_BYTE = 10  # memory to read a file, in sizes of the file


def read_tree(path: str | os.PathLike[str]) -> Tree:
    """Read a tree from a file of Newick text, nested JSON or a linkage matrix.

    Parameters
    ----------
    path : path
        Ending in .nwk, .newick, .tree or .tre (Newick); .json (see
        :meth:`Tree.to_json`); or .npy (a SciPy linkage matrix).

    Returns
    -------
    Tree

    Raises
    ------
    UnreadableFile
        If there is no such file, or it may not be read.
    InvalidTree
        If the file does not hold a tree, or has another ending.
    TooLarge
        If the file is too large for the memory that is available.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tree.nwk")
    ...     _ = path.write_text("((owl,hawk),carp);")
    ...     read_tree(path).labels
    ('owl', 'hawk', 'carp')
    """
    name = check_name(path)
    kind, shown = tree_kind(name), f"{name!r:.200}"
    size = check_readable(Path(name)).st_size
    check_fits(BYTES_PER_BYTE * size, f"the tree in {shown}", "give a smaller file.")
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        reason = f" cannot be read: {error.strerror or error}. Check the path."
        raise UnreadableFile(shown, reason) from None
    try:
        if kind == "linkage":
            return Tree.from_linkage(_load_array(data))
        text = data.decode("utf-8-sig")
        return Tree.from_json(text) if kind == "json" else Tree.from_newick(text)
    except InvalidTree as error:
        raise InvalidTree(shown, ": ", *error.parts) from None
    except UnicodeDecodeError:
        raise InvalidTree(shown, " is not UTF-8 text: save it as UTF-8.") from None


def write_tree(
    tree: Tree, path: str | os.PathLike[str], *, overwrite: bool = True
) -> None:
    """Write a tree as Newick text, nested JSON or a linkage matrix.

    The file appears when it is complete. JSON keeps everything; Newick keeps labels,
    branch lengths and support; a linkage matrix does not keep labels.

    Parameters
    ----------
    tree : Tree
    path : path
        Ending in .nwk, .newick, .tree, .tre, .json or .npy.
    overwrite : bool, default True
        Whether to replace an existing file.

    Returns
    -------
    None

    Raises
    ------
    UnreadableFile
        If the file cannot be written there, or may not be replaced.
    InvalidOption
        If overwrite is not True or False.
    InvalidTree
        If the file name has another ending.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tripletree import caterpillar_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tree.nwk")
    ...     write_tree(caterpillar_tree(3), path)
    ...     path.read_text()
    '((0,1),2);\\n'
    """
    check_tree(tree)
    name = check_name(path)
    kind = tree_kind(name)
    if kind == "linkage":
        array = io.BytesIO()
        np.save(array, tree.to_linkage())
        return write_whole(name, array.getvalue(), overwrite)
    text = tree.to_json() if kind == "json" else tree.to_newick()
    write_whole(name, text + "\n", overwrite)


def _load_array(data: bytes) -> Any:
    """The array of an NPY file."""
    loaded: Any = None
    # The header is parsed as Python, which can fail in any way; old headers, and odd
    # escapes in them, cause warnings.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
    refuse_if(
        not isinstance(loaded, np.ndarray),
        InvalidTree,
        "this is not an array saved by NumPy: use np.save(path, matrix).",
    )
    return loaded


def is_tree_file(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file has the ending of a tree file."""
    return Path(path).suffix.lower() in KINDS


def tree_kind(name: str) -> str:
    """What kind of tree file it is, by the ending of its name."""
    refuse_if(
        not is_tree_file(name),
        InvalidTree,
        f"{name!r:.200}: the name does not say what kind of tree file this is: let it "
        f"end in {ENDINGS}.",
    )
    return KINDS[Path(name).suffix.lower()]
