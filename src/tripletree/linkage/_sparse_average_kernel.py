"""Average linkage of a sparse similarity; see sparse_average.py for the ideas.

Slot a holds the cluster whose smallest leaf is a. In this order: the state; lists
(`gather` to `read`) and the best of one (`is_before`, `best_found`); hubs and their
heaps (`best_of_long` to `best_of_hub`); joining (`join` to `add_to_hub`); the three
phases (`positive_merges`, `zero_merges`, `fill_table`).
"""

from collections import namedtuple

from tripletree._jit import helper, kernel
from tripletree.comparisons._summary_kernel import root

# Each cluster's partners: a chain of segments, each the place of a row of the csr.
#
# Segment x has room for entries start[x]..start[x+1]-1 (start is (n+1,)) and uses the
# first used[x] of them; entries (m, 2) are a leaf of the other cluster, and a sum.
# following[x] is the next segment of the same cluster, or -1. The first segment of
# slot a is a, its last is last[a], and its entries are length[a] in number.
Lists = namedtuple("Lists", "entries start used following last length")


# Clusters with at least `shortest` partners; number[a] is slot a's, or -1.
#
# Hub h is at slot[h], or free (-1). between (H, H) holds s(A, B) of any two hubs. Its
# other positive partners are in a heap of count[h] entries (-1: none was built), from
# start[h] on, with room for room[h]. An entry is an item (a leaf), a sum and a size;
# sum / size is an upper bound. state is a record: heap_end, where the next heap goes,
# and n_numbers, how many numbers are or were in use.
Hubs = namedtuple(
    "Hubs", "shortest number slot between count start room state item sum size"
)


# The state between merges.
#
# found (n+1,) are the partners found with their total (n+1,), behind the cluster
# itself at 0. leader (n,) leads from each leaf to the slot of its cluster, seen_at
# (n,) from a slot to its place among the partners found, if it is there; they lie
# side by side, as both are read at random. size (n,) has the type of the totals, so
# that comparing averages converts nothing.
#
# chain (n,) holds slots, each the best partner of the one before, link (n,) its sum
# with that one, place (n,) a slot's place in it or -1. state is a record: length, of
# the chain; first, the slot below which no cluster has a positive partner; n_merges;
# n_read, the entries read.
Clusters = namedtuple(
    "Clusters", "lists found total hubs leader seen_at size chain link place state"
)


@helper
def gather(clusters, a, count):
    """Add the list of a up by cluster, behind count that were found; how many now.

    Entries name their clusters from now on. There is no branch on whether a cluster is
    new, as none could predict it.
    """
    lists, found, total = clusters.lists, clusters.found, clusters.total
    leader, seen_at = clusters.leader, clusters.seen_at
    zero = total.dtype.type(0)
    x = a
    while x >= 0:
        for at in range(lists.start[x], lists.start[x] + lists.used[x]):
            b = root(leader, leader[int(lists.entries[at, 0])])
            lists.entries[at, 0] = b
            p = seen_at[b]
            is_new = p >= count or found[p] != b
            q = count if is_new else p
            seen_at[b] = q
            found[q] = b
            total[q] = (zero if is_new else total[q]) + lists.entries[at, 1]
            count += is_new
        x = lists.following[x]
    return count


@helper
def write_back(clusters, a, count):
    """Make the partners found the list of a, without those of sum 0."""
    lists, total = clusters.lists, clusters.total
    x = a
    at = lists.start[x]
    n_kept = 0
    for p in range(1, count):
        if total[p] == 0:
            continue
        while at == lists.start[x + 1]:
            lists.used[x] = at - lists.start[x]
            x = lists.following[x]
            at = lists.start[x]
        lists.entries[at, 0], lists.entries[at, 1] = clusters.found[p], total[p]
        at += 1
        n_kept += 1
    lists.used[x] = at - lists.start[x]
    lists.following[x] = -1
    lists.last[a] = x
    lists.length[a] = n_kept


@helper
def read(clusters, a):
    """Find the partners of slot a, each once, and keep its list so.

    Returns one more than their number: a itself comes first. A list in which nothing
    was added up is left as it is.
    """
    n_entries = clusters.lists.length[a]
    clusters.state.n_read += n_entries + 1
    clusters.found[0], clusters.total[0], clusters.seen_at[a] = a, 0, 0
    count = gather(clusters, a, 1)
    if count <= n_entries:
        write_back(clusters, a, count)
    return count


