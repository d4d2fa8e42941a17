"""From the numbers of questions to their objects."""

import math

import numpy as np

from tripletree._jit import helper, kernel


@helper
def pair_of_number(number, n):
    """The pair i < j of 0..n-1 with this number, row by row of the upper triangle.

    Counted from the end, the pairs are (1, 0), (2, 0), (2, 1), (3, 0), ... of objects
    that are counted from the end too, and number r there has its larger object at the
    largest h with h(h-1)/2 <= r. The root is rounded, so h may be off by one and is
    corrected with integers; exact for n(n-1)/2 < 2^62.
    """
    r = n * (n - 1) // 2 - 1 - number
    h = np.int64(math.sqrt(2.0 * r + 0.25) + 0.5)
    while h * (h - 1) // 2 > r:
        h -= 1
    while h * (h + 1) // 2 <= r:
        h += 1
    return n - 1 - h, n - 1 - (r - h * (h - 1) // 2)


@kernel
def triplet_questions(numbers, n, rows):
    """Fill rows (m, 3) int32 with the questions i; {j, k}, j < k, of these numbers.

    Number i P + q, P = (n-1)(n-2)/2, is the pair q of the objects other than i.
    """
    n_pairs = (n - 1) * (n - 2) // 2
    for r in range(numbers.shape[0]):
        i = numbers[r] // n_pairs
        j, k = pair_of_number(numbers[r] - i * n_pairs, n - 1)
        rows[r, 0] = i
        rows[r, 1] = j + (j >= i)
        rows[r, 2] = k + (k >= i)


@kernel
def quadruplet_questions(numbers, n, rows):
    """Fill rows (m, 4) int32 with the questions {i, j}; {k, l} of these numbers.

    The pairs of objects are numbered, and so are the pairs of those numbers.
    """
    n_pairs = n * (n - 1) // 2
    for r in range(numbers.shape[0]):
        one, two = pair_of_number(numbers[r], n_pairs)
        i, j = pair_of_number(one, n)
        k, l = pair_of_number(two, n)
        rows[r, 0], rows[r, 1], rows[r, 2], rows[r, 3] = i, j, k, l


@kernel
def keep_new(drawn, seen, numbers, n_found):
    """Append to numbers what was drawn for the first time; return how many there are.

    seen is a hash table of 2^b places, -1 where free, and never full. The numbers are
    random, so their last b bits are as good a place to begin as any.
    """
    mask = seen.shape[0] - 1
    for number in drawn:
        place = number & mask
        while seen[place] >= 0 and seen[place] != number:
            place = (place + 1) & mask
        if seen[place] < 0:
            seen[place] = number
            numbers[n_found] = number
            n_found += 1
    return n_found
