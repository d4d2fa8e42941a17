import base64
import re
from itertools import pairwise
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.colors import to_hex, to_rgb

import tripletree as tt
from tests import definitions
from tests.strategies import comparisons, random_rows, seeds
from tripletree.datasets.animals import animals
from tripletree.report import dendrogram
from tripletree.report.plots import pair_map

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    """Examples of docstrings, tested in the same process, leave figures open."""
    plt.close("all")
    yield
    plt.close("all")


CURVE = tt.LearningCurve(
    shares=(0.5, 1.0),
    n_answers=np.array([10.0, 20.0]),
    accuracies=np.array([[0.4, 0.6], [0.6, 0.61]]),
    accuracy=np.array([0.5, 0.604]),
    revenues=(3, 5),
    is_stopped=False,
)


def drawn(ax):
    """The figure, as it comes out: errors in texts show only then."""
    ax.figure.canvas.draw()
    return ax


def lines_of(ax):
    """The corners of all merges and their colours, (merges, 4, 2)."""
    lines, colours = [], []
    for collection in ax.collections:
        for path in collection.get_paths():
            corners = path.vertices.reshape(-1, 5, 2)
            assert np.isnan(corners[:, 4]).all()
            lines.append(corners[:, :4])
            colours += [to_hex(collection.get_edgecolor()[0])] * len(corners)
    return np.concatenate(lines), colours


def texts_of(some):
    return [text.get_text() for text in some]


SMALL = tt.Tree(
    [[0, 1], [3, 4], [5, 2], [7, 6]],
    heights=[1, 2, 2.5, 4],
    labels=["a", "b", "c", "d", "e"],
)


def test_each_merge_is_a_line_from_child_to_child():
    ax = drawn(tt.plot_dendrogram(SMALL))
    lines, colours = lines_of(ax)
    x = [0] * 5 + SMALL.heights.tolist()
    y = [0, 1, 2, 3, 4, 0.5, 3.5, 1, 2]
    expected = [
        [[x[a], y[a]], [x[5 + t], y[a]], [x[5 + t], y[b]], [x[b], y[b]]]
        for t, (a, b) in enumerate(SMALL.children.tolist())
    ]
    assert lines.tolist() == expected
    assert len(set(colours)) == 1
    assert texts_of(ax.get_yticklabels()) == list("abcde")
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first leaf on top
    assert ax.get_xlabel() == "height"


@pytest.mark.parametrize(
    "tree", [SMALL, SMALL.with_heights(None), tt.balanced_tree(500)]
)
def test_lines_stay_within_the_axes(tree):
    ax = drawn(tt.plot_dendrogram(tree))
    corners = lines_of(ax)[0].reshape(-1, 2)
    inside = ax.transLimits.transform(ax.transScale.transform(corners))
    assert 0 <= inside.min() <= inside.max() <= 1


def test_negative_heights():
    ax = drawn(tt.plot_dendrogram(tt.Tree([[0, 1], [3, 2]], heights=[-5, -2])))
    assert lines_of(ax)[0][0, 0, 0] < -5  # leaves below the lowest merge
    left, right = ax.get_xlim()
    assert right < -5 < -2 < left


def test_a_merge_far_below_all_others_is_drawn_at_the_edge():
    heights = [-200, *range(-19, 0)]
    ax = drawn(tt.plot_dendrogram(tt.caterpillar_tree(21).with_heights(heights)))
    lines, _ = lines_of(ax)
    assert lines[1:, 1, 0].tolist() == heights[1:]
    assert -45 < lines[0, 1, 0] < -30
    assert "a join up to 200 drawn at the edge" in ax.get_xlabel()
    usual = tt.caterpillar_tree(21).with_heights(range(-20, 0))
    assert tt.plot_dendrogram(usual).get_xlabel() == "similarity"
    positive = tt.caterpillar_tree(21).with_heights([0, *range(101, 120)])
    assert lines_of(tt.plot_dendrogram(positive))[0][0, 1, 0] == 0


@pytest.mark.parametrize("clusters", [2, [0, 0, 0, 1, 1], ["x", "x", "x", "y", "y"]])
def test_clusters_have_colours(clusters):
    lines, colours = lines_of(drawn(tt.plot_dendrogram(SMALL, clusters=clusters)))
    first, second = (colour.lower() for colour in dendrogram.COLOURS[:2])
    assert dict(zip(lines[:, 1, 0].tolist(), colours, strict=True)) == {
        1: first,
        2.5: first,
        2: second,
        4: dendrogram.GREY,
    }