@helper
def is_before(sum1, size1, slot1, sum2, size2, slot2):
    """Whether sum1 / size1 is the larger one, or equal and its slot the smaller one.

    Size 0 stands for an infinite average.
    """
    left, right = sum1 * size2, sum2 * size1
    return left > right or (left == right and slot1 < slot2)


@helper
def best_found(clusters, count):
    """The best of the partners found and its sum, or -1 if no sum is positive."""
    total, size = clusters.total, clusters.size
    best = -1
    best_sum, best_size = total.dtype.type(0), size.dtype.type(1)
    for p in range(1, count):
        # Even a single leaf would not beat the best: most are passed over here.
        if total[p] <= 0 or total[p] * best_size < best_sum:
            continue
        b = clusters.found[p]
        if is_before(total[p], size[b], b, best_sum, best_size, best):
            best, best_sum, best_size = b, total[p], size[b]
    return best, best_sum


@helper
def best_of_long(clusters, a):
    """The best partner of a hub or of a cluster that is to become one, and its sum."""
    hubs = clusters.hubs
    h = hubs.number[a]
    if h >= 0 and hubs.count[h] >= 0:
        return best_of_hub(clusters, a, h)
    count = read(clusters, a)
    if h >= 0 and 2 * count < hubs.shortest:
        for g in range(hubs.state.n_numbers):
            if hubs.between[g, h] > 0 and hubs.count[g] >= 0:
                push(hubs, g, a, hubs.between[g, h], clusters.size[a])
        leave_hubs(hubs, a)
    elif count > hubs.shortest:
        become_hub(clusters, a, count)
    return best_found(clusters, count)


@helper
def leave_hubs(hubs, a):
    """Give the number of hub a free."""
    h = hubs.number[a]
    hubs.number[a] = -1
    hubs.slot[h] = -1
    hubs.count[h] = -1
    hubs.between[h] = 0
    hubs.between[:, h] = 0


