"""What a first run compiles: the kernels of `cluster`, before any clock starts.

Numba compiles a kernel when it is first called, for the types of its arguments, and
keeps the result on disk. So that no time limit runs meanwhile, the kernels that answers
without weights about up to 1,000 objects need are listed here with these types; others
are compiled when they are called. A test compares the list with what a run compiles.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tripletree._progress import OnProgress, Progress, ignore
from tripletree.clustering.method_choice import FEWEST_FOR_MODEL
from tripletree.embedding.loss import GroupedAnswers
from tripletree.objective.bounds import LARGEST_OF_FOUR

SECONDS = 12  # about, on one core
MOST_OBJECTS = 10_000  # beyond, similarities are sparse, and other kernels are used
FEWEST_OBJECTS = {  # that some modules are for
    "completion._posterior": FEWEST_FOR_MODEL,
    "objective._groups": LARGEST_OF_FOUR + 1,
}


def compile_kernels(
    n_objects: int,
    progress: OnProgress = ignore,
    part: int = 0,
    n_parts: int = 1,
) -> None:
    """Compile what is not on disk, and load what is, for so many objects.

    progress is called before each kernel that has to be compiled. Processes can share
    the work, each taking another part: whole modules, because Numba's files have no
    lock.
    """
    from tripletree._jit import load
    from tripletree._numba import LISTENER, types

    needed = {
        module: kernels
        for module, kernels in signatures(types).items()
        if n_objects >= FEWEST_OBJECTS.get(module, 0)
    }
    n_done, n_kernels = 0, sum(map(len, needed.values()))
    LISTENER.on_kernel = lambda: progress(Progress("compiling", n_done, n_kernels))
    try:
        for place, (module, arguments_of) in enumerate(needed.items()):
            kernels = import_module(f"tripletree.{module}_kernel")
            load()
            for name, arguments in arguments_of.items():
                kernel = getattr(kernels, name)
                if place % n_parts == part and hasattr(kernel, "compile"):
                    kernel.compile(arguments)
                n_done += 1
    finally:
        LISTENER.on_kernel = None


def signatures(types: Any) -> dict[str, dict[str, tuple[Any, ...]]]:
    """The types of arguments, by module and kernel."""
    from tripletree.embedding._tste_kernel import Memory, Work
    from tripletree.linkage._average_kernel import Clusters
    from tripletree.objective._groups_kernel import Groups
    from tripletree.search._climb_kernel import Climber, Scratch
    from tripletree.tree.ancestors import MeetingTable

    def named(kind: type, *fields: Any) -> Any:
        return types.BaseTuple.from_types(fields, kind)

    def frozen(array: Any) -> Any:
        return array.copy(readonly=True)

    int8, int32, int64 = types.int8, types.int32, types.int64
    float64, flags = types.float64, types.boolean[::1]
    ints, ints_2d = int64[::1], int64[:, ::1]
    narrow, narrow_2d = int32[::1], int32[:, ::1]
    floats, floats_2d, floats_3d = float64[::1], float64[:, ::1], float64[:, :, ::1]
    float32 = types.float32
    singles_2d, singles_3d = float32[:, ::1], float32[:, :, ::1]
    groups = named(
        Groups,
        narrow_2d,
        ints,
        ints,
        int32[:, :, ::1],
        int32[:, :, :, ::1],
        singles_3d,
        singles_2d,
        singles_2d,
        singles_3d,
        singles_3d,
        floats_2d,
        singles_2d,
        singles_2d,
    )
    rows, children = frozen(narrow_2d), frozen(ints_2d)
    of_nodes = frozen(ints)
    meetings = named(MeetingTable, narrow, narrow_2d, narrow)
    reals = types.float32[::1]
    clusters = named(
        Clusters,
        ints_2d,
        *[ints] * 3,
        int64,
        reals,
        reals,
        ints,
        reals,
        narrow,
        narrow,
        ints,
        ints,
    )
    places = types.Tuple((ints, ints))
    answers = named(GroupedAnswers, int64, ints, narrow, ints, narrow, narrow, floats)
    work = named(Work, floats_2d, floats_2d, floats, floats, floats)
    memory = named(Memory, floats_2d, floats_2d, floats, floats)
    climber = named(
        Climber,
        narrow,
        narrow_2d,
        narrow_2d,
        ints,
        ints,
        narrow,
        narrow,
        ints,
        narrow,
        ints,
    )
    scratch = named(Scratch, ints, ints, narrow)
    return {
        "search._climb": {
            "fill_sums": (climber, scratch, ints_2d),
            "climb": (climber, ints, int64, int64, scratch, ints, int64),
            "make_random_moves": (climber, floats_2d, scratch),
        },
        "embedding._tste": {
            "add_triplets": (
                types.Tuple((floats_2d, float64)),
                answers,
                int64,
                int64,
                work,
                floats_2d,
            ),
            "find_direction": (floats, memory, int64, int64, floats),
            "dot": (floats, floats),
            "add_losses": (narrow, narrow, floats, floats, floats),
            "number_partners": (
                types.Tuple((ints, narrow, narrow)),
                narrow,
                narrow,
                ints,
                narrow,
                narrow,
            ),
        },
        "completion._posterior": {
            "redraw_places": (
                *(places, types.Tuple((ints, narrow_2d, floats)), ints_2d),
                *(floats_3d, floats, ints, floats),
            ),
            "swap_branches": (
                *(places, types.Tuple((narrow_2d, floats))),
                *(types.Tuple((ints_2d, floats_2d, float64)), ints_2d, floats),
            ),
        },
        "linkage._average": {
            "chain_merges": (clusters, int64, int64, ints_2d, ints),
            "pack_rows": (
                types.Tuple((ints_2d, ints)),
                ints,
                int64,
                int64,
                int64,
                ints,
                ints_2d,
            ),
        },
        "objective._bounds": {
            "sum_of_largest": (ints_2d, int64, int64),
            "share_values": (ints_2d, int64, floats_3d),
            "even_out": (floats_3d, int64, ints, float64, floats_2d),
            "bound_of_shares": (floats_3d, ints_2d, int64),
        },
        "objective._groups": {
            "share_triples": (groups, int64, int64, int64, int64),
            "turn_vectors": (groups, int64, int64),
            "find_slopes": (groups, int64, float32),
            "take_step": (groups, int64, float32, float32),
            "is_definite": (groups, int64, floats, floats_2d),
        },
        "objective._value": {
            "add_dense": (ints_2d, of_nodes, narrow, int64, int64, ints),
            "add_rows": (rows, ints, meetings, ints_2d),
            "compare_rows": (rows, ints, meetings, ints),
            "best_totals": (children, of_nodes, ints, ints, ints),
            "finest_stable": (children, of_nodes, flags, int64, flags, ints),
            "stable_levels": (of_nodes, flags, flags, ints, ints),
        },
        "similarity._adds": {
            "count_rows": (rows, int64, int8[::1], ints),
            "add_weighted": (rows, of_nodes, ints_2d),
            "add_tables": (int8[:, ::1], int64, int64, ints_2d),
        },
        "comparisons._summary": {"count_and_join": (rows, ints, ints)},
        "similarity._matrix": {"first_wrong": (ints_2d, int64, int64)},
        "comparisons._rows": {
            "first_wrong": (rows, int64),
            "number_values": (ints, narrow, int64, ints_2d, ints, int64),
        },
        "tree._tree": {
            "fill_ancestors": (ints_2d, meetings, ints),
            "node_sizes": (children, ints),
            "interval_starts": (children, of_nodes, ints),
            "merge_drawn": (ints, ints, ints, ints_2d),
        },
        "tree._distances": {
            "fewest_transfers": (
                types.Tuple((children, of_nodes, of_nodes, of_nodes)),
                types.Tuple((children, of_nodes)),
                *[ints] * 3,
            ),
        },
    }
