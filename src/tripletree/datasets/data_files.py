"""Files of public data sets: from a folder of the user, or downloaded once.

Looked for, in this order::

    data_home=, or else the folder in TRIPLETREE_DATA     as it is, perhaps with .gz
    pooch's cache folder of tripletree                    if its sha256 is right
    each address in turn                                  if its sha256 is right

What a user put into a folder is the user's choice, and is read whatever its hash. What
comes over the network is used only with the hash it should have; a download that fails
leaves nothing in the cache.

gzip, tar and zip are unpacked in memory, trusting nothing that they say. Nothing is
written to disk, so no name can lead out of a folder, and links are left out. What is
unpacked is counted while it is unpacked, never taken from a header.

The name of a data set is the folder of its files. Hashes of files that people unpacked
are of the contents. Addresses and hashes of archives, and of files on OSF, are those
that cblearn documents.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tripletree.errors import (
    DataUnavailable,
    InvalidFile,
    InvalidOption,
    Remedy,
    refuse_if,
)

VARIABLE = "TRIPLETREE_DATA"
SECONDS = 30
MOST_BYTES = 2**28

Folder = str | os.PathLike[str]
Wanted = Callable[[str], bool]


@dataclass(frozen=True)
class Address:
    """Where a file can be had; member is its name if that is a zip archive."""

    url: str
    sha256: str
    member: str | None = None


def _github(
    repository: str, path: str, sha256: str, *, commit: str = "HEAD"
) -> Address:
    """The address of a file in a public GitHub repository."""
    return Address(
        f"https://raw.githubusercontent.com/{repository}/{commit}/{path}", sha256
    )


_CROWD_MEDIAN = {
    "citation": (
        "H. Heikinheimo and A. Ukkonen. The crowd-median algorithm. HCOMP 2013."
    ),
    "licence": "none stated",
    "page": "http://anttiukkonen.com/",
}
_REVENUE = "jitaishik/Revenue_ComparisonHC"
_OF_UCI = {
    "licence": "CC BY 4.0 (UCI Machine Learning Repository)",
    "page": f"https://github.com/{_REVENUE}",
}

# Citation, licence and page of each set.
ORIGINS = {
    "car": {
        "citation": (
            "M. Kleindessner and U. von Luxburg. Lens depth function and k-relative "
            "neighborhood graph: versatile tools for ordinal data analysis. Journal of "
            "Machine Learning Research 18(58):1-52, 2017."
        ),
        "licence": "none stated; the authors ask for citation (images: public domain)",
        "page": (
            "http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/index.php"
        ),
    },
    "food": {
        "citation": (
            "M. Wilber, I. Kwak and S. Belongie. Cost-effective HITs for relative "
            "similarity comparisons. HCOMP 2014."
        ),
        "licence": (
            "This dataset contains copyrighted material under the educational fair use "
            "exemption to the U.S. copyright law (the images, which are not read here)"
        ),
        "page": "https://osf.io/tqpmw/",
    },
    "vogue": _CROWD_MEDIAN,
    "nature": _CROWD_MEDIAN,
    "imagenet": {
        "citation": (
            "B. D. Roads and B. C. Love. Enriching ImageNet with human similarity "
            "judgments and psychological embeddings. CVPR 2021, arXiv:2011.11015."
        ),
        "licence": "CC BY 4.0",
        "page": "https://osf.io/cn2s3/",
    },
    "things": {
        "citation": (
            "M. N. Hebart, C. Y. Zheng, F. Pereira and C. I. Baker. Revealing the "
            "multidimensional mental representations of natural objects underlying "
            "human similarity judgements. Nature Human Behaviour 4:1173-1185, 2020; "
            "M. N. Hebart et al. eLife 12:e82580, 2023."
        ),
        "licence": "CC BY 4.0",
        "page": "https://github.com/MirkoTh/semantic-representations-ID",
    },
    "musician": {
        "citation": (
            "D. Ellis, B. Whitman, A. Berenzweig and S. Lawrence. The quest for ground "
            "truth in musical artist similarity. ISMIR 2002; in the form released with "
            "L. van der Maaten and K. Weinberger. Stochastic triplet embedding. MLSP "
            "2012."
        ),
        "licence": "none stated",
        "page": "https://github.com/amandasongmm/simi_triplet",
    },
    "material": {
        "citation": (
            "M. Lagunas, S. Malpica, A. Serrano, E. Garces, D. Gutierrez and B. Masia. "
            "A similarity measure for material appearance. ACM Transactions on "
            "Graphics 38(4), 2019."
        ),
        "licence": "GPL-2.0 (the repository of the authors)",
        "page": "https://github.com/mlagunas/material-appearance-similarity",
    },
    "zoo": {
        "citation": "R. Forsyth. Zoo. UCI Machine Learning Repository, 1990.",
        **_OF_UCI,
    },
    "glass": {
        "citation": (
            "B. German. Glass identification. UCI Machine Learning Repository, 1987."
        ),
        **_OF_UCI,
    },
    "mnist_tsne": {
        "citation": (
            "Y. LeCun, L. Bottou, Y. Bengio and P. Haffner. Gradient-based learning "
            "applied to document recognition. Proceedings of the IEEE 86(11), 1998; "
            "embedded by M. Perrot, P. Esser and D. Ghoshdastidar. Near-optimal "
            "comparison based clustering. NeurIPS 2020."
        ),
        "licence": "MIT (the repository with the points); MNIST states none",
        "page": f"https://github.com/{_REVENUE}",
    },
    "digits": {
        "citation": (
            "E. Alpaydin and C. Kaynak. Optical recognition of handwritten digits. UCI "
            "Machine Learning Repository, 1998; as part of scikit-learn."
        ),
        "licence": "CC BY 4.0 (UCI Machine Learning Repository)",
        "page": "https://archive.ics.uci.edu/dataset/80",
    },
}

_FOOD_SHA256 = "18f5e210174dfdbf6a7b4ed7538cf8ba53fd65e0cbe193519231b8ab4ea8fc62"
_ZOO_SHA256 = "cb6cd89fd37ce9d786a396aa8e50bc0165a73184cfd23bc89dcbe569cbb8a585"
_POINTS_SHA256 = "81b122e1b651dcebbb4aa9930d012d74c49083216e6957d2cc1b0558f6b305b7"
_CROWD_ZIP = (
    "http://anttiukkonen.com/nature_and_vogue_triplets.zip",
    "db4718bb742a2492dee87e94daead3070b2afa3a9174aa717be336940e47e3cc",
)
_MATERIAL = "mlagunas/material-appearance-similarity"
_MATERIAL_COMMIT = "373804054a59f7015534050030cb2d3f680ffa7b"

# Where each file can be had, the best place first; none: only by hand.
FILES: dict[str, tuple[Address, ...]] = {
    "car/survey_data.csv": (
        _github(
            "mperrot/ComparisonHC",
            "resources/car/survey_data.csv",
            "479eeb0252b6d4dcd9d80b6bbb20bc1d127c627857e2a8af7e0567d82afa0494",
            commit="a61ffc9c6baf52e6424ff192ef33ec19ff2159c1",
        ),
        Address(
            "http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/60_cars_data.zip",
            "5fa2ad932d48adf5cfe36bd16a08b25fd88d1519d974908f6ccbba769f629640",
            "60_cars_data/survey_data.csv",
        ),
    ),
    "food/raw-json.tar.gz": (),
    "food/food100-dataset.zip": (
        Address("https://osf.io/download/6aa16bb1813a28b1e43f09bb/", _FOOD_SHA256),
        Address(
            "http://vision.cornell.edu/se3/wp-content/uploads/2014/09/food100-dataset.zip",
            _FOOD_SHA256,
        ),
    ),
    "vogue/vogue_triplets.txt": (Address(*_CROWD_ZIP, "vogue/vogue_triplets.txt"),),
    "nature/nature_triplets.txt": (Address(*_CROWD_ZIP, "nature/nature_triplets.txt"),),
    "imagenet/obs-118.hdf5": (
        Address(
            "https://osf.io/download/ej6sz/",
            "d8a51e689ebd10c7c8a22eb9a52b16a7f18a8d205f4bce434bdaea5ad0d4fe61",
        ),
    ),
    "imagenet/catalog.hdf5": (
        Address(
            "https://osf.io/download/bf3e2/",
            "920d3c577308b256fce2599726bb5eacd433a6250f710dc011048abf20cb85e4",
        ),
    ),
    "things/test_10.txt": (
        _github(
            "MirkoTh/semantic-representations-ID",
            "data/test_10.txt",
            "982ca5e855a9f1adb78251e2774e9ccf4e97a2415fdcc9a44ff94d7e717b9470",
            commit="915363a0ac4c36c004da1013e41236a78998710e",
        ),
    ),
    "things/unique_id.txt": (
        _github(
            "MirkoTh/semantic-representations-ID",
            "data/unique_id.txt",
            "e2e59d02197e89776034938e7a73940a0823cacac4b6084b56b1d8959816ff76",
        ),
    ),
    "musician/music_triplets.mat": (
        _github(
            "amandasongmm/simi_triplet",
            "STE_Release/data/music_triplets.mat",
            "ce7b33bbb208ea9e441f2860d59574a98272a0d110fc1b4d9e96d4c88d59b313",
        ),
    ),
    "material/answers_processed_train.json": (
        _github(
            _MATERIAL,
            "data/answers_processed_train.json",
            "eafd46b57a8220d7b650961dd119faabf30424620828eb37a7d00b0390085214",
            commit=_MATERIAL_COMMIT,
        ),
    ),
    "material/answers_processed_test.json": (
        _github(
            _MATERIAL,
            "data/answers_processed_test.json",
            "8705e1d38f9762da6a66ab4b26fb691aacdea706692ebfe2ef206262de979def",
            commit=_MATERIAL_COMMIT,
        ),
    ),
    "material/material_names.txt": (),
    "zoo/zoo.csv": (
        _github(_REVENUE, "resources/zoo.csv", _ZOO_SHA256),
        _github(
            "mperrot/ComparisonHC",
            "resources/zoo.csv",
            _ZOO_SHA256,
            commit="09775f444ec11cfaf7637722ea0ac54a0bb7bc13",
        ),
    ),
    "glass/glass.csv": (
        _github(
            _REVENUE,
            "resources/glass.csv",
            "1be3d7514e883752c32b4467be2aab04b19c695c3677e7fb26aabb273e705066",
        ),
    ),
    "mnist_tsne/reduced_test_X.csv": (
        _github(_REVENUE, "resources/reduced_test_X.csv", _POINTS_SHA256),
        _github(
            "mperrot/AddS-Clustering",
            "resources/mnist/reduced_test_X.csv",
            _POINTS_SHA256,
            commit="3edd0442cae4eb943471b82002fe1acc70c745bc",
        ),
    ),
    "mnist_tsne/test_labels.csv": (
        _github(
            _REVENUE,
            "resources/test_labels.csv",
            "4766d8bd8cadc120c936c586ea42e01a89c043174c42474c4c67dd1896716b76",
        ),
    ),
}


def wrong_file(where: str, what: str) -> InvalidFile:
    """The error about a file that is not what it should be."""
    return InvalidFile(where, ": ", what, ". Get the file again from its source.")


def refuse_file_if(is_wrong: bool | np.bool_, where: str, what: str) -> None:
    """Refuse a file that is not what it should be."""
    if is_wrong:
        raise wrong_file(where, what)


@contextmanager
def reading_as(kind: str, where: str) -> Iterator[None]:
    """Whatever a library says about a file becomes an error of ours."""
    try:
        yield
    except (InvalidFile, MemoryError):
        raise
    except Exception as error:
        raise wrong_file(
            where, f"not {kind} ({type(error).__name__}: {error!s:.80})"
        ) from None


def cache_folder() -> Path:
    """Where downloads are kept."""
    import pooch

    return Path(pooch.os_cache("tripletree"))


def local_folder(data_home: Folder | None) -> Path | None:
    """The folder that the user named, by option or environment, or None."""
    name, given = "data_home", data_home
    if data_home is None:
        name, given = VARIABLE, os.environ.get(VARIABLE) or None
    if given is None:
        return None
    is_path = isinstance(given, str | os.PathLike) and isinstance(os.fspath(given), str)
    refuse_if(
        not is_path or not os.path.isdir(given),
        InvalidOption,
        f"{name} = {str(given)[:200]!r} is not a folder: give one that holds the files "
        "of the data sets, for example car/survey_data.csv below it.",
    )
    return Path(given)


def find_local(path: str, data_home: Folder | None) -> Path | None:
    """The user's copy of a file, packed with gzip or not, or None."""
    folder = local_folder(data_home)
    if folder is None:
        return None
    places = (folder / path, folder / f"{path}.gz")
    return next((place for place in places if place.exists()), None)


