"""A folder of small files for commands to read."""

import shutil

import pytest

import tripletree as tt

TEXTS = {
    "answers.csv": "head,winner,loser\nowl,hawk,carp\nhawk,owl,carp\ncarp,trout,owl\n",
    "tree.nwk": "((owl,hawk),(trout,carp));",
    "other.nwk": "((owl,carp),(hawk,trout));",
    "cod.nwk": "((owl,hawk),(trout,cod));",
    "three.nwk": "((owl,hawk),carp);",
    "numbers.csv": "0,1,2\n1,0,3\n3,2,0\n4,5,0\n5,4,1\n",
    "words.csv": "target,left,right,answer\nx,y,z,a\ny,x,z,b\nz,x,y,s\n",
    "people.csv": "ref,x,y,who\na,b,c,1\na,b,c,1\nb,a,c,2\nc,c,a,3\n",
    "workers.csv": "head,winner,loser,worker\na,b,c,w1\nb,a,c,w2\nb,c,a,w2\n",
    "alone.csv": "head,winner,loser,worker\na,b,c,w1\nb,a,c,w1\n",
    "weighted.csv": "head,winner,loser,weight\n"
    "owl,hawk,carp,0.25\ncarp,trout,owl,0.25\n",
    "odd.csv": "image_1,image_2,image_3,odd\na,b,c,c\na,b,c,\n",
    "items.csv": "label,image\nowl,no.png\nhawk,\ncarp,https://a.org/carp.png\ntrout,",
    "broken.csv": "label,image\nowl,broken.png\nhawk,\ncarp,\ntrout,\n",
    "broken.png": "not a picture",
}


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """The folder that every test gets a copy of."""
    folder = tmp_path_factory.mktemp("files")
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    answers = tt.read_comparisons(folder / "answers.csv")
    tt.write_comparisons(answers, folder / "answers.npz")
    tt.write_pair_sums(folder / "answers.csv", folder / "pairs.parquet")
    tt.write_tree(tt.read_tree(folder / "tree.nwk"), folder / "tree.npy")
    tt.write_tree(tt.balanced_tree(6), folder / "six.nwk")
    return folder


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    """The current folder, with small files of answers, trees and items."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
