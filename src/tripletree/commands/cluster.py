"""`tripletree cluster`: answers in, a tree out, with all there is to know about it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tripletree._checks import printable
from tripletree.clustering.result import Clustering
from tripletree.commands.console import (
    check_folder,
    check_new,
    one_line_errors,
    print_json,
    say,
)
from tripletree.commands.console import steps as progress_line
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    Files,
    ItemsOption,
    KeepOption,
    Reading,
    SlowOption,
    UniqueOption,
)
from tripletree.comparisons.answers import Comparisons
from tripletree.errors import InvalidOption
from tripletree.similarity.pair_table import PairSums

MOST_DRAWN = 60  # leaves, in the terminal
MOST_LISTED, LONGEST_LIST = 20, 72  # clusters, and letters of their members
MOST_IN_CURVE = 2_000  # objects: a learning curve within some minutes
METHODS = ("auto", "climb", "complete", "adds-al", "mulk-al", "4k-al", "tste-al")

MethodOption = Annotated[
    str,
    typer.Option(
        help="auto, climb, complete, adds-al, mulk-al, 4k-al or tste-al. auto: the one "
        "of adds-al, climb and complete that earns most on held-out answers."
    ),
]
ClustersOption = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|auto",
        help="How many flat clusters; auto: number of clusters chosen from the data.",
    ),
]
SupportOption = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|auto",
        help="How sure is each cluster? Draw the answers again this often, and see "
        "whether it comes back; 0 leaves it out. auto: 100 times up to 300 objects, "
        "30 up to 1,000, not at all above.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        min=0, max=2**63, metavar="NUMBER", help="The same seed, the same result."
    ),
]
TimeOption = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="About how long to work in all."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite.")]


def cluster(
    files: Files,
    method: MethodOption = "auto",
    clusters: ClustersOption = "auto",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A folder for tree.nwk, tree.json, linkage.npy (SciPy), clusters.csv, "
            "summary.json and report.html (up to 20,000 objects).",
        ),
    ] = None,
    support: SupportOption = "auto",
    seed: SeedOption = 0,
    time_limit: TimeOption = None,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    force: ForceOption = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
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
    from tripletree.report.folder import REPORT, names_of_files, summary_of

    with one_line_errors():
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate, unique
        )
        asked = Asked(method, clusters, support, seed, time_limit)
        if out is not None:
            check_folder(out)
            check_new([out / name for name in names_of_files(0, False)], force)
        answers = reading.answers_or_sums(files)
        names = names_of_files(answers.n_objects, isinstance(answers, PairSums))
        has_page = out is not None and REPORT in names
        page = page_options(files, reading) if has_page else {}
        result = asked.result(answers, for_page=has_page)
        if json:
            print_json(summary_of(result))
        else:
            typer.echo(str(result))
            if result.tree.n_leaves <= MOST_DRAWN:
                typer.echo(result.tree.to_text())
            typer.echo("\n".join(cluster_lines(result)))
        if out is None:
            say("--out FOLDER writes the tree, the clusters and a report to explore.")
            return
        with progress_line() as step:
            step("writing")
            result.write(out, overwrite=True, **page)
        say(f"{', '.join(names)} are in {out}.")
        if has_page:
            say(f"open {out / REPORT} in a browser.")


class Asked:
    """What the options ask for, checked before anything is read."""

    def __init__(
        self,
        method: str,
        clusters: str,
        support: str,
        seed: int,
        time_limit: float | None,
    ) -> None:
        if method not in METHODS:
            message = f"--method {method!r:.80}: choose {', '.join(METHODS)}."
            raise InvalidOption(message)
        self.n_clusters = number_or_auto("--clusters", clusters, 1)
        self.options: dict[str, Any] = {
            "method": method,
            "support": number_or_auto("--support", support, 0),
            "seed": seed,
            "time_limit": time_limit,
        }

    def result(self, answers: Comparisons | PairSums, *, for_page: bool) -> Clustering:
        """The result; what was read is said first."""
        from tripletree.clustering.call import (
            cluster,
            default_replicates,
            what_was_read,
        )

        n = answers.n_objects
        read = what_was_read(answers, has_questions=False)
        say(f"read {read}")
        for note in read.assumed:
            say(printable(note))
        if self.n_clusters != "auto" and self.n_clusters > n:
            message = f"--clusters {self.n_clusters}: give 1 to {n:,}, or auto."
            raise InvalidOption(message)
        if self.options["support"] == "auto" and self.n_clusters != "auto":
            # `cluster` would make none: the terminal and the page show them.
            self.options["support"] = default_replicates(answers)
        with progress_line() as step:
            return cluster(
                answers,
                **self.options,
                n_clusters=self.n_clusters,
                curve=for_page and n <= MOST_IN_CURVE,
                people=for_page,
                progress=lambda progress: step(str(progress)),
            )


def number_or_auto(option: str, text: str, lowest: int) -> int | Literal["auto"]:
    """The value of an option that is a number or auto."""
    if text == "auto":
        return "auto"
    is_number = text.isascii() and text.isdigit() and len(text) <= 10
    if not is_number or int(text) < lowest:
        message = f"{option} {text!r:.80}: give a number from {lowest} on, or auto."
        raise InvalidOption(message)
    return int(text)


def page_options(files: list[Path], reading: Reading) -> dict[str, Any]:
    """What the page shows beside the result; refuses pictures that it cannot show."""
    from tripletree.report.pictures import check_files

    options: dict[str, Any] = {
        "title": ", ".join(file.name for file in files[:3]),
        "command": shlex.join(["tripletree", *sys.argv[1:]]),
    }
    if reading.items is not None and reading.objects is not None:
        folder, images = reading.items.parent, reading.objects.images
        options |= {"items": reading.objects, "image_folder": folder}
        if images is not None:
            check_files(images, folder)
    return options


def cluster_lines(result: Clustering) -> list[str]:
    """The flat clusters, one per line, with as many members as there is room for."""
    tree, nodes = result.tree, result.clusters.nodes.tolist()
    lines = [f"{len(nodes)} flat cluster{'s' if len(nodes) > 1 else ''}:"]
    for number, node in enumerate(nodes[:MOST_LISTED], start=1):
        leaves = sorted(tree.leaves(node).tolist())
        text = f"  {number} ({len(leaves)}"
        if result.support is not None and node >= tree.n_leaves:
            text += f", stability {result.support.stability[node - tree.n_leaves]:.0%}"
        listed = ", ".join(printable(result.labels[leaf]) for leaf in leaves)
        if len(listed) > LONGEST_LIST:
            listed = listed[:LONGEST_LIST].rsplit(", ", 1)[0] + ", ..."
        lines.append(f"{text}): {listed}")
    if len(nodes) > MOST_LISTED:
        lines.append(f"  ... and {len(nodes) - MOST_LISTED} more")
    return lines
