"""What is fuzzed: one function of bytes for every parser, and bytes to start from.

Nothing but errors of the package may come out of any of them.
"""

import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tripletree import (
    PairSums,
    Tree,
    Triplets,
    balanced_tree,
    caterpillar_tree,
    read_comparisons,
    read_items,
    read_pairs,
    read_tree,
    write_comparisons,
    write_pairs,
)

Target = Callable[[bytes], object]


def text_of(parse: Callable[[str], object]) -> Target:
    """A parser of text, given any bytes as text."""
    return lambda data: parse(data.decode("utf-8", "surrogateescape"))


def file_of(read: Callable[[Path], object], ending: str) -> Target:
    """A reader of files, given a file of these bytes."""

    def target(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"fuzzed.{ending}")
            path.write_bytes(data)
            return read(path)

    return target


def linkage(data: bytes) -> object:
    """`Tree.from_linkage` of a matrix of any floats."""
    numbers = np.frombuffer(data[: len(data) // 32 * 32], np.float64)
    return Tree.from_linkage(numbers.reshape(-1, 4))


# The targets that read comparisons, and the ending of their files.
READER = {
    "csv": "csv",
    "tsv": "tsv",
    "txt": "txt",
    "gz": "csv.gz",
    "jsonl": "jsonl",
    "export": "json",
    "zip": "zip",
    "parquet": "parquet",
    "npz": "npz",
}


def targets() -> dict[str, Target]:
    """All targets by name."""
    return {
        "newick": text_of(Tree.from_newick),
        "json": text_of(Tree.from_json),
        "linkage": linkage,
        "nwk": file_of(read_tree, "nwk"),
        "npy": file_of(read_tree, "npy"),
        **{name: file_of(read_comparisons, end) for name, end in READER.items()},
        "items": file_of(read_items, "csv"),
        "pairs": file_of(read_pairs, "parquet"),
    }


def seeds(name: str) -> list[bytes]:
    """Well-formed inputs of a target, as starts for mutations; always the same."""
    if name in ("newick", "nwk"):
        texts = [
            "((a,b),c);",
            "(('it''s':1,b_2:1)0.9:2,[note]c:3);",
            "(0:1,(1:1,2:2)x:1e3);",
        ]
        return [text.encode() for text in texts]
    if name == "json":
        trees = [
            caterpillar_tree(4),
            Tree([[0, 1], [2, 3]], [1.0, 2.5], ["a", "é", "\n"]),
        ]
        return [tree.to_json().encode() for tree in trees]
    if name in ("linkage", "npy"):
        matrices = [
            tree.to_linkage() for tree in (caterpillar_tree(4), balanced_tree(9))
        ]
        return [m.tobytes() if name == "linkage" else _saved(m) for m in matrices]
    if name == "items":
        return [b"label,group,image\nowl,bird,o.png\ncarp,fish,c.png\n", b"id\n1\n2\n"]
    if name == "pairs":
        sums = PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [3, 0], [1, 2])
        return [_written(lambda path: write_pairs(sums, path), "parquet")]
    if name == "jsonl":
        row = {"target": "a", "near": "b", "far": "c", "weight": 2, "worker": "w"}
        return [json.dumps(row).encode() + b"\n", b'{"i": 0, "j": 1, "k": 2}\n' * 3]
    if name == "export":
        trial = {"stimulus": "a", "choices": ["b", "c"], "response": 1, "rt": 812}
        both = [trial, {**trial, "response": 0}, {"response": {"age": 31}}]
        return [json.dumps(both).encode()]
    if name == "zip":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            part = zipfile.ZipInfo("answers.csv")  # of 1980
            archive.writestr(part, "i,j,k\na,b,c\nc,a,b\n", zipfile.ZIP_DEFLATED)
        return [file.getvalue()]
    if name in ("parquet", "npz", "gz"):
        answers = Triplets(
            [[0, 1, 2], [2, 1, 0]], 3, [1, 2], ["a", "b", "c"], ["w", "v"]
        )
        made = _written(lambda path: write_comparisons(answers, path), READER[name])
        is_packed = name == "gz"
        return [gzip.compress(gzip.decompress(made), mtime=0) if is_packed else made]
    separator = "," if name == "csv" else "\t" if name == "tsv" else " "
    tables = [
        "i,j,k\na,b,c\nc,a,b\n",
        'head,winner,loser,worker,weight\na,"b ""x""",c,w,2.5\n',
        "Center,Left,Right,Answer\na,b,c,left\na,b,c,right\n",
        "0,1,2\n2,1,0\n",
        "first,second,third,odd\na,b,c,b\n",
        "head,winner,loser,Center,Left,Right,Answer\na,b,c,a,b,c,left\n",
        "i,j,k,sex,size\nOwl,owl.png,b,f,0.5\n+1,1,a,m,2\n",
        "triple,rt\nab|c,0.4\nac|b,\n",
    ]
    jspsych = 'stimulus,choices,response,rt\na,"[""b"",""c""]",1,300\n'
    jspsych += 'a,"[""b"",""c""]",0,400\n'
    own = [jspsych.encode()] if name == "csv" else []
    return own + [table.replace(",", separator).encode() for table in tables]


def _saved(matrix: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, matrix)
    return file.getvalue()


def _written(write: Callable[[Path], None], ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"seed.{ending}")
        write(path)
        return path.read_bytes()
