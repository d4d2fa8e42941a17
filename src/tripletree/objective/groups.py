r"""A bound for up to some thousand objects: what is near for whole groups at once.

For a fixed object k, "i and j meet before k" is an equivalence: k is alone, and the
matrix :math:`X^k` of 0 and 1 that says it of all other i and j is positive
semidefinite, with :math:`X^k_{ii} = 1`. Divide the objects into groups g and give each
a symmetric matrix :math:`M^g` with zero diagonal, whatever its entries. In each set of
three, a tree resolves one pair before the third object, so

.. math:: \sum_{\{i,j,k\}} s(\text{the pair that meets first})
    \; = \; \sum_{\{i,j,k\}} \bigl(s - M^{g(\text{third})}\bigr)(\text{that pair})
    \; + \; \frac12 \sum_g \langle M^g, Y^g \rangle,
    \qquad Y^g = \sum_{k \in g} X^k .

A set of three can earn no more than the largest of its three differences, and
:math:`Y^g` is semidefinite with a known diagonal, :math:`w^g_i = |g \setminus \{i\}|`:

.. math:: R(H) \le \sum_{\{i,j,k\}} \max_{\text{its pairs}} (s - M^{g(\text{third})})
    + \frac12 \sum_g \sigma_g(M^g) - n \sum_{i<j} s_{ij}, \qquad
    \sigma_g(M) = \max_{Y \succeq 0, \, Y_{ii} = w^g_i} \langle M, Y \rangle .

With M = 0 this is the bound of three objects, with M = s the sets of three earn
nothing. It is convex in M, and :math:`Y^g` minus how often each pair is the largest of
its set is a subgradient: M goes the other way. Steps as long as Polyak's are made, and
the bound is computed for the average of all M, where later ones count more.

**Certified.** Y is searched as :math:`V V'` with rows of V turned one after the other;
how good it is matters to the bound, not to its truth. For any numbers e with
:math:`\operatorname{diag}(e) - M` semidefinite, :math:`\sigma_g(M) \le \sum_i w_i e_i`.
The rows of V give e but for a small shift, which grows until Cholesky's factorisation
of A = diag(e) - M, in floats, comes to its end. Then a matrix A + D is semidefinite
with :math:`|D_{ij}| \le c \sqrt{a_{ii} a_{jj}}`, :math:`c = \gamma_{n+1} / (1 -
\gamma_{n+1})`, :math:`\gamma_k = k u / (1 - k u)` and u = 2^-53, in whatever order it
was added up (Demmel; Higham, 2002, theorem 10.5). As :math:`|Y_{ij}| \le \sqrt{w_i
w_j}`,

.. math:: \langle M, Y \rangle = \sum_i w_i e_i - \langle A + D, Y \rangle
    + \langle D, Y \rangle \le \sum_i w_i e_i + c \Bigl(\sum_i \sqrt{w_i e_i}\Bigr)^2
    \le (1 + c n) \sum_i w_i e_i .

s and M are whole numbers of small units, so that A is exact, and so is the sum over
sets of three, however threads share it. Where s is not a whole number of units, every
entry of it is less than a unit off, which is added for all that a revenue adds up.

**Groups** are what hangs together in the tree of average linkage.

References
----------
Higham, "Accuracy and stability of numerical algorithms", 2002. Rump, "Verification of
positive definiteness", 2006.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._threads import map_threads, n_threads, row_chunks, share_chunks
from tripletree.linkage.sparse_average import linkage_of
from tripletree.objective import _groups_kernel as kernels
from tripletree.objective.value import merge_sums, revenue_of_sums
from tripletree.tree.tree import Tree

Ints = npt.NDArray[Any]

BITS = 24  # of the largest similarity in units
MOST_GROUPS, MOST_CELLS = 32, 10**6  # cells: groups times n^2
WORK = 15 * 10**8  # rounds times work of each: some seconds
MOST_ROUNDS = 200
MOST_TABLES = 4  # threads that share triples, each with a table of its own
FIRST_SWEEPS, SWEEPS, LAST_SWEEPS = 30, 3, 30
STEP, KEPT = 0.3, np.float32(0.7)  # shares of Polyak's step, and of the momentum
RECENT = 4  # weight of a round in the average: this many times that of the first
START = 0.2  # share of s in M at first, where M = s is no better than M = 0
TOLERANCE = 2**14  # units: pairs so near to the largest share a triple
SECONDS_PER_CUBE = 3e-10  # about, for a first bound: 8 s for 3,000 objects
FIRST_SHIFT = 1e-3  # of e, as a share of its mean
EPSILON = float(np.finfo(np.float64).eps)


def default_rounds(n: int) -> int:
    """How many steps are made for n objects, if nothing is said."""
    work = math.comb(n, 3) + 8 * n_groups(n) * n**2
    return max(1, min(MOST_ROUNDS, WORK // work))


def n_groups(n: int) -> int:
    """Into how many groups n objects are divided, about."""
    return max(1, min(MOST_GROUPS, n // 3, MOST_CELLS // n**2))


def groups_of(tree: Tree, size: int) -> Ints:
    """The group of every leaf: clusters of at least `size` leaves, as soon as they are.

    What is left at the root is in the last group.
    """
    n = tree.n_leaves
    group, n_found = np.full(n, -1), 0
    loose = [[leaf] for leaf in range(n)]  # leaves below a node that are in no group
    for left, right in tree.children.tolist():
        found = loose[left] + loose[right]
        if len(found) >= size:
            group[found] = n_found
            n_found, found = n_found + 1, []
        loose.append(found)
    group[loose[-1]] = max(0, n_found - 1)
    return group


def centred_units(s: npt.NDArray[Any]) -> tuple[Ints, int, int]:
    """s in whole units of 2^-exponent, less their mean; the exponent; and a constant.

    A tree earns at most its sum over sets of three of these units, plus the constant.
    """
    n = len(s)
    n_pairs, n_triples = math.comb(n, 2), math.comb(n, 3)
    exponent = BITS - math.frexp(float(np.abs(s).max()))[1]
    is_exact = s.dtype.kind != "f" and exponent >= 0
    scaled = s.astype(np.float64) if not is_exact else s
    units = np.rint(np.ldexp(scaled, exponent)).astype(np.int64)
    np.fill_diagonal(units, 0)
    total = int(units.sum()) // 2
    mean = total // n_pairs
    units -= mean
    np.fill_diagonal(units, 0)
    unsure = 0 if is_exact else n_triples + n * n_pairs
    constant = mean * n_triples - n * total + unsure
    return units.astype(np.int32), exponent, constant


class GroupDescent:
    """The bound of some M: the objects sorted by group, and what goes down."""

    def __init__(self, units: Ints, group: Ints, share: float) -> None:
        """Begin with M = share * s."""
        order = np.argsort(group, kind="stable")
        self.n, self.numbers = len(units), range(int(group.max()) + 1)
        n, n_all, n_tables = self.n, len(self.numbers), min(MOST_TABLES, n_threads())
        check_fits(
            ((28 + 4 * n_tables) * n_all + 10) * n**2,
            "the bound by groups",
            'use method="three objects".',
        )
        first = np.searchsorted(group[order], range(n_all + 1))
        s = units[np.ix_(order, order)]
        left = np.rint((1 - share) * s).astype(np.int32)
        others = np.diff(first)[:, None] - (group[order] == np.arange(n_all)[:, None])
        norms = np.sqrt(others)
        vectors = np.random.default_rng(0).normal(size=(n_all, n, kernels.RANK))
        vectors *= (norms / np.sqrt((vectors**2).sum(axis=2)))[:, :, None]
        self.weights = others
        self.shifts = [FIRST_SHIFT] * n_all
        self.groups = kernels.Groups(
            s=s,
            first=first.astype(np.int64),
            group_of=group[order].astype(np.int64),
            left=np.repeat(left[None], n_all, axis=0),
            wins=np.zeros((n_tables, n_all, n, n), np.int32),
            vectors=vectors.astype(np.float32),
            norms=norms.astype(np.float32),
            pulls=np.zeros((n_all, n), np.float32),
            momentum=np.zeros((n_all, n, n), np.float32),
            average=np.repeat(left[None].astype(np.float32), n_all, axis=0),
            slopes=np.zeros((n_all, n)),
            row=np.zeros((n_all, n), np.float32),
            column=np.zeros((n_all, kernels.RANK), np.float32),
        )
        self.mean = self.groups._replace(vectors=self.groups.vectors.copy())
        self.go_on(self.groups, FIRST_SWEEPS)

    def go_on(self, groups: Any, n_sweeps: int) -> None:
        map_threads(lambda g: kernels.turn_vectors(groups, g, n_sweeps), self.numbers)

    def share_triples(self, groups: Any, end: float) -> int | None:
        """The sum over sets of three; None if the time is up before."""
        groups.wins[:] = 0
        totals: list[int] = []
        chunks = row_chunks(self.n, max(1, self.n // 64))

        def share(table: int, rows: slice) -> None:
            if time.monotonic() < end:
                span = rows.start, rows.stop
                totals.append(kernels.share_triples(groups, *span, TOLERANCE, table))

        share_chunks(share, range(len(groups.wins)), chunks)
        return sum(map(int, totals)) if len(totals) == len(chunks) else None

    def take_round(self, number: int, goal: float, end: float) -> bool:
        """Make a step down, as long as it is far to the goal; False if it is late."""
        groups, numbers = self.groups, self.numbers
        total = self.share_triples(groups, end)
        if total is None:
            return False
        map_threads(lambda g: kernels.find_slopes(groups, g, KEPT), numbers)
        half = math.fsum((groups.norms * groups.pulls).ravel().tolist()) / 2
        steepness = math.fsum(groups.slopes.ravel().tolist())
        far = max(0.0, total + half - goal)
        length = np.float32(STEP * far / steepness if steepness else 0)
        weight = np.float32(min(1, RECENT / (number + RECENT)))

        def step(g: int) -> None:
            kernels.take_step(groups, g, length, weight)
            kernels.turn_vectors(groups, g, SWEEPS)

        map_threads(step, numbers)
        return True

    def look(self) -> int:
        """The bound of the average M, in units."""
        above = np.triu(self.groups.average, 1)
        left = np.rint(above + above.transpose(0, 2, 1)).astype(np.int32)
        mean = self.mean = self.mean._replace(left=left)
        self.go_on(mean, LAST_SWEEPS)
        total = self.share_triples(mean, math.inf) if left.any() else 0
        halves = map_threads(self.certify, self.numbers)
        return int(total or 0) + math.ceil(math.fsum(halves) / 2 * (1 + EPSILON))

    def certify(self, g: int) -> float:
        """At least sigma of the average M of a group."""
        table = np.empty((self.n, self.n))
        bare = self.mean.pulls[g].astype(np.float64) / self.mean.norms[g]
        shift = self.shifts[g] / 1.5
        while True:
            diagonal = bare + (shift * bare.mean() + 1)
            if kernels.is_definite(self.mean, g, diagonal, table):
                break
            shift *= 1.5 if shift < self.shifts[g] else 2
        self.shifts[g] = shift
        safe = 1 + (self.n + 2) ** 2 * EPSILON
        return safe * math.fsum((self.weights[g] * diagonal).tolist())


def bound_of_groups(
    s: npt.NDArray[Any],
    best: int | float,
    rounding: float,
    target: int | float,
    n_rounds: int,
    end: float,
) -> int | float:
    """The smallest bound by groups, or `best`, that of three objects, if it is smaller.

    s was checked before, of 4 objects or more. rounding is added to bounds of floats.
    It ends after n_rounds, with a bound of at most `target`, or if the next bound would
    not be there before the clock says `end`.
    """
    n = len(s)
    units, exponent, constant = centred_units(s)

    def bound(descent: GroupDescent) -> int | float:
        most = descent.look() + constant
        if s.dtype.kind == "f":
            return math.ldexp(most, -exponent) + rounding
        return most >> exponent if exponent >= 0 else most << -exponent

    began = time.monotonic()
    if began + SECONDS_PER_CUBE * n**3 >= end:
        return best
    tree = linkage_of(s)
    earned = max(target, revenue_of_sums(tree, merge_sums(tree, s)))
    goal = math.ldexp(earned, exponent) - constant
    of_three = best
    best = min(best, bound(GroupDescent(units, np.zeros(n, np.int64), 1.0)))
    needed = time.monotonic() - began
    group = groups_of(tree, -(-n // n_groups(n)))
    descent = GroupDescent(units, group, START if best == of_three else 1.0)
    n_done, look = 0, 1 if end < math.inf else n_rounds
    while best > target and n_done < n_rounds and time.monotonic() + needed < end:
        if not descent.take_round(n_done, goal, end):
            break
        n_done += 1
        if n_done == min(look, n_rounds):
            best = min(best, bound(descent))
            look += 5 + n_done // 4
    return best
