"""The files of the public data sets: addresses, hashes, citations, licences.

Hashes of files that people unpacked are of the contents. Addresses and hashes of
archives, and of files on OSF, are those that cblearn documents.
"""

from __future__ import annotations

from tripletree.datasets.data_sets import Origin
from tripletree.datasets.downloads import Address, DataFile, github

CAR = Origin(
    name="car",
    citation=(
        "M. Kleindessner and U. von Luxburg. Lens depth function and k-relative "
        "neighborhood graph: versatile tools for ordinal data analysis. Journal of "
        "Machine Learning Research 18(58):1-52, 2017."
    ),
    licence="none stated; the authors ask for citation (images: public domain)",
    page="http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/index.php",
)
CAR_SURVEY = DataFile(
    "car/survey_data.csv",
    CAR.page,
    (
        github(
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
)

FOOD = Origin(
    name="food",
    citation=(
        "M. Wilber, I. Kwak and S. Belongie. Cost-effective HITs for relative "
        "similarity comparisons. HCOMP 2014."
    ),
    licence=(
        "This dataset contains copyrighted material under the educational fair use "
        "exemption to the U.S. copyright law (the images, which are not read here)"
    ),
    page="https://osf.io/tqpmw/",
)
FOOD_RAW = DataFile("food/raw-json.tar.gz", FOOD.page, ())
_FOOD_SHA256 = "18f5e210174dfdbf6a7b4ed7538cf8ba53fd65e0cbe193519231b8ab4ea8fc62"
FOOD_ZIP = DataFile(
    "food/food100-dataset.zip",
    FOOD.page,
    (
        Address("https://osf.io/download/6aa16bb1813a28b1e43f09bb/", _FOOD_SHA256),
        Address(
            "http://vision.cornell.edu/se3/wp-content/uploads/2014/09/food100-dataset.zip",
            _FOOD_SHA256,
        ),
    ),
)

_CROWD_MEDIAN = "H. Heikinheimo and A. Ukkonen. The crowd-median algorithm. HCOMP 2013."
_CROWD_PAGE = "http://anttiukkonen.com/"
VOGUE = Origin("vogue", _CROWD_MEDIAN, "none stated", _CROWD_PAGE)
NATURE = Origin("nature", _CROWD_MEDIAN, "none stated", _CROWD_PAGE)


def _of_crowd_median(name: str) -> DataFile:
    path = f"{name}/{name}_triplets.txt"
    address = Address(
        "http://anttiukkonen.com/nature_and_vogue_triplets.zip",
        "db4718bb742a2492dee87e94daead3070b2afa3a9174aa717be336940e47e3cc",
        path,
    )
    return DataFile(path, _CROWD_PAGE, (address,))


VOGUE_ANSWERS = _of_crowd_median("vogue")
NATURE_ANSWERS = _of_crowd_median("nature")

IMAGENET = Origin(
    name="imagenet",
    citation=(
        "B. D. Roads and B. C. Love. Enriching ImageNet with human similarity "
        "judgments and psychological embeddings. CVPR 2021, arXiv:2011.11015."
    ),
    licence="CC BY 4.0",
    page="https://osf.io/cn2s3/",
)
IMAGENET_TRIALS = DataFile(
    "imagenet/obs-118.hdf5",
    IMAGENET.page,
    (
        Address(
            "https://osf.io/download/ej6sz/",
            "d8a51e689ebd10c7c8a22eb9a52b16a7f18a8d205f4bce434bdaea5ad0d4fe61",
        ),
    ),
)
IMAGENET_CATALOGUE = DataFile(
    "imagenet/catalog.hdf5",
    IMAGENET.page,
    (
        Address(
            "https://osf.io/download/bf3e2/",
            "920d3c577308b256fce2599726bb5eacd433a6250f710dc011048abf20cb85e4",
        ),
    ),
)

THINGS = Origin(
    name="things",
    citation=(
        "M. N. Hebart, C. Y. Zheng, F. Pereira and C. I. Baker. Revealing the "
        "multidimensional mental representations of natural objects underlying human "
        "similarity judgements. Nature Human Behaviour 4:1173-1185, 2020; M. N. "
        "Hebart et al. eLife 12:e82580, 2023."
    ),
    licence="CC BY 4.0",
    page="https://github.com/MirkoTh/semantic-representations-ID",
)
THINGS_ANSWERS = DataFile(
    "things/test_10.txt",
    THINGS.page,
    (
        github(
            "MirkoTh/semantic-representations-ID",
            "data/test_10.txt",
            "982ca5e855a9f1adb78251e2774e9ccf4e97a2415fdcc9a44ff94d7e717b9470",
            commit="915363a0ac4c36c004da1013e41236a78998710e",
        ),
    ),
)
THINGS_NAMES = DataFile(
    "things/unique_id.txt",
    THINGS.page,
    (
        github(
            "MirkoTh/semantic-representations-ID",
            "data/unique_id.txt",
            "e2e59d02197e89776034938e7a73940a0823cacac4b6084b56b1d8959816ff76",
        ),
    ),
)

MUSICIAN = Origin(
    name="musician",
    citation=(
        "D. Ellis, B. Whitman, A. Berenzweig and S. Lawrence. The quest for ground "
        "truth in musical artist similarity. ISMIR 2002; in the form released with L. "
        "van der Maaten and K. Weinberger. Stochastic triplet embedding. MLSP 2012."
    ),
    licence="none stated",
    page="https://github.com/amandasongmm/simi_triplet",
)
MUSICIAN_ANSWERS = DataFile(
    "musician/music_triplets.mat",
    MUSICIAN.page,
    (
        github(
            "amandasongmm/simi_triplet",
            "STE_Release/data/music_triplets.mat",
            "ce7b33bbb208ea9e441f2860d59574a98272a0d110fc1b4d9e96d4c88d59b313",
        ),
    ),
)

MATERIAL = Origin(
    name="material",
    citation=(
        "M. Lagunas, S. Malpica, A. Serrano, E. Garces, D. Gutierrez and B. Masia. A "
        "similarity measure for material appearance. ACM Transactions on Graphics "
        "38(4), 2019."
    ),
    licence="GPL-2.0 (the repository of the authors)",
    page="https://github.com/mlagunas/material-appearance-similarity",
)


def _of_material(subset: str, sha256: str) -> DataFile:
    name = f"answers_processed_{subset}.json"
    address = github(
        "mlagunas/material-appearance-similarity",
        f"data/{name}",
        sha256,
        commit="373804054a59f7015534050030cb2d3f680ffa7b",
    )
    return DataFile(f"material/{name}", MATERIAL.page, (address,))


MATERIAL_ANSWERS = {
    "train": _of_material(
        "train", "eafd46b57a8220d7b650961dd119faabf30424620828eb37a7d00b0390085214"
    ),
    "test": _of_material(
        "test", "8705e1d38f9762da6a66ab4b26fb691aacdea706692ebfe2ef206262de979def"
    ),
}
MATERIAL_NAMES = DataFile("material/material_names.txt", MATERIAL.page, ())

_REVENUE = "jitaishik/Revenue_ComparisonHC"
_REVENUE_PAGE = f"https://github.com/{_REVENUE}"
ZOO = Origin(
    name="zoo",
    citation="R. Forsyth. Zoo. UCI Machine Learning Repository, 1990.",
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    page=_REVENUE_PAGE,
)
_ZOO_SHA256 = "cb6cd89fd37ce9d786a396aa8e50bc0165a73184cfd23bc89dcbe569cbb8a585"
ZOO_TABLE = DataFile(
    "zoo/zoo.csv",
    ZOO.page,
    (
        github(_REVENUE, "resources/zoo.csv", _ZOO_SHA256),
        github(
            "mperrot/ComparisonHC",
            "resources/zoo.csv",
            _ZOO_SHA256,
            commit="09775f444ec11cfaf7637722ea0ac54a0bb7bc13",
        ),
    ),
)
GLASS = Origin(
    name="glass",
    citation=(
        "B. German. Glass identification. UCI Machine Learning Repository, 1987."
    ),
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    page=_REVENUE_PAGE,
)
GLASS_TABLE = DataFile(
    "glass/glass.csv",
    GLASS.page,
    (
        github(
            _REVENUE,
            "resources/glass.csv",
            "1be3d7514e883752c32b4467be2aab04b19c695c3677e7fb26aabb273e705066",
        ),
    ),
)
MNIST_TSNE = Origin(
    name="mnist_tsne",
    citation=(
        "Y. LeCun, L. Bottou, Y. Bengio and P. Haffner. Gradient-based learning "
        "applied to document recognition. Proceedings of the IEEE 86(11), 1998; "
        "embedded by M. Perrot, P. Esser and D. Ghoshdastidar. Near-optimal comparison "
        "based clustering. NeurIPS 2020."
    ),
    licence="MIT (the repository with the points); MNIST states none",
    page=_REVENUE_PAGE,
)
_POINTS_SHA256 = "81b122e1b651dcebbb4aa9930d012d74c49083216e6957d2cc1b0558f6b305b7"
MNIST_POINTS = DataFile(
    "mnist_tsne/reduced_test_X.csv",
    MNIST_TSNE.page,
    (
        github(_REVENUE, "resources/reduced_test_X.csv", _POINTS_SHA256),
        github(
            "mperrot/AddS-Clustering",
            "resources/mnist/reduced_test_X.csv",
            _POINTS_SHA256,
            commit="3edd0442cae4eb943471b82002fe1acc70c745bc",
        ),
    ),
)
MNIST_DIGITS = DataFile(
    "mnist_tsne/test_labels.csv",
    MNIST_TSNE.page,
    (
        github(
            _REVENUE,
            "resources/test_labels.csv",
            "4766d8bd8cadc120c936c586ea42e01a89c043174c42474c4c67dd1896716b76",
        ),
    ),
)