@helper
def become_hub(clusters, a, count):
    """Give slot a, whose partners were just found, a number and a heap.

    Where no number is free, or no room for a heap, it is read again at every turn.
    """
    hubs, found, total = clusters.hubs, clusters.found, clusters.total
    if hubs.number[a] < 0:
        h = 0
        while h < hubs.state.n_numbers and hubs.slot[h] >= 0:
            h += 1
        if h == hubs.slot.shape[0]:
            return
        hubs.state.n_numbers = max(hubs.state.n_numbers, h + 1)
        hubs.number[a] = h
        hubs.slot[h] = a
        hubs.room[h] = 0
    h = hubs.number[a]
    n_positive = 0
    for p in range(1, count):
        g = hubs.number[found[p]]
        if g >= 0:
            hubs.between[h, g] = hubs.between[g, h] = total[p]
        else:
            n_positive += total[p] > 0
    if make_room(hubs, h, n_positive + n_positive // 4 + 16):
        hubs.count[h] = 0
        for p in range(1, count):
            b = int(found[p])
            if total[p] > 0 and hubs.number[b] < 0:
                push(hubs, h, b, total[p], clusters.size[b])


@helper
def make_room(hubs, h, room):
    """Find room for a heap of hub h, if need be by forgetting all others."""
    if hubs.room[h] >= room:
        return True
    if hubs.state.heap_end + room > hubs.item.shape[0]:
        for g in range(hubs.state.n_numbers):
            hubs.count[g] = -1
            hubs.room[g] = 0
        hubs.state.heap_end = 0
    if room > hubs.item.shape[0]:
        return False
    hubs.start[h] = hubs.state.heap_end
    hubs.room[h] = room
    hubs.state.heap_end += room
    return True


@helper
def push(hubs, h, item, total, size):
    """Put an entry into the heap of hub h; forget the heap if it is full."""
    if hubs.count[h] == hubs.room[h]:
        hubs.count[h] = -1
        return
    start, x = hubs.start[h], hubs.count[h]
    items, sums, sizes = hubs.item, hubs.sum, hubs.size
    hubs.count[h] += 1
    while x > 0:
        y = start + (x - 1) // 2
        if not is_before(total, size, item, sums[y], sizes[y], items[y]):
            break
        at = start + x
        items[at], sums[at], sizes[at] = items[y], sums[y], sizes[y]
        x = (x - 1) // 2
    at = start + x
    items[at], sums[at], sizes[at] = item, total, size


@helper
def replace_first(hubs, h, item, total, size):
    """Put an entry in place of the first of the heap of hub h."""
    start, count = hubs.start[h], hubs.count[h]
    items, sums, sizes = hubs.item, hubs.sum, hubs.size
    x = 0
    while 2 * x + 1 < count:
        y = start + 2 * x + 1
        if 2 * x + 2 < count and is_before(
            sums[y + 1], sizes[y + 1], items[y + 1], sums[y], sizes[y], items[y]
        ):
            y += 1
        if not is_before(sums[y], sizes[y], items[y], total, size, item):
            break
        at = start + x
        items[at], sums[at], sizes[at] = items[y], sums[y], sizes[y]
        x = y - start
    at = start + x
    items[at], sums[at], sizes[at] = item, total, size


@helper
def remove_first(hubs, h):
    """Take the first entry out of the heap of hub h."""
    hubs.count[h] -= 1
    at = hubs.start[h] + hubs.count[h]
    if hubs.count[h] > 0:
        replace_first(hubs, h, hubs.item[at], hubs.sum[at], hubs.size[at])


@helper
def best_of_hub(clusters, a, h):
    """The best partner of hub a and its sum, without reading its list.

    Other hubs are looked up. Of the rest, the first of the heap is asked for its sum
    with a; if that is what the heap says, all others come behind it.
    """
    hubs, size = clusters.hubs, clusters.size
    best = -1
    best_sum, best_size = size.dtype.type(0), size.dtype.type(1)
    clusters.state.n_read += hubs.state.n_numbers
    for g in range(hubs.state.n_numbers):
        b, total = hubs.slot[g], hubs.between[h, g]
        if total > 0 and is_before(total, size[b], b, best_sum, best_size, best):
            best, best_sum, best_size = b, total, size[b]
    start = hubs.start[h]
    while hubs.count[h] > 0:
        item, total, of = hubs.item[start], hubs.sum[start], hubs.size[start]
        if not is_before(total, of, item, best_sum, best_size, best):
            break
        b = int(root(clusters.leader, item))
        if b == a or hubs.number[b] >= 0:
            remove_first(hubs, h)
            continue
        count = read(clusters, b)
        p = clusters.seen_at[a]
        is_partner = p < count and clusters.found[p] == a
        now = clusters.total[p] if is_partner else size.dtype.type(0)
        if b == item and now == total and size[b] == of:
            return b, now
        if now > 0:
            replace_first(hubs, h, b, now, size[b])
        else:
            remove_first(hubs, h)
    return best, best_sum


@helper
def join(clusters, a, b):
    """Merge slot b into slot a < b; lists are put together, none is read."""
    lists = clusters.lists
    clusters.leader[b] = a
    clusters.size[a] += clusters.size[b]
    lists.following[lists.last[a]] = b
    lists.last[a] = lists.last[b]
    lists.length[a] += lists.length[b]


@helper
def join_hubs(clusters, a, b):
    """What merging b into a changes in the hubs, one of them a hub; before `join`."""
    hubs = clusters.hubs
    h, g = hubs.number[a], hubs.number[b]
    if h >= 0 and g >= 0:
        hubs.between[h] += hubs.between[g]
        hubs.between[h, h] = 0
        hubs.between[:, h] = hubs.between[h]
        leave_hubs(hubs, b)
        hubs.count[h] = -1
        return
    hub, other = (a, b) if h >= 0 else (b, a)
    h = max(h, g)
    add_to_hub(clusters, h, hub, other)
    hubs.number[b] = -1
    hubs.number[a] = h
    hubs.slot[h] = a


@helper
def add_to_hub(clusters, h, hub, other):
    """Note the partners of a cluster that joins hub h.

    Sums with hubs are added. For another one that may gain, infinity is a bound. Where
    these have more entries than the hub, it is better to build the heap anew.
    """
    hubs, kind = clusters.hubs, clusters.total.dtype
    zero, one = kind.type(0), kind.type(1)
    count = read(clusters, other)
    most = clusters.lists.length[hub]
    for p in range(1, count):
        b, total = int(clusters.found[p]), clusters.total[p]
        g = hubs.number[b]
        if b == hub:
            continue
        if g >= 0:
            hubs.between[h, g] += total
            hubs.between[g, h] += total
        elif total > 0 and hubs.count[h] >= 0:
            most -= clusters.lists.length[b]
            if most < 0:
                hubs.count[h] = -1
            else:
                push(hubs, h, b, one, zero)


@kernel
def positive_merges(clusters, n_reads, pairs, totals):
    """Merge while there are positive sums, until n_reads more entries were read.

    Merge t joins slots pairs[t, 0] < pairs[t, 1] (n-1, 2) with s(A, B) = totals[t].
    Returns whether no positive sum is left.
    """
    lists, hubs, state = clusters.lists, clusters.hubs, clusters.state
    chain, link, place = clusters.chain, clusters.link, clusters.place
    n = clusters.leader.shape[0]
    length, first = state.length, state.first
    stop = state.n_read + n_reads
    while state.n_read < stop and first < n:
        if length == 0:
            if clusters.leader[first] != first:
                first += 1
                continue
            chain[0] = first
            place[first] = 0
            length = 1
        a = chain[length - 1]
        if hubs.number[a] >= 0 or lists.length[a] > hubs.shortest:
            b, total = best_of_long(clusters, a)
        else:
            b, total = best_found(clusters, read(clusters, a))
        if b < 0 and length == 1:
            place[a] = -1
            length = 0
            first += 1
            continue
        if b < 0:  # rounding: the one before sees a positive sum
            b, total = chain[length - 2], link[length - 1]
        if place[b] < 0:
            chain[length], link[length] = b, total
            place[b] = length
            length += 1
            continue
        # Averages grow along the chain, so b is the one before a. With rounded sums it
        # may be an earlier one: leaving the chain from there on is safe.
        cut = place[b]
        for x in range(cut, length):
            place[chain[x]] = -1
        length = cut
        a, b = min(a, b), max(a, b)
        note_merge(state, a, b, total, pairs, totals)
        if hubs.number[a] >= 0 or hubs.number[b] >= 0:
            join_hubs(clusters, a, b)
        join(clusters, a, b)
    state.length, state.first = length, first
    return first >= n


@helper
def note_merge(state, a, b, total, pairs, totals):
    """Write down that slots a < b merge next."""
    t = state.n_merges
    pairs[t, 0], pairs[t, 1], totals[t] = a, b, total
    state.n_merges = t + 1


@kernel
def zero_merges(clusters, after, a, n_reads, pairs, totals):
    """Merge while two clusters have sum 0, when no sum is positive.

    after (n,) leads from each slot in use to the next one, -1 at the end. Begins with
    slot a and returns the one to go on with after n_reads more entries, or -1.
    """
    found, total, state = clusters.found, clusters.total, clusters.state
    stop = state.n_read + n_reads
    while a >= 0 and state.n_read < stop:
        count = read(clusters, a)
        before, b = a, after[a]
        while b >= 0:
            p = clusters.seen_at[b]
            is_partner = p < count and found[p] == b
            if is_partner and total[p] < 0:
                before = b
            else:
                sum_of_both = total[p] if is_partner else total.dtype.type(0)
                note_merge(state, a, b, sum_of_both, pairs, totals)
                state.n_read += clusters.lists.length[b] + 1
                after[before] = after[b]
                join(clusters, a, b)
                count = gather(clusters, b, count)
            b = after[b]
        a = after[a]
    return a


@kernel
def fill_table(clusters, slots, index, start, stop, table):
    """Fill rows start..stop-1 of table (k, k), s(A, B) of the clusters at slots (k,).

    index (n,) is where each slot is in slots. Rows are filled from the diagonal on, and
    mirrored.
    """
    for x in range(start, stop):
        count = read(clusters, slots[x])
        for p in range(1, count):
            y = index[clusters.found[p]]
            if y > x:
                table[x, y] = table[y, x] = clusters.total[p]


@kernel
def count_components(indptr, indices, data, leader):
    """The number of parts that pairs of a similarity other than 0 join.

    leader (n,) holds 0..n-1, and is changed.
    """
    n_parts = leader.shape[0]
    for i in range(leader.shape[0]):
        if n_parts == 1:
            break
        for at in range(indptr[i], indptr[i + 1]):
            a, b = root(leader, i), root(leader, indices[at])
            if data[at] != 0 and a != b:
                leader[max(a, b)] = min(a, b)
                n_parts -= 1
    return n_parts
