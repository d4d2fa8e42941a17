"""L-BFGS: go downhill, with a memory of the last steps in place of a Hessian.

Why not SciPy's: its many small products go through a threaded BLAS, whose threads spin
while the others compute. On two busy cores an iteration over 480 numbers was seen to
take 15 ms instead of 0.05 ms; and its sums depend on the threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tripletree.comparisons.row_checks import Floats
from tripletree.embedding import _tste_kernel as kernels

Function = Callable[[Floats], tuple[float, Floats]]

MEMORY = 10
WINDOW = 5  # iterations over which the gain is watched
ENOUGH_GAIN = 1e-4  # of what the slope promises (Armijo)
ENOUGH_FLATTER = 0.9  # of the slope that may be left (Wolfe)
MOST_TRIALS = 40


@dataclass(frozen=True)
class Descent:
    """Where a descent ended."""

    point: Floats
    value: float
    n_iterations: int
    is_converged: bool


def descend(
    function: Function,
    start: Floats,
    *,
    tolerance: float,
    most_iterations: int,
    after_iteration: Callable[[], None],
) -> Descent:
    """Minimise a smooth function, which returns its value and its gradient.

    Ends, converged, when an iteration gained at most `tolerance` on average over the
    last five, or where no step goes down any more. Errors of the function and of the
    callback go through.
    """
    point, (value, gradient) = start.copy(), function(start)
    memory = _Memory(len(start))
    values = [value]
    while len(values) <= most_iterations:
        direction, slope = memory.direction(gradient)
        found = None
        if slope < 0:
            length = 1.0 if memory.count else _first_length(point, direction)
            found = line_search(function, point, value, direction, slope, length)
        if found is None:
            if memory.count == 0:
                return Descent(point, value, len(values) - 1, True)
            memory.count = 0  # what it remembers misleads: try straight down
            continue
        step, value, new_gradient = found
        point = point + step
        memory.add(step, new_gradient - gradient)
        gradient = new_gradient
        values.append(value)
        after_iteration()
        before = values[-1 - WINDOW] if len(values) > WINDOW else np.inf
        if before - value <= WINDOW * tolerance:
            return Descent(point, value, len(values) - 1, True)
    return Descent(point, value, most_iterations, False)


class _Memory:
    """The last steps and the changes of the gradient along them, as rings."""

    def __init__(self, size: int) -> None:
        self.rings = kernels.Memory(
            *np.empty((2, MEMORY, size)), *np.empty((2, MEMORY))
        )
        self.newest, self.count = -1, 0

    def direction(self, gradient: Floats) -> tuple[Floats, float]:
        """Where to go, and the slope in this direction, negative but for rounding."""
        out = np.empty_like(gradient)
        kernels.find_direction(gradient, self.rings, self.newest, self.count, out)
        return out, float(kernels.dot(gradient, out))

    def add(self, step: Floats, change: Floats) -> None:
        curvature = float(kernels.dot(step, change))
        if curvature <= 0:  # says nothing about a minimum
            return
        self.newest = (self.newest + 1) % MEMORY
        self.count = min(self.count + 1, MEMORY)
        steps, changes, curvatures, _ = self.rings
        steps[self.newest], changes[self.newest] = step, change
        curvatures[self.newest] = curvature


def _first_length(point: Floats, direction: Floats) -> float:
    """Without experience, try a tenth of the size of the point itself."""
    size = float(np.sqrt(kernels.dot(point, point)))
    return (0.1 * size or 1.0) / float(np.sqrt(kernels.dot(direction, direction)))


def line_search(
    function: Function,
    point: Floats,
    value: float,
    direction: Floats,
    slope: float,
    length: float,
) -> tuple[Floats, float, Floats] | None:
    """A step along the direction that meets the weak Wolfe conditions, or None."""
    low, high = 0.0, np.inf
    best = None
    for _ in range(MOST_TRIALS):
        step = length * direction
        new_value, gradient = function(point + step)
        if not new_value <= value + ENOUGH_GAIN * length * slope:  # also if not finite
            high = length
        elif float(kernels.dot(gradient, direction)) < ENOUGH_FLATTER * slope:
            low, best = length, (step, new_value, gradient)
        else:
            return step, new_value, gradient
        length = 2 * length if high == np.inf else (low + high) / 2
    return best
