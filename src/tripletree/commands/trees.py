"""Commands that build a tree of answers: `cluster`, `report`, `demo`."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import tripletree as tt
from tripletree._checks import counted, printable
from tripletree._files import check_new
from tripletree._progress import Progress
from tripletree.commands.console import (
    ForceOption,
    JsonOption,
    SheetOption,
    check_folder,
    check_page,
    compile_first,
    progress_line,
    say,
    tell,
    tell_json,
)
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    Files,
    ItemsOption,
    KeepOption,
    MergeOption,
    Reading,
    SlowOption,
    UniqueOption,
    WordsOption,
)
from tripletree.errors import InvalidOption, refuse_if
from tripletree.objective.flat import FEWEST_OBJECTS, LEAST_STABILITY, STABLE

MOST_DRAWN = 60  # leaves, in the terminal
MOST_LISTED, LONGEST_LIST = 20, 72  # clusters, and letters of their members
MOST_IN_CURVE = 2_000  # objects: a learning curve within some minutes
MOST_IN_FIT = 1_000  # objects: a comparison with other models within some minutes
N_SHOWN = 3  # answers that the demo shows
NEXT_STEPS = (
    "next, with your own answers, one per row (target,near,far):",
    "    tripletree summary answers.csv                 what is in the file?",
    "    tripletree cluster answers.csv --out results   the tree, clusters, a page",
    "    tripletree plan --objects 60                   how many answers to collect?",
)
METHODS = (
    *("auto", "climb", "complete", "posterior"),
    *("adds-al", "mulk-al", "4k-al", "tste-al"),
)

MethodOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="auto, climb, complete, posterior, adds-al, mulk-al, 4k-al or tste-al. "
        "auto: the one of adds-al, climb, complete and posterior that does best on "
        "held-out answers.",
    ),
]
ClustersOption = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|auto",
        help="How many flat clusters; auto: as many as are stable when the answers are "
        "resampled (with --support 0, the largest similarity within clusters).",
    ),
]
SupportOption = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|auto",
        help="How often to resample the answers, to see how certain each cluster is; 0 "
        "leaves it out. auto: 100 times up to 300 objects, 30 up to 1,000, not at all "
        "above.",
    ),
]
StraysOption = Annotated[
    bool,
    typer.Option(
        "--attach-strays",
        help="Put objects that belong to no stable cluster into the nearest one.",
    ),
]
NoPeopleOption = Annotated[
    bool,
    typer.Option(
        "--no-people",
        help="Leave the table of people, and so their names, out of the page.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        min=0, max=2**63, metavar="NUMBER", help="The same seed gives the same result."
    ),
]
TimeOption = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="About how long to work in all."),
]


def cluster(
    files: Files,
    method: MethodOption = "auto",
    clusters: ClustersOption = "auto",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="A folder for tree.nwk, tree-stable.nwk (stable joins only), "
            "tree.json, linkage.npy (SciPy), clusters.csv, summary.json and "
            "report.html (up to 20,000 objects).",
        ),
    ] = None,
    support: SupportOption = "auto",
    attach_strays: StraysOption = False,
    no_people: NoPeopleOption = False,
    seed: SeedOption = 0,
    time_limit: TimeOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
    spreadsheet: SheetOption = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    answer_words: WordsOption = None,
    merge_spellings: MergeOption = False,
    unique: UniqueOption = False,
) -> None:
    """Build the tree that fits the answers best, and report how good it is.

    A file of pair sums, made by `tripletree pairs`, can be given in place of answers.

    \b
    Examples:
      tripletree cluster answers.csv
      tripletree cluster answers.csv --out results
      tripletree cluster "round*.csv" --items objects.csv --support 200 --json
    """
    from tripletree.report.files import ALL_FILES, REPORT, has_page, summary_of

    options = checked_options(locals())
    reading = Reading.of(locals())
    if out is not None:
        check_folder(out)
        check_new(force, *(out / name for name in ALL_FILES))
    answers = reading.answers_or_sums(files)
    is_shown = out is not None and has_page(answers)
    page = page_options(files, reading) if is_shown else {}
    result = clustered(answers, options, people=is_shown and not no_people)
    names: tuple[str, ...] = ()
    if out is not None:
        with progress_line() as step:
            step(Progress("writing"))
            names = result.write(out, overwrite=force, spreadsheet=spreadsheet, **page)
    if json:
        tell_json(summary_of(result), is_kept=out is not None)
    else:
        tell("\n".join(result_lines(result)), is_kept=out is not None)
    if out is None:
        made = "the tree, the clusters and a report to explore"
        if not has_page(answers):
            made = "the tree and the clusters"
        say(f"--out FOLDER writes {made}.")
        return
    say(f"{', '.join(names)} are in {out}.")
    if is_shown:
        say(f"open {out / REPORT} in a browser.")


def report(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")
    ] = Path("report.html"),
    method: MethodOption = "auto",
    clusters: ClustersOption = "auto",
    support: SupportOption = "auto",
    attach_strays: StraysOption = False,
    no_people: NoPeopleOption = False,
    seed: SeedOption = 0,
    time_limit: TimeOption = None,
    force: ForceOption = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    answer_words: WordsOption = None,
    merge_spellings: MergeOption = False,
    unique: UniqueOption = False,
) -> None:
    """Write one self-contained HTML file: the tree to explore, and how good it is.

    With pictures at the leaves if the table of objects (--items) has a column image.

    Example: tripletree report answers.csv --items objects.csv -o report.html
    """
    check_new(force, out)
    check_page(out)
    options = checked_options(locals())
    reading = Reading.of(locals())
    answers = reading.answers(files)
    page = page_options(files, reading)
    result = clustered(answers, options, people=not no_people)
    tt.write_report(result, out, overwrite=force, **page)
    say(f"open {out} in a browser.")


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")
    ] = Path("tripletree-demo.html"),
    force: ForceOption = False,
) -> None:
    """Cluster everyday things by simulated answers, and write a report with pictures.

    A hundred simulated people say which of three things is the odd one out; five of
    them answer without looking. Needs no network, and a minute at most.
    """
    from tripletree.datasets.everyday import everyday

    check_new(force, out)
    check_page(out)
    example = everyday()
    answers, labels = example.answers, example.answers.labels
    assert labels is not None
    lines = ["Which of three things is the odd one out? The first simulated answers:"]
    for i, j, odd in answers.rows[: 2 * N_SHOWN : 2].tolist():
        lines.append(f"    {labels[i]}, {labels[j]}, {labels[odd]}: the {labels[odd]}")
    tell("\n".join(lines), is_kept=True)  # the page is still to come
    result = clustered(answers, {"n_clusters": "auto"}, people=True)
    tt.write_report(
        result,
        out,
        items=tt.Items(labels, example.groups),
        images=example.pictures,
        title="Everyday things",
        command="tripletree demo",
        overwrite=force,
    )
    tell("\n".join(result_lines(result)), is_kept=True)
    say(f"open {out} in a browser. ({result.seconds:.0f} s)")
    for line in NEXT_STEPS:
        say(line)


def checked_options(given: dict[str, Any]) -> dict[str, Any]:
    """The options of clustering, among all of a command, checked before it reads."""
    refuse_if(
        given["method"] not in METHODS,
        InvalidOption,
        f"--method {given['method']!r:.80}: choose {', '.join(METHODS)}.",
    )
    names, limit = ("method", "attach_strays", "seed"), given["time_limit"]
    return {
        "end": None if limit is None else time.monotonic() + limit,
        "n_clusters": number_or_auto("--clusters", given["clusters"], 1),
        "support": number_or_auto("--support", given["support"], 0),
        **{name: given[name] for name in names},
    }


def number_or_auto(option: str, text: str, lowest: int) -> int | Literal["auto"]:
    """The value of an option that is a number or auto."""
    if text == "auto":
        return "auto"
    is_number = text.isascii() and text.isdigit() and len(text) <= 10
    refuse_if(
        not is_number or int(text) < lowest,
        InvalidOption,
        f"{option} {text!r:.80}: give a number from {lowest} on, or auto.",
    )
    return int(text)


def clustered(
    answers: tt.Comparisons | tt.PairSums, options: dict[str, Any], *, people: bool
) -> tt.Clustering:
    """The result; what was read is said first. What reading took is not left."""
    from tripletree._first_run import MOST_OBJECTS
    from tripletree.clustering.workflow import what_was_read

    options, n, n_clusters = {**options}, answers.n_objects, options["n_clusters"]
    end = options.pop("end", None)
    left = None if end is None else max(0.0, end - time.monotonic())
    read = what_was_read(answers, has_questions=False)
    say(f"read {read}")
    for note in read.assumed:
        say(note)
    refuse_if(
        n_clusters != "auto" and n_clusters > n,
        InvalidOption,
        f"--clusters {n_clusters}: give 1 to {n:,}, or auto.",
    )
    if n <= MOST_OBJECTS:
        compile_first(n)
    has_answers = not isinstance(answers, tt.PairSums)
    with progress_line() as step:
        return tt.cluster(
            answers,
            **options,
            time_limit=left,
            curve=has_answers and n <= MOST_IN_CURVE,
            people=people,
            tree_fit=has_answers and n <= MOST_IN_FIT,
            progress=step,
        )


def page_options(files: list[Path], reading: Reading) -> dict[str, Any]:
    """What the page shows beside the result; refuses pictures that it cannot show."""
    from tripletree.report.thumbnails import check_image_files

    options: dict[str, Any] = {
        "title": ", ".join(file.name for file in files[:3]),
        "command": shlex.join(["tripletree", *sys.argv[1:]]),
    }
    if reading.items is not None:
        folder, objects = reading.items.parent, reading.objects
        options |= {"items": objects, "image_folder": folder}
        if objects is not None and objects.images is not None:
            check_image_files(objects.images, folder)
    return options


def result_lines(result: tt.Clustering) -> list[str]:
    """All that the terminal shows of a result."""
    tree = result.stable_tree or result.tree
    drawn = [tree.to_text()] if tree.n_leaves <= MOST_DRAWN else []
    return [str(result), *drawn, *level_lines(result), *cluster_lines(result)]


def level_lines(result: tt.Clustering) -> list[str]:
    """A table of all levels at which every cluster is stable."""
    if not result.levels:
        return []
    lines = [
        f"cuts into stable clusters (stability {LEAST_STABILITY:.0%} or more), coarse "
        "to fine; explained: unseen answers that the clusters alone get right, "
        "undecided counts half:",
        "  clusters  stability  cluster size  unassigned  explained",
    ]
    for level in result.levels:
        sizes = f"{level.smallest:,} to {level.largest:,}"
        if level.smallest == level.largest:
            sizes = f"{level.smallest:,}"
        share = "" if level.explained is None else f"{level.explained:.1%}"
        lines.append(
            f"  {level.clusters.n_clusters:8}  {level.stability:9.0%}  {sizes:>12}  "
            f"{level.clusters.n_unassigned:10}  {share:>9}"
        )
    return lines


def cluster_lines(result: tt.Clustering) -> list[str]:
    """The flat clusters, one per line, with as many members as there is room for."""
    tree, cut = result.tree, result.clusters
    if cut.rule == STABLE and cut.n_clusters == 1:
        return [
            f"no flat clusters: no cut has only clusters of {FEWEST_OBJECTS} or more "
            f"objects with a stability of {LEAST_STABILITY:.0%} or more"
        ]
    nodes = cut.nodes.tolist()
    lines = [f"{counted(len(nodes), 'flat cluster')} ({cut.rule}):"]
    for number, node in enumerate(nodes[:MOST_LISTED]):
        members = (cut.labels == number).nonzero()[0].tolist()
        text = f"  {number + 1} ({len(members)}"
        if result.support is not None and node >= tree.n_leaves:
            text += f", stability {result.support.stability[node - tree.n_leaves]:.0%}"
        lines.append(f"{text}): {some_members(result, members)}")
    if len(nodes) > MOST_LISTED:
        lines.append(f"  ... and {len(nodes) - MOST_LISTED} more")
    if cut.n_unassigned:
        strays = some_members(result, (cut.labels < 0).nonzero()[0].tolist())
        lines.append(f"  in no cluster ({cut.n_unassigned}): {strays}")
    return lines


def some_members(result: tt.Clustering, leaves: list[int]) -> str:
    """The names of these objects, as many as there is room for."""
    names = ", ".join(printable(result.labels[leaf]) for leaf in sorted(leaves))
    if len(names) <= LONGEST_LIST:
        return names
    return names[:LONGEST_LIST].rsplit(", ", 1)[0] + ", ..."