def test_neighbouring_clusters_differ_in_colour():
    _, colours = lines_of(tt.plot_dendrogram(tt.balanced_tree(64), clusters=32))
    assert len(set(colours)) == len(dendrogram.COLOURS) + 1


def test_objects_in_no_cluster_are_grey():
    ax = drawn(
        tt.plot_dendrogram(tt.balanced_tree(8), clusters=[0] * 4 + [-1] * 2 + [1] * 2)
    )
    colours = {to_hex(lines.get_color()[0]) for lines in ax.collections}
    assert colours == {"#8c8c8c", "#0072b2", "#009e73"}


@pytest.mark.parametrize(
    ("support", "stability", "shown"),
    [
        ([0.97, 0.2, 0.5, 1.0], None, ["50", "97"]),
        ([97, 20, np.nan, 100], None, ["97"]),
        ([0.97, 0.2, 0.5, 1.0], [0.6, 0.9, 0.1, 1.0], ["60", "90"]),
    ],
)
def test_support_or_stability_is_written_where_it_is_large(support, stability, shown):
    tree = SMALL.with_support(support)
    ax = drawn(tt.plot_dendrogram(tree, stability=stability))
    assert sorted(texts_of(ax.texts)) == shown
    assert "stability" in ax.get_xlabel()
    certain = tree.support if stability is None else np.array(stability)
    certain = certain / (100 if np.nanmax(certain) > 1 else 1)
    for lines in ax.collections:
        for path in lines.get_paths():
            for height in path.vertices[1::5, 0]:
                (t,) = np.flatnonzero(tree.heights == height)
                weight = 1 + 0.6 * (certain[t] >= 0.8) - 0.4 * (certain[t] < 0.5)
                assert lines.get_linewidth()[0] == pytest.approx(1.2 * weight)


@pytest.mark.parametrize(
    "tree",
    [SMALL, SMALL.with_heights(None), SMALL.collapse([0, 1, 0, 0] == np.ones(4))],
)
def test_layouts_show_the_same_tree(tree):
    """Vertical: x and y exchanged. Circular: y is the angle, x the distance."""
    flat, upright, circle = (
        drawn(tt.plot_dendrogram(tree, layout=layout)) for layout in dendrogram.LAYOUTS
    )
    lines = lines_of(flat)[0]
    assert np.array_equal(lines_of(upright)[0], lines[..., ::-1])
    assert texts_of(upright.get_xticklabels()) == list("abcde")
    corners = np.concatenate(
        [p.vertices for c in circle.collections for p in c.get_paths()]
    ).reshape(-1, 27, 2)
    ends = corners[:, [0, 1, -3, -2]]
    radius, angle = np.hypot(*ends.T).T, np.arctan2(*ends.T).T % (2 * np.pi)
    assert np.allclose(angle / dendrogram.TURN * 5 - 0.5, lines[..., 1])
    share = (radius - 0.05) / 0.95
    x = lines[..., 0]
    assert np.allclose(share, (x - x[-1, 1]) / (x[0, 0] - x[-1, 1]))
    assert {"a", "b", "c", "d", "e"} < {*texts_of(circle.texts)}


@pytest.mark.parametrize("layout", ["horizontal", "vertical", "circular"])
def test_numbers_of_close_joins_do_not_cover_each_other(layout):
    """Heights 10 and 11, and 12 and 13, are drawn a point or two apart."""
    heights = [10, 11, 12, 13, 500]
    children = [[0, 1], [6, 2], [3, 4], [8, 5], [7, 9]]
    tree = tt.Tree(children, heights=heights).with_support([0.9, 0.99, 1, 0.95, 1])
    ax = drawn(tt.plot_dendrogram(tree, layout=layout))
    boxes = [x.get_window_extent() for x in ax.texts if x.get_text().isdigit()]
    boxes = [box for box in boxes if box.width][:4]
    assert len(boxes) == 4
    for at, box in enumerate(boxes):
        assert not any(box.shrunk(0.9, 0.6).overlaps(x) for x in boxes[:at])


def test_a_number_takes_the_first_free_side():
    places = np.array([[50.0, 50], [51, 51], [52, 50], [50, 52], [200, 50]])
    sides = [(-1, 1), (1, 1), (-1, -1), (1, -1), (-1, 1)]
    assert dendrogram.free_sides(places, ["100", "95", "80", "70", "60"]) == sides