def read_data_file(path: str, data_home: Folder | None = None) -> bytes:
    """The contents of a file: the user's copy, the cached one, or downloaded now.

    Raises
    ------
    DataUnavailable
        If it is nowhere, saying what each address answered and where to put the file.
    InvalidFile
        If an archive is damaged or hostile.
    """
    local = find_local(path, data_home)
    if local is not None:
        contents, is_packed = _contents(local), local.name == f"{Path(path).name}.gz"
        return gunzip(contents, str(local)) if is_packed else contents
    import pooch

    tried = ""
    for address in sorted(FILES[path], key=lambda one: not _place(one, path).exists()):
        place = _place(address, path)
        try:
            pooch.retrieve(
                address.url,
                known_hash=f"sha256:{address.sha256}",
                fname=place.name,
                path=place.parent,
                downloader=_download,
            )
        except (OSError, ValueError) as error:  # errors of requests are OSErrors
            tried += f"\n  {address.url}: {type(error).__name__}: {error!s:.160}"
        else:
            return _member(place, address)
    folder, variable = local_folder(data_home), f"the environment variable {VARIABLE}"
    raise DataUnavailable(
        path,
        f" is not here and could not be downloaded:{tried}\nGet it by hand from "
        f"{ORIGINS[path.split('/')[0]]['page']}, put it at "
        f"{path if folder is None else folder / path}, and name the folder above with ",
        Remedy(f"data_home= or {variable}", shell=variable),
        ".",
    )


