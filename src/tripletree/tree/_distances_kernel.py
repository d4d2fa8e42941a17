"""Loops of tree distances; see distances.py for the ideas."""

from tripletree._jit import kernel
from tripletree.tree._tree_kernel import largest_gap


@kernel
def span_places(children, place, first, last):
    """Fill first and last (2n-1,): the first and the last place below each node.

    place (n,) is where each leaf stands, in another tree.
    """
    n = children.shape[0] + 1
    for leaf in range(n):
        first[leaf] = last[leaf] = place[leaf]
    for t in range(n - 1):
        left, right = children[t, 0], children[t, 1]
        first[n + t] = min(first[left], first[right])
        last[n + t] = max(last[left], last[right])


@kernel
def count_equal_triples(tree, other, begin, stop, scratch):
    """How many triples ab|c both trees have, with a and b meeting at merges begin...

    tree is (children, start, size); other is (sizes of its nodes, its MeetingTable).
    scratch is (order, merged, node, ones, twos), each (n,) int64: order holds for the
    leaves of `tree` from left to right their places in `other`, and the leaves of each
    merge get sorted, as in a merge sort.
    """
    children, start, size = tree
    sizes, table = other
    order, merged, node, ones, twos = scratch
    n = children.shape[0] + 1
    total = 0
    for t in range(begin, stop):
        left, right = children[t, 0], children[t, 1]
        x, y = start[left], start[right]
        x_end, y_end = x + size[left], y + size[right]
        n_outside = n - size[n + t]
        depth = 0
        n_done = 0
        one = two = 0
        before = -1
        while x < x_end or y < y_end:
            is_left = y == y_end or (x < x_end and order[x] < order[y])
            if is_left:
                place = order[x]
                x += 1
            else:
                place = order[y]
                y += 1
            if before >= 0:
                gap = largest_gap(table, before, place)
                while depth > 0 and node[depth - 1] < gap:
                    depth -= 1
                    pairs = ones[depth] * two + twos[depth] * one
                    one += ones[depth]
                    two += twos[depth]
                    total += pairs * (n_outside - sizes[node[depth]] + one + two)
                node[depth], ones[depth], twos[depth] = gap, one, two
                depth += 1
            one = 1 if is_left else 0
            two = 1 - one
            merged[n_done] = place
            n_done += 1
            before = place
        while depth > 0:
            depth -= 1
            pairs = ones[depth] * two + twos[depth] * one
            one += ones[depth]
            two += twos[depth]
            total += pairs * (n_outside - sizes[node[depth]] + one + two)
        order[start[n + t] : start[n + t] + n_done] = merged[:n_done]
    return total


@kernel
def fewest_transfers(tree, other, leaf_of, inside, least):
    """Fill least (n-1,): how many leaves each clade differs in from the nearest clade.

    tree is (children, start, size, order): its clades have the leaves
    order[start:][:size]; other is (children, size), and leaf_of (n,) is the same leaf
    in it. inside (2n-1,) is scratch.
    """
    children, start, size, order = tree
    other_children, other_size = other
    n = children.shape[0] + 1
    for t in range(n - 1):
        v = n + t
        inside[:n] = 0
        for at in range(start[v], start[v] + size[v]):
            inside[leaf_of[order[at]]] = 1
        best = size[v] - 1  # one of its own leaves
        for u in range(n - 1):
            a, b = other_children[u, 0], other_children[u, 1]
            inside[n + u] = inside[a] + inside[b]
            best = min(best, size[v] + other_size[n + u] - 2 * inside[n + u])
        least[t] = best