@pytest.mark.parametrize(("layout", "across"), [("horizontal", 1), ("vertical", 0)])
def test_the_legend_of_groups_is_beside_the_branches_of_the_root(layout, across):
    first = [[0, 1], [2, 3], [6, 4], [7, 8]]
    for last in ([5, 9], [9, 5]):  # leaf 5 comes first, and last
        tree = tt.Tree([*first, last])
        ax = drawn(tt.plot_dendrogram(tree, groups=["x"] * 6, layout=layout))
        box = ax.get_legend().get_window_extent().transformed(ax.transAxes.inverted())
        middle = (box.min + box.max)[across] / 2
        place = 1 - middle if across else middle  # from the first leaf to the last
        assert (place > 0.5) == (tree.leaf_order[0] == 5)


@pytest.mark.parametrize("layout", dendrogram.LAYOUTS)
def test_groups_and_pictures_are_beside_the_leaves(layout):
    groups = ["$x$", "$x$", None, "", "z"]
    images = np.zeros((5, 4, 4, 3), np.uint8)
    ax = drawn(tt.plot_dendrogram(SMALL, groups=groups, images=images, layout=layout))
    assert len(ax.patches) == 2  # runs of leaves: a and b; e
    assert texts_of(ax.get_legend().get_texts()) == ["$x$", "z"]
    boxes = [one for one in ax.artists if type(one).__name__ == "AnnotationBbox"]
    assert len(boxes) == 5
    grey = tt.plot_dendrogram(SMALL, images=images[..., 0], layout=layout)
    assert len(drawn(grey).artists) == 5


def test_support_of_many_leaves_is_dots():
    tree = tt.balanced_tree(256).with_support(np.linspace(0, 1, 255))
    ax = drawn(tt.plot_dendrogram(tree))
    assert not ax.texts
    assert len(ax.lines[0].get_xdata()) == np.sum(np.linspace(0, 1, 255)[:-1] >= 0.9)


def test_labels_are_no_formulas():
    labels = ["$\\frac{1$", "$x$", "a\nb", "x" * 500, "<b>&amp;", "%", "\\"]
    tree = tt.caterpillar_tree(7).with_labels(labels)
    shown = texts_of(drawn(tt.plot_dendrogram(tree)).get_yticklabels())
    assert len(shown.pop(3)) == dendrogram.LONGEST_LABEL
    assert shown == ["$\\frac{1$", "$x$", "a\\nb", *labels[4:]]


@pytest.mark.parametrize("n", [3, 40, 150, 1_000])
def test_labels_do_not_overlap(n):
    ax = drawn(tt.plot_dendrogram(tt.balanced_tree(n)))
    renderer = ax.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.get_yticklabels()]
    assert len(boxes) == n if n <= 40 else 60 <= len(boxes) <= n
    for above, below in pairwise(boxes):
        middle = (above.y0 + above.y1 - below.y0 - below.y1) / 2
        assert middle >= 0.6 * (above.height + below.height) / 2


@pytest.fixture(scope="module")
def tree_and_answers():
    answers = animals(300).answers
    linked = tt.average_linkage(tt.adds_similarity(answers), labels=answers.labels)
    return linked, answers


def test_axes_in_axes_out(tree_and_answers):
    tree, answers = tree_and_answers
    figure, panels = plt.subplots(2, 2)
    calls = [
        lambda ax: tt.plot_dendrogram(tree, ax=ax),
        lambda ax: tt.plot_pair_sums(tree, answers, ax=ax),
        lambda ax: tt.plot_revenue_per_level(tree, answers, ax=ax),
        lambda ax: tt.plot_learning_curve(CURVE, ax=ax),
    ]
    for call, ax in zip(calls, panels.flat, strict=True):
        assert call(ax) is ax
    figure.canvas.draw()
    assert len(plt.get_fignums()) == 1
    for call in calls:
        drawn(call(None))
        with pytest.raises(tt.InvalidOption, match="ax is of type Figure"):
            call(figure)
    assert len(plt.get_fignums()) == 5


def test_pair_sums_are_in_leaf_order(tree_and_answers):
    tree, answers = tree_and_answers
    ax = drawn(tt.plot_pair_sums(tree, answers))
    s = tt.adds_similarity(answers)[np.ix_(tree.leaf_order, tree.leaf_order)]
    shown = ax.images[0].get_array()
    off_diagonal = ~np.eye(20, dtype=bool)
    assert np.array_equal(np.asarray(shown)[off_diagonal], s[off_diagonal])
    labels = [answers.labels[leaf] for leaf in tree.leaf_order]
    assert texts_of(ax.get_yticklabels()) == labels
    low, high = ax.images[0].get_clim()
    assert low == -high