def _contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            contents = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DataUnavailable(
            str(path), f" cannot be read ({error.strerror}): check its permissions."
        ) from None
    _check_size(len(contents), str(path))
    return contents


def _place(address: Address, path: str) -> Path:
    """Where a download is kept; two files of one archive share it."""
    return cache_folder() / (
        path if address.member is None else f"{address.sha256[:16]}.zip"
    )


class _Limited(io.BufferedWriter):
    """A file that refuses to grow beyond what any data set needs."""

    def write(self, chunk: Any) -> int:
        if self.tell() + len(chunk) > MOST_BYTES:
            message = f"it sends more than {MOST_BYTES} bytes"
            raise OSError(message)
        return super().write(chunk)


def _download(url: str, output_file: str, pooch: object) -> None:
    from pooch import HTTPDownloader

    with _Limited(io.FileIO(output_file, "w")) as file:
        HTTPDownloader(timeout=SECONDS, chunk_size=2**16)(url, file, pooch)


def _member(path: Path, address: Address) -> bytes:
    contents, member = _contents(path), address.member
    if member is None:
        return contents
    found = unpack_zip(contents, str(path), lambda name: name == member)
    refuse_file_if(
        member not in found,
        str(path),
        f"it comes from {address.url} and holds no file {member!r}",
    )
    return found[member]


