import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from tripletree.embedding import descent
from tripletree.embedding.descent import descend


def run(function, start, tolerance=1e-13, most_iterations=2_000):
    steps = []
    result = descend(
        function,
        np.asarray(start, float),
        tolerance=tolerance,
        most_iterations=most_iterations,
        after_iteration=lambda: steps.append(1),
    )
    assert len(steps) == result.n_iterations
    return result


def rosenbrock(x):
    return float(rosen(x)), rosen_der(x)


@pytest.mark.parametrize("size", [2, 3, 8, 25])
def test_finds_the_valley_of_rosenbrock(size):
    result = run(rosenbrock, np.linspace(-1, 0.5, size))
    assert result.is_converged
    assert np.abs(result.point - 1).max() < 1e-3
    assert result.value == rosenbrock(result.point)[0]


SLOPE = np.array([1.0, -2.0])
FUNCTIONS = {
    # no step goes down
    "the top of a hill": (lambda x: -float(x @ x), lambda x: -2 * x, [0, 0, 0]),
    # no curvature to remember: still down, and finite
    "a slope without end": (lambda x: float(SLOPE @ x), lambda x: SLOPE, [0, 0]),
    "the valley": (rosen, rosen_der, [-1.2, 1]),
}


@pytest.mark.parametrize(
    ("name", "n_iterations", "is_converged", "low", "high"),
    [
        ("the top of a hill", 0, True, 0, 0),
        ("a slope without end", 3, False, -1e300, -1e6),
        ("the valley", 3, False, 0, 24),
    ],
)
def test_where_a_descent_ends(name, n_iterations, is_converged, low, high):
    function, gradient, start = FUNCTIONS[name]
    result = run(
        lambda x: (function(x), gradient(x)), start, tolerance=-1, most_iterations=3
    )
    assert (result.n_iterations, result.is_converged) == (n_iterations, is_converged)
    assert low <= result.value <= high


def test_values_never_rise_and_infinite_ones_are_avoided():
    seen = []

    def wall(x):
        if x[0] <= 0:
            return np.nan, np.full(1, np.nan)
        return float(x[0] - np.log(x[0])), 1 - 1 / x

    def watched(x):
        seen.append(wall(x)[0])
        return wall(x)

    result = run(watched, [30.0])
    assert result.value == pytest.approx(1)
    assert result.point[0] == pytest.approx(1, abs=1e-4)
    assert result.value == np.nanmin(seen)


def test_starts_afresh_where_memory_misleads(monkeypatch):
    search, calls = descent.line_search, []

    def fail_once(*arguments):
        calls.append(arguments)
        return None if len(calls) == 5 else search(*arguments)

    monkeypatch.setattr(descent, "line_search", fail_once)
    assert run(rosenbrock, [-1.2, 1.0]).value < 1e-6
    assert np.array_equal(calls[5][3], -rosen_der(calls[5][1]))  # straight down


def test_ends_where_rounding_hides_the_slope():
    """Far from zero, no step changes the value any more."""
    result = run(lambda x: (1e20 + float(x @ x), 2 * x), np.ones(4), tolerance=-1)
    assert (result.is_converged, result.value) == (True, 1e20)