def test_pair_sums_have_the_colours_of_the_page():
    style = Path(dendrogram.__file__).with_name("template").joinpath("page.css")
    light = re.findall(r"--map-(low|mid|high): (#\w+)", style.read_text())[:3]
    image = tt.plot_pair_sums(SMALL, tt.Triplets([[0, 1, 2]], 5)).images[0]
    low, high = image.get_clim()
    values = {"low": low, "mid": 0, "high": high}
    shown = {name: to_hex(image.cmap(image.norm(x))) for name, x in values.items()}
    assert shown.keys() == dict(light).keys()
    for name, colour in light:
        assert np.allclose(to_rgb(shown[name]), to_rgb(colour), atol=0.01)


@pytest.mark.compiled
def test_a_clustermap_is_a_tree_and_its_pair_sums(tree_and_answers):
    _, answers = tree_and_answers
    result = tt.cluster(answers, "climb", n_folds=0, bound=False, support=10)
    left, right = tt.plot_clustermap(result).axes[:2]
    drawn(left)
    labels = [answers.labels[leaf] for leaf in result.tree.leaf_order]
    assert texts_of(left.get_yticklabels()) == labels
    assert left.get_ylim() == right.get_ylim()
    assert len(right.patches) == result.clusters.n_clusters
    alone = tt.plot_pair_sums(result.tree, answers).images[0].get_array()
    assert np.array_equal(alone, right.images[0].get_array(), equal_nan=True)
    groups = ["one", "two"] * (len(labels) // 2)
    figure = tt.plot_clustermap(result, groups=groups)
    drawn(figure.axes[0])
    (legend,) = figure.legends  # above the tree: it covers no branch
    assert {text.get_text() for text in legend.get_texts()} == {"one", "two"}
    box = figure.axes[0].get_window_extent()
    assert legend.get_window_extent().y0 > box.y1
    label = figure.axes[0].xaxis.label.get_window_extent()
    assert label.x0 >= 0


def test_pair_sums_of_many_objects_share_cells():
    answers = tt.Triplets(random_rows(0, 5_000, 700), 700)
    ax = tt.plot_pair_sums(tt.balanced_tree(700), answers)
    assert ax.images[0].get_array().shape == (300, 300)
    assert "mean of a cell" in ax.figure.axes[1].get_ylabel()


@given(comparisons(), seeds, st.integers(1, 9), st.booleans())
def test_cells_are_means_of_pairs(answers, seed, n_cells, is_sparse):
    tree = tt.random_tree(answers.n_objects, rng=np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        if is_sparse:
            patch.setattr(
                "tripletree.report.plots.adds_similarity",
                lambda answers: tt.adds_similarity(answers, sparse=True),
            )
        patch.setattr("tripletree.report.plots.MOST_CELLS", n_cells)
        found = pair_map(tree, answers)
    s = tt.adds_similarity(answers).tolist()
    order, edges = tree.leaf_order.tolist(), found.edges.tolist()
    assert len(edges) == min(n_cells, answers.n_objects) + 1
    means = definitions.mean_of_blocks(s, order, edges)
    expected = [[np.nan if x is None else x for x in row] for row in means]
    assert np.allclose(found.means, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_bytes_say_how_strong():
    found = pair_map(tt.balanced_tree(3), tt.Triplets([[0, 1, 2]] * 4, 3))
    cells = np.frombuffer(base64.b64decode(found.encoded()), np.int8).reshape(3, 3)
    assert found.strongest() == 4
    assert cells.diagonal().tolist() == [-128] * 3
    assert sorted(cells[~np.eye(3, dtype=bool)]) == [-127, -127, 0, 0, 127, 127]


def test_nothing_to_show():
    one, two = (
        pair_map(tt.balanced_tree(n), tt.Triplets(np.empty((0, 3), int), n))
        for n in (1, 2)
    )
    assert two.strongest() == 1.0
    assert np.isnan(one.means).all()
    assert base64.b64decode(one.encoded()) == b"\x80"


def test_a_map_of_other_objects_is_refused():
    with pytest.raises(tt.Mismatch, match="a tree of 4 leaves"):
        pair_map(tt.balanced_tree(4), tt.Triplets([[0, 1, 2]], 3))


def test_revenue_per_level():
    answers = animals().answers
    tree = tt.maximise_revenue(answers, n_restarts=0).tree
    ax = drawn(tt.plot_revenue_per_level(tree, answers))
    levels = tt.revenue_per_level(tree, answers)
    assert ax.lines[0].get_xdata().tolist() == list(range(1, 21))
    assert ax.lines[0].get_ydata().tolist() == levels.tolist()
    (k,), (earned,) = ax.lines[1].get_data()
    assert earned == levels[k - 1] >= 0.95 * levels[-1] > levels[k - 2]
    assert f"with {k} clusters" in ax.texts[0].get_text()
    nothing = np.zeros((4, 4), int)
    assert len(tt.plot_revenue_per_level(tt.balanced_tree(4), nothing).lines) == 1


def test_learning_curves_share_axes():
    ax = drawn(tt.plot_learning_curve(CURVE))
    assert ax.lines[0].get_xydata().tolist() == [[10, 3], [20, 5]]
    assert texts_of(ax.texts) == ["50 %", "60 %"]
    drawn(tt.plot_learning_curve(CURVE, label="$\\frac$", ax=ax))
    assert texts_of(ax.texts)[2:] == ["60 %  $\\frac$"]
    colours = {line.get_color() for line in ax.lines if len(line.get_xdata()) == 2}
    assert len(colours & set(dendrogram.COLOURS)) == 2


@pytest.mark.parametrize(
    ("n", "heights"), [(1, None), (1, []), (2, None), (2, [1.0]), (2, [0.0])]
)
def test_small(n, heights):
    tree = tt.balanced_tree(n).with_heights(heights)
    assert len(drawn(tt.plot_dendrogram(tree, clusters=1)).get_yticklabels()) == n


@pytest.mark.slow
def test_deep_and_large():
    """A caterpillar of 100,000 leaves; lines become pixels in vector files."""
    ax = drawn(tt.plot_dendrogram(tt.caterpillar_tree(100_000), clusters=5))
    assert all(collection.get_rasterized() for collection in ax.collections)
    assert sum(len(c.get_paths()) for c in ax.collections) < 1_000


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tt.plot_dendrogram([[0, 1]]), tt.InvalidTree, "expected a Tree"),
        (
            lambda: tt.plot_dendrogram(SMALL, clusters=6),
            tt.InvalidOption,
            "clusters = 6",
        ),
        (
            lambda: tt.plot_dendrogram(SMALL, clusters=[0, 1]),
            tt.InvalidOption,
            r"clusters have shape \(2,\)",
        ),
        (
            lambda: tt.plot_dendrogram(SMALL, stability=[0.6]),
            tt.InvalidTree,
            "support",
        ),
        (lambda: tt.plot_dendrogram(SMALL, layout="x"), tt.InvalidOption, "layout ="),
        (lambda: tt.plot_dendrogram(SMALL, groups="abcde"), tt.InvalidOption, "groups"),
        (lambda: tt.plot_dendrogram(SMALL, groups=["a"]), tt.InvalidOption, "5 names"),
        (
            lambda: tt.plot_dendrogram(SMALL, images=np.zeros((5, 3))),
            tt.InvalidOption,
            r"images have shape \(5, 3\)",
        ),
        (lambda: tt.plot_clustermap(SMALL), tt.InvalidOption, "not Tree"),
        (lambda: tt.plot_pair_sums(SMALL, np.eye(5)), tt.InvalidComparisons, "Trip"),
        (
            lambda: tt.plot_learning_curve([1, 2]),
            tt.InvalidOption,
            "give the result of learning_curve",
        ),
    ],
)
def test_wrong_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
    assert not plt.get_fignums()


def test_joins_that_are_not_drawn_squeeze_nothing():
    heights = [-200.0, -199.0, *range(-19, -1)]
    tree = tt.caterpillar_tree(21).with_heights(heights)
    hidden = tree.collapse([True, True, *[False] * 18])
    assert tt.plot_dendrogram(hidden).get_xlabel() == "similarity"


def test_long_labels_keep_both_ends():
    names = [f"{'a' * 60}{at}" for at in range(3)]
    tree = tt.Tree([[0, 1], [3, 2]], labels=names)
    shown = [text.get_text() for text in tt.plot_dendrogram(tree).get_yticklabels()]
    assert [text[-1] for text in shown] == ["0", "1", "2"]
    assert {len(text) for text in shown} == {dendrogram.LONGEST_LABEL}