def gunzip(data: bytes, where: str) -> bytes:
    """The contents of a gzip file."""
    with (
        reading_as("a whole gzip file", where),
        gzip.GzipFile(fileobj=io.BytesIO(data)) as file,
    ):
        contents = file.read(MOST_BYTES + 1)
    _check_size(len(contents), where)
    return contents


def unpack_tar_gz(data: bytes, where: str, wanted: Wanted) -> dict[str, bytes]:
    """The wanted files of a .tar.gz by name."""
    packed = gunzip(data, where)
    with (
        reading_as("a whole tar file", where),
        tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as archive,
    ):
        files = [one for one in archive if one.isreg() and wanted(one.name)]
        found = {one.name: archive.extractfile(one).read() for one in files}  # type: ignore[union-attr]
    refuse_file_if(
        any(packed[-1024:]),  # it ends in two empty blocks
        where,
        "not a whole tar file (it has no end)",
    )
    return found


def unpack_zip(data: bytes, where: str, wanted: Wanted) -> dict[str, bytes]:
    """The wanted files of a zip by name."""
    found: dict[str, bytes] = {}
    with (
        reading_as("a whole zip file", where),
        zipfile.ZipFile(io.BytesIO(data)) as archive,
    ):
        for name in filter(wanted, archive.namelist()):
            with archive.open(name) as file:
                found[name] = file.read(MOST_BYTES + 1)
            _check_size(sum(map(len, found.values())), where)
    return found


def _check_size(n_bytes: int, where: str) -> None:
    refuse_file_if(
        n_bytes > MOST_BYTES,
        where,
        f"it has more than {MOST_BYTES} bytes, the most that is read",
    )
